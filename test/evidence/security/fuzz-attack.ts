/** Sends malformed requests to every operation of the contracts; each response must conform to the contract. */

import { answerOf, checker, contract } from '../../scripts/contracts/check-answer.ts';
import type { Any } from '../../support/any.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Attacked, FaceName, Reply, Sent } from './attack-target.ts';
import { pick, valueFrom } from './from-schema.ts';
import { fuzzSocket } from './fuzz-socket.ts';
import { spoiltBody, spoiltCredential, spoiltHeaders, spoiltPart, spoiltQuery } from './mutate.ts';
import { type Credential, credentialsOf, unknownIds } from './operations.ts';
import { inBatches, type Outcome, type Part } from './part.ts';
import { hardlyHttp, strayRequests } from './strays.ts';

/** Results in at least ten thousand requests over all operations. */
const OF_EACH = { long: 340, short: 100 };
const AT_ONCE = 24;
const MAX_GROWTH = 250_000_000;
const MAX_SHOWN = 200;
/** Longer lines are refused by the HTTP server, with its own response. */
const MAX_LINE = 4_000;

const DOCUMENTS = { files: contract('files-and-tasks.openapi'), agents: contract('agents.openapi') };
const CHECKS = { files: checker(DOCUMENTS.files), agents: checker(DOCUMENTS.agents) };
const FACES = ['files', 'agents'] as const;

type Operation = { face: FaceName; method: string; path: string; body: Any; names: string[] };
type Shot = { operation: Operation; sent: Sent };

const operations: Operation[] = FACES.flatMap((face) =>
  Object.entries<Any>(DOCUMENTS[face].paths).flatMap(([path, methods]) =>
    Object.entries<Any>(methods).map(([method, operation]) => ({
      face,
      method: method.toUpperCase(),
      path,
      body: operation.requestBody?.content['application/json'],
      names: (operation.parameters ?? []).flatMap((one: Any) => (one.in === 'query' ? [one.name] : [])),
    })),
  ),
);

function goodBody({ face, body }: Operation, random: () => number) {
  const examples = Object.values<Any>(body?.examples ?? {}).map(({ value }) => value);
  const isExample = examples.length > 0 && random() < 0.4;
  return isExample ? pick(examples, random) : valueFrom(body?.schema ?? {}, DOCUMENTS[face], random);
}

function shotAt(operation: Operation, credentials: readonly Credential[], random: () => number): Shot {
  const { face, method, path, body, names } = operation;
  const known = Object.entries(unknownIds(face));
  const idOf = (name: string) =>
    known.find(([own]) => own.toLowerCase() === name.replace('_', '').toLowerCase())?.[1] ?? 'x';
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => (random() < 0.5 ? spoiltPart(random) : idOf(name)));
  const { headers } = pick(credentials, random);
  const credential = random() < 0.15 ? spoiltCredential(headers, random) : headers;
  const isSpoilt = random() < 0.8;
  const raw = bodyFor();
  const type = raw === undefined ? {} : { 'content-type': 'application/json' };
  return {
    operation,
    sent: {
      method,
      path: (filled + spoiltQuery(names, random)).slice(0, MAX_LINE),
      headers: { ...type, ...credential, ...spoiltHeaders(random) },
      ...(raw === undefined ? {} : { raw }),
    },
  };

  function bodyFor(): Uint8Array | string | undefined {
    // Some requests have an unexpected body, and some lack theirs.
    if (!body && random() < 0.8) return undefined;
    const good = goodBody(operation, random);
    return isSpoilt ? spoiltBody(good, random) : JSON.stringify(good);
  }
}

/** Returns what is wrong with a response according to the contract. */
function wrongWith(
  { operation: { face, method, path } }: Shot,
  { status, text, headers, body }: Reply,
): string | undefined {
  if (status >= 500) return `${status} ${text}`;
  try {
    const response = DOCUMENTS[face].paths[path][method.toLowerCase()].responses[String(status)];
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
    if (response?.content && !(type in response.content)) return `${status} is ${type}`;
    if (response?.content?.['text/html']) return undefined;
    const schema = answerOf(DOCUMENTS[face], { method, path }, status);
    if (!schema) return text === '' ? undefined : `a body: ${text}`;
    const faults = schema === 'Document' ? [] : CHECKS[face](schema, body);
    return faults.length > 0 ? faults.join('; ') : undefined;
  } catch (error) {
    return `${(error as Error).message} ${text}`;
  }
}

const shown = ({ operation: { face }, sent: { method, path, headers, raw } }: Shot): string =>
  `${face} ${method} ${path} ${JSON.stringify(headers)} ${String(raw ?? '').slice(0, MAX_SHOWN)}`.slice(
    0,
    2 * MAX_SHOWN,
  );

/** Each guess of a password costs a second of CPU, so the throttle of guesses is filled from the start. */
async function slowGuesses({ local }: Attacked): Promise<void> {
  const at = Date.now();
  const value = Array.from({ length: 27 }, () => ({ at, mark: 'x', from: '127.0.0.1' }));
  await local.table.insert({ pk: 'GUESSES#ADDRESS#127.0.0.1', sk: 'GUESSES', value, expiresAt: at + 300_000 });
}

async function requests(on: Attacked, seed: number, ofEach: number): Promise<Outcome[]> {
  const random = seededRandom(seed);
  const tenant = await on.tenants.found();
  await slowGuesses(on);
  const credentials = credentialsOf(tenant);
  const shots = operations.flatMap((operation) =>
    Array.from({ length: ofEach }, () => shotAt(operation, credentials, random)),
  );
  const order = shots.map((shot) => ({ shot, by: random() })).toSorted((a, b) => a.by - b.by);
  const outcome: Outcome = {
    what: `requests to ${operations.length} operations of the contracts`,
    tried: shots.length,
    broken: [],
  };
  const statuses = new Map<number, number>();
  let warm = 0;
  await inBatches(order, AT_ONCE, async ({ shot }, at) => {
    if (at === Math.floor(order.length / 4)) warm = (await on.order()).rss;
    const reply = await on.send(shot.operation.face, shot.sent).catch((error: Error) => error);
    const wrong = reply instanceof Error ? reply.message : wrongWith(shot, reply);
    if (!(reply instanceof Error)) statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    if (wrong) outcome.broken.push(`${wrong.slice(0, MAX_SHOWN)} to ${shown(shot)}`);
  });
  return [outcome, await whatBecameOfIt(on, warm, statuses)];
}

async function whatBecameOfIt(on: Attacked, warm: number, statuses: Map<number, number>): Promise<Outcome> {
  const outcome: Outcome = { what: 'the process behind them: alive, without a fault, no larger', tried: 3, broken: [] };
  const { rss } = await on.order();
  const health = await on.send('files', { path: '/health' });
  if (health.status !== 200 || on.product().process.exitCode !== null) outcome.broken.push('it is gone');
  const faults = on.said
    .join('')
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
  outcome.broken.push(...faults.slice(0, 5));
  if (rss - warm > MAX_GROWTH) outcome.broken.push(`it grew from ${warm} to ${rss} bytes`);
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${times} x ${status}`);
  outcome.what += ` (${Math.round(warm / 1e6)} to ${Math.round(rss / 1e6)} MB)`;
  // Checks that the requests covered all kinds of responses.
  for (const status of [200, 201, 202, 400, 401, 403, 404, 413, 415]) {
    if (!statuses.has(status)) outcome.broken.push(`no answer was a ${status}: ${counts}`);
  }
  return outcome;
}

export const fuzz: Part = {
  name: 'fuzz',
  promise: 'Every response conforms to the contract, and malformed input never causes a 5xx',
  async run({ on, seed, size, isShort }) {
    return [
      ...(await requests(on, seed, isShort ? OF_EACH.short : OF_EACH.long * size)),
      await strayRequests(on, seed),
      await hardlyHttp(on),
      await fuzzSocket(on, seed, size),
    ];
  },
};
