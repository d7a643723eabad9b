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

export const RATE_LIMIT = json({ error: { message: 'slow down' } }, 429, { 'retry-after': '7' });
export const OWN_FAULT = json({ error: { message: 'oops' } }, 500);

/** What a provider does that is busy or away, for every protocol, and how a task says it. */
export const AWAY: Record<string, { answer: Answering; reason: string }> = {
  'a rate limit': { answer: json({ error: { message: 'slow down' } }, 429), reason: '429' },
  'an unavailable service': { answer: json({ error: { message: 'overloaded' } }, 503), reason: '503' },
  overload: { answer: json({ error: { message: 'overloaded' } }, 529), reason: '529' },
  'a gateway that gave up': {
    answer: (response) => void response.writeHead(504, { 'content-type': 'text/html' }).end('<h1>'),
    reason: '504',
  },
};

/** How a connection ends before a token came, and how a task says it. */
export const CUT: Record<string, Answering> = {
  'a connection cut before the answer': (response) => void response.socket?.destroy(),
  'an answer cut in the middle': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    response.write('{"id": "x", "choi');
    setImmediate(() => response.socket?.destroy());
  },
};

/** Permanent faults, which a retry meets again. */
export const LASTING: Record<string, { answer: Answering; says: RegExp }> = {
  'a wrong key': {
    answer: json({ error: { message: 'invalid key sk-inner' } }, 401),
    says: /refused the key \(status 401\); ask the operator to renew the key/,
  },
  'a key without the permission': {
    answer: json({ error: { message: 'not for sk-inner' } }, 403),
    says: /refused the key or the permission \(status 403\); ask the operator/,
  },
  'an account without credit': {
    answer: json({ error: { message: 'sk-inner owes' } }, 402),
    says: /wants to be paid first \(status 402\); ask the operator/,
  },
  'an unknown model': {
    answer: json({ error: { message: 'no such model' } }, 404),
    says: /does not exist at its provider \(status 404\); name another model/,
  },
};
