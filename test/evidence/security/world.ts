/** Simulates the public Internet on this machine: certificates for every name, and scripted responses. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { authority } from '../../engines/outbound/certificates.ts';

/** A page that never responds. */
export const HANGS = 'hangs';

export async function playWorld() {
  const ca = authority('the played world');
  const contexts = new Map<string, ReturnType<typeof createSecureContext>>();
  const script = new Map<string, string>();
  const pages = new Map<string, string | Buffer>();
  const arrived: { host: string; url: string; headers: Record<string, unknown>; body: string }[] = [];

  function contextOf(name: string) {
    const made = contexts.get(name) ?? createSecureContext(ca.issue({ for: [name] }));
    contexts.set(name, made);
    return made;
  }

  const server: Server = createServer(
    { ...ca.issue({ for: ['8.8.8.8'] }), SNICallback: (name, done) => done(null, contextOf(name)) },
    async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { url = '', headers } = request;
      arrived.push({ host: headers.host ?? '', url, headers, body: Buffer.concat(chunks).toString() });
      const scripted = script.get(`https://${headers.host}${url}`);
      if (scripted !== undefined) return void response.socket?.end(scripted, 'latin1');
      if (pages.get(url) === HANGS) return;
      response.writeHead(200, { 'content-type': 'text/plain' }).end(pages.get(url) ?? 'Port fees rose by 6 per cent.');
    },
  );
  server.on('tlsClientError', () => undefined).on('clientError', (_, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ca: ca.cert,
    arrived,
    /** The pages by path, on every host. */
    pages,
    /** Sets the raw response at a URL; all other URLs answer 200. */
    answers: (address: string, bytes: string) => void script.set(address, bytes),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
