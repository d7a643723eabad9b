/** A Redis server for one benchmark, in a temporary folder: with default settings, or with every write synced. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../../functions/over-http/free-port.ts';
import { findProgram, type Program } from '../../../support/browser/programs.ts';
import { endWithParent } from '../../../support/end-with-parent.ts';

/** When Redis syncs: by occasional snapshots, which is the default of Redis and of Debian's package, or on every write. */
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

/** Returns one line on what is missing, or `undefined`. */
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
      redis.kill('SIGKILL'); // discards the data; SIGTERM would write a snapshot
      await once(redis, 'exit');
    },
  };
}
