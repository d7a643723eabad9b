/**
 * A port of this machine that is free, with a free one behind it, as the product takes two.
 * It is below the range from which systems number outgoing connections (from 32,768 on Linux):
 * one of those may take a port between this look and the start of the server that listens on it.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST = 10_000;
const HIGHEST = 32_000;
const ATTEMPTS = 200;

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
  throw new Error(`no two free ports between ${LOWEST} and ${HIGHEST}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port); // on all addresses, as some emulators do
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  if (free) await once(server, 'close');
  return free;
}
