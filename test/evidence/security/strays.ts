/** Requests without a route: other methods and paths, and bytes that are not valid HTTP. */
import { connect } from 'node:net';
import { checker, contract } from '../../scripts/contracts/check-answer.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Attacked, FaceName } from './attack-target.ts';
import { pick } from './from-schema.ts';
import { spoiltPart } from './mutate.ts';
import { OPERATIONS, requestOf, unknownIds } from './operations.ts';
import { inBatches, type Outcome } from './part.ts';

const METHODS = ['PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'DELETE', 'GET', 'POST'] as const;
const COUNT = 600;
const AT_ONCE = 24;
const CHECKS = {
  files: checker(contract('files-and-tasks.openapi')),
  agents: checker(contract('agents.openapi')),
};

/** Methods and paths outside the route tables: 404 or 405 with the API's error format, for any caller. */
export async function strayRequests(on: Attacked, seed: number): Promise<Outcome> {
  const outcome: Outcome = { what: 'requests to methods and paths that there are not', tried: 0, broken: [] };
  const random = seededRandom(seed);
  const strays = Array.from({ length: COUNT }, () => {
    const operation = pick(OPERATIONS, random);
    const { path } = requestOf(operation, unknownIds(operation.face));
    const parts = path.split('/');
    parts[1 + Math.floor(random() * (parts.length - 1))] = spoiltPart(random);
    const isPath = random() < 0.5;
    const method = isPath ? operation.method : pick(METHODS, random);
    return { face: operation.face, method, path: isPath ? `${parts.join('/')}/x/y/z/` : path };
  });
  await inBatches(strays, AT_ONCE, async ({ face, method, path }) => {
    // A GET route also accepts HEAD.
    const wanted = method === 'HEAD' ? 'GET' : method;
    const isKnown = OPERATIONS.some((one) => one.face === face && one.method === wanted && isFor(one.path, path));
    if (isKnown) return;
    outcome.tried++;
    const { status, body, text } = await on
      .send(face, { method, path })
      .catch(() => ({ status: 0, body: {}, text: '' }));
    const isTold = method === 'HEAD' || CHECKS[face]('Error', body).length === 0;
    const isRight = method === 'OPTIONS' ? status === 204 : [404, 405].includes(status) && isTold;
    if (!isRight) outcome.broken.push(`${face} ${method} ${path}: ${status} ${text}`.slice(0, 300));
  });
  return outcome;
}

const isFor = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path.split('?')[0] ?? '');

const RAW = [
  'GET\r\n\r\n',
  'GET /health HTTP/9.9\r\n\r\n',
  'GET /health HTTP/1.1\r\n\r\n',
  'GET /health HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET http://127.0.0.1:1/x HTTP/1.1\r\nhost: a\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n',
  `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
  'POST /auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n{}',
  'POST /auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /auth/login HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n',
  'POST /auth/login HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, identity\r\n\r\n{}',
  'GET /health HTTP/1.1\r\nhost: a\r\nx\u0000y: z\r\n\r\n',
  'GET /health HTTP/1.1\r\nhost: a\r\n folded: z\r\n\r\n',
  'GET /ws/tasks HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  'GET /health HTTP/1.1\r\nhost: a\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
  'GET //health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'GET ?x HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'GET /blobs/%2e%2e/%2e%2e/master.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'GET /mail/%2e%2e/master.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'GET /docs/..%2f..%2fpackage.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
] as const;
const PATIENCE_MS = 1_500;

/** Each is refused or answered correctly; none causes a 5xx, and the next request succeeds. */
export async function hardlyHttp(on: Attacked): Promise<Outcome> {
  const outcome: Outcome = { what: 'bytes that are hardly HTTP', tried: 2 * RAW.length, broken: [] };
  for (const face of ['files', 'agents'] as const) {
    await Promise.all(
      RAW.map(async (bytes) => {
        const answer = await saidTo(on, face, bytes);
        const isRight = answer === '' || /^HTTP\/1\.1 (2|4)\d\d /.test(answer);
        const secret = /"scripts"|"current"|"secret"/.test(answer);
        if (!isRight || secret)
          outcome.broken.push(`${face} ${JSON.stringify(bytes.slice(0, 100))}: ${answer.slice(0, 200)}`);
      }),
    );
    if ((await on.send(face, { path: '/health' })).status !== 200) outcome.broken.push(`${face} no longer answers`);
  }
  return outcome;
}

function saidTo(on: Attacked, face: FaceName, bytes: string): Promise<string> {
  const { hostname, port } = new URL(on.roots()[face]);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => resolve(answer)).on('close', () => resolve(answer));
    setTimeout(() => socket.destroy(), PATIENCE_MS);
  });
}
