/** The local blobs behind a real HTTP server, with a clock that a test moves. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { blobServer } from '../../adapters/local/blob-server.ts';
import { folderBlobs } from '../../adapters/local/file-blobs.ts';
import { fileSecrets } from '../../adapters/local/secrets.ts';
import { signedAddresses } from '../../adapters/local/signed-addresses.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { setClock } from './clock.ts';

export async function openLocalBlobs(maxBytes = 10_000_000) {
  const state = temporaryFolder();
  const folder = join(state.path, 'blobs');
  const clock = setClock();
  const secrets = fileSecrets({ file: join(state.path, 'master.json') });
  const faults: unknown[] = [];
  const addresses = signedAddresses({ baseUrl: () => base, secrets, clock });
  const blobs = folderBlobs({ folder, addresses });
  const serve = blobServer({ blobs, addresses, clock, maxBytes });
  const server = createServer((request, response) => {
    serve(request, response).catch((fault: unknown) => {
      faults.push(fault);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;

  return {
    ...{ blobs, addresses, secrets, clock, folder, port, faults },
    expire: async (ms: number) => clock.pass(ms),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      state.remove();
      if (faults.length > 0) throw new AggregateError(faults, 'The blob server failed by its own fault.');
    },
  };
}
