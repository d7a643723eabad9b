/** A test server on this machine that answers requests with scripted answers in order. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Asked = { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> };
export type Answering = (response: ServerResponse, asked: Asked) => void;

export async function stubServer(usual: Answering) {
  const asked: Asked[] = [];
  const coming: Answering[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(body || '{}') };
    asked.push(one);
    (coming.shift() ?? usual)(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    /** Answers for the next requests, one each; afterwards it answers as usual. */
    answerNext: (...answers: Answering[]) => void coming.push(...answers),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type StubServer = Awaited<ReturnType<typeof stubServer>>;

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answering =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Transient faults of a provider, for every protocol. */
export const PASSING: Record<string, Answering> = {
  'a rate limit': json({ error: { message: 'slow down' } }, 429, { 'retry-after': '7' }),
  'a fault of its own': json({ error: { message: 'oops' } }, 500),
  overload: json({ error: { message: 'overloaded' } }, 503),
  'a gateway that gave up': (response) => void response.writeHead(504, { 'content-type': 'text/html' }).end('<h1>'),
  'a connection cut before the answer': (response) => void response.socket?.destroy(),
  'an answer cut in the middle': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    response.write('{"id": "x", "choi');
    setImmediate(() => response.socket?.destroy());
  },
};

/** Permanent faults, which a retry meets again. */
export const LASTING: Record<string, Answering> = {
  'a wrong key': json({ error: { message: 'invalid key sk-inner' } }, 401),
  'an unknown model': json({ error: { message: 'no such model' } }, 404),
};
