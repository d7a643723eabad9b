/** A port of this machine that is free, with a free one behind it, as the product takes two. */
import { once } from 'node:events';
import { createServer } from 'node:net';

export async function freePort(): Promise<number> {
  for (;;) {
    const first = await listening(0);
    const second = await listening(first.port + 1).catch(() => undefined);
    first.close();
    second?.close();
    if (second) return first.port;
  }
}

async function listening(port: number): Promise<{ port: number; close(): void }> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : port, close: () => server.close() };
}
