/** Starts the yardstick: a redis-server and one process with Fastify, BullMQ and its worker. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '../../contracts/temporary-folder.ts';
import { type RedisDurability, startRedis } from '../yardstick/redis.ts';
import type { Side } from './side.ts';

const SERVER = join(import.meta.dirname, '../yardstick/server.ts');

export async function startYardstick(
  durability: RedisDurability,
  organizations: number,
  endpoint: string,
): Promise<Side> {
  const folder = temporaryFolder();
  const redis = await startRedis(folder.path, durability);
  const server = spawn(process.execPath, [SERVER, String(redis.port), String(organizations)], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).once('line', resolve);
    server.once('exit', (code) => reject(new Error(`The yardstick ended with ${code} before it was ready.`)));
  });
  const { port, keys } = JSON.parse(line) as { port: number; keys: string[] };
  return {
    port,
    prefix: '',
    keys,
    endpoint,
    async stop() {
      server.kill('SIGKILL');
      await once(server, 'exit');
      await redis.stop();
      folder.remove();
    },
  };
}
