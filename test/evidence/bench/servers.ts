/** Shared by the benchmarks of the local product: its plain reference server, and lifting the first organization's limits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocal } from '../../../adapters/local/context.ts';
import { overrideLimit } from '../../../shared/accounts/caps.ts';
import type { Running } from '../../functions/over-http/local-product.ts';

export const WITHOUT_LIMIT = 1_000_000;

const BARE = `
  const body = JSON.stringify({ models: ['offline/extractive'], default: 'offline/extractive' });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const server = require('node:http').createServer((_, response) => response.writeHead(200, headers).end(body));
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

/** A plain node:http handler in its own process. */
export async function bareServer() {
  const server = spawn(process.execPath, ['-e', BARE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  return { port: Number(port), stop: () => server.kill() };
}

export async function withoutLimit({ local, env }: Running, limit: string): Promise<void> {
  const [first] = local.organizations;
  if (!first) throw new Error('The local product has demo organizations.');
  const { table, close } = openLocal(env);
  await overrideLimit(table, first.id, { limit, minute: WITHOUT_LIMIT });
  close();
  await sleep(1_000); // until the product's cache of limits has expired
}
