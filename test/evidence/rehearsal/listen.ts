/** Opens a server on a free port of this machine. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Listening = { url: string; stop(): void };

export async function listen(server: Server): Promise<Listening> {
  server.listen(0, '127.0.0.1');
  server.unref(); // an open server must not keep the process alive
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
