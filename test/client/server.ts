/** A server that answers requests with a test's answers in order, and records them. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

type Got = { method: string; url: string; headers: IncomingHttpHeaders; body: string; at: number };
/** `hang` never answers, `cut` closes the connection. */
export type Reply = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'cut';

export async function answering(replies: Reply[]) {
  const got: Got[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body, at: Date.now() });
    const reply = replies[Math.min(got.length, replies.length) - 1] ?? 'hang';
    if (reply === 'hang') return;
    if (reply === 'cut') return void request.socket.destroy();
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body ?? '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    got,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify(body),
});
