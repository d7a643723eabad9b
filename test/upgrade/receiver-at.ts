/** A receiver of webhooks at a port that recorded tasks name. It waits for the port while another test run has it. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_MS = 50_000;

export async function receiverAt(port: number, statusOf: (path: string) => number = () => 200) {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(statusOf(request.url ?? '')).end();
  });
  for (const end = Date.now() + WAIT_MS; ; await sleep(200)) {
    server.listen(port, '127.0.0.1');
    const fault = await once(server, 'listening').then(
      () => undefined,
      (error) => error,
    );
    if (fault === undefined) break;
    if (fault.code !== 'EADDRINUSE' || Date.now() > end) throw fault;
  }
  return {
    received,
    close: () => void server.close().closeAllConnections(),
  };
}
