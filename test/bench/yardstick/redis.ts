/** A redis-server of its own for a bench, in a temporary folder: as it is installed, or with every write synced. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../api/free-port.ts';
import { findProgram, type Program } from '../../browser/programs.ts';
import { endWithParent } from '../../end-with-parent.ts';

/** What syncs: snapshots now and then, which is what Redis and Debian's package of it do unless told, or every write. */
const SETTINGS = { installed: [], always: ['--appendonly', 'yes', '--appendfsync', 'always'] } as const;
export type RedisDurability = keyof typeof SETTINGS;

const COMMAND = 'redis-server';
export const redisServer: Program = {
  what: 'redis-server',
  namedBy: 'REDIS_PATH',
  names: [COMMAND],
  places: [],
  packages: [COMMAND],
  remedy: 'install it (Debian: apt install redis-server; macOS: brew install redis)',
};
const READY = /Ready to accept connections/;

/** One line on what is missing, or undefined. */
export const missingRedis = (): string | undefined =>
  findProgram(redisServer) ? undefined : `needs ${redisServer.what}: ${redisServer.remedy}`;

export async function startRedis(folder: string, durability: RedisDurability) {
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...SETTINGS[durability]];
  const program = findProgram(redisServer) ?? COMMAND;
  const redis = endWithParent(spawn(program, settings, { stdio: ['ignore', 'pipe', 'inherit'] }));
  redis.stdout.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    redis.stdout.on('data', (line: string) => READY.test(line) && resolve());
    redis.once('exit', (code) => reject(new Error(`redis-server ended with ${code} before it was ready.`)));
  });
  return {
    port,
    process: redis.pid ?? 0,
    async stop() {
      redis.kill('SIGKILL'); // nothing is to be kept, and a snapshot would be taken otherwise
      await once(redis, 'exit');
    },
  };
}
