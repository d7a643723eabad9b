/** Starts a reference system: its store, and one process with Fastify, its queue and its workers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { startPostgres } from '../yardstick/postgres.ts';
import { type RedisDurability, startRedis } from '../yardstick/redis.ts';
import type { Side } from './side.ts';

type Store = { port: number; process: number; stop(): Promise<void> };
type Kind = { server: string; store(folder: string): Promise<Store> };
type Started = { organizations: number; endpoint: string };

export const startYardstick = (durability: RedisDurability, organizations: number, endpoint: string): Promise<Side> =>
  start({ server: 'bullmq-server.ts', store: (folder) => startRedis(folder, durability) }, { organizations, endpoint });

export const startOverPostgres = (organizations: number, endpoint: string): Promise<Side> =>
  start({ server: 'pg-boss-server.ts', store: startPostgres }, { organizations, endpoint });

async function start(kind: Kind, { organizations, endpoint }: Started): Promise<Side> {
  const folder = temporaryFolder();
  const store = await kind.store(folder.path);
  const script = join(import.meta.dirname, '../yardstick', kind.server);
  const server = spawn(process.execPath, [script, String(store.port), String(organizations)], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).once('line', resolve);
    server.once('exit', (code) => reject(new Error(`The yardstick ended with ${code} before it was ready.`)));
  });
  const { port, keys, secret } = JSON.parse(line) as { port: number; keys: string[]; secret: string };
  return {
    port,
    prefix: '',
    keys,
    secrets: keys.map(() => secret),
    endpoint,
    processes: [server.pid ?? 0, store.process],
    async stop() {
      server.kill('SIGKILL');
      await once(server, 'exit');
      await store.stop();
      folder.remove();
    },
  };
}
