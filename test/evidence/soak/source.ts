/** A source on this machine, over TLS, that serves the demo's files and documents. */
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { authority } from '../../engines/outbound/certificates.ts';

const DEMO = join(import.meta.dirname, '../../../assets/demo');

/** `pem` is the file with its certificate authority, for the product's start options. */
export async function startSource(folder: string) {
  const ca = authority('Soak');
  const files = new Map(readdirSync(DEMO).map((name) => [`/${name}`, readFileSync(join(DEMO, name))]));
  const server = createServer(ca.issue({ for: ['127.0.0.1'] }), ({ url = '' }, response) => {
    const found = files.get(url);
    response.writeHead(found ? 200 : 404).end(found);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pem = join(folder, 'ca.pem');
  writeFileSync(pem, ca.cert);
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pem,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
