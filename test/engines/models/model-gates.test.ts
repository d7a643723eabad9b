/** A model that is busy or away is left alone by all instances, and comes back to a few calls first. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { generateText } from 'ai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sqliteTable } from '../../../adapters/local/sqlite-table.ts';
import { modelGates } from '../../../engines/models/model-gates.ts';
import { models } from '../../../engines/models/models.ts';
import { openAiCompatible } from '../../../engines/models/openai-compatible.ts';
import { afterAnswer, afterFailure, withProbe } from '../../../engines/models/outage.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { ids as makeIds } from '../../../shared/core/ids.ts';
import type { Table } from '../../../shared/ports.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { setClock } from '../../ports/clock.ts';
import { countReads } from '../../shared/tasks/counted-reads.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { authority } from '../outbound/certificates.ts';
import { byConnection } from './by-connection.ts';
import { OPENAI, says } from './scripted-provider.ts';
import { type Answering, json, type StubServer, stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ANSWER = OPENAI.stream(...says('In March.'));
const busy = (status: number, headers: Record<string, string> = {}) =>
  json({ error: { message: 'not now' } }, status, headers);

let server: StubServer;
let clock: ReturnType<typeof setClock>;
let table: ReturnType<typeof sqliteTable>;
let folder: ReturnType<typeof temporaryFolder>;
/** What the provider answers from now on. */
let answer: Answering;

beforeEach(async () => {
  answer = ANSWER;
  server = await stubServer((response, asked) => answer(response, asked));
  folder = temporaryFolder();
  clock = setClock();
  table = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids: makeIds(clock) });
});
afterEach(async () => {
  await server.close();
  table.close();
  folder.remove();
});

type Ask = (asked?: {
  organization?: string;
  hasWaited?: boolean;
  meter?: ReturnType<typeof createMeter>;
}) => Promise<string>;

/** A process of its own, which shares only the table with others. Returns what is answered, or what is waited for. */
function instance({ over = table as Table, address = `${server.address}/v1`, request = outbound() } = {}): Ask {
  const gates = modelGates({ table: over, clock, ids: makeIds(clock), chance: () => 0.5 });
  const provider = openAiCompatible({ baseUrl: address, key: 'k', request });
  const timing = { wait: async (ms: number) => clock.pass(ms), chance: () => 0.5 };
  const modelOf = models(byConnection({ openai: provider }), timing, { gates });
  return async ({ organization = 'o', hasWaited, meter = createMeter() } = {}) => {
    const work = { address: { organization, taskId: 't' }, meter, ...(hasWaited ? { hasWaited } : {}) };
    const model = await writtenBy(modelOf('openai/m', work));
    return generateText({ model, prompt: 'When is it due?', maxRetries: 0 }).then(
      ({ text }) => text,
      ({ wait, message }) => (wait ? `${wait.waitsFor} for ${(wait.until - clock.now()) / SECOND} s` : message),
    );
  };
}

it('costs no read and no write while the model answers', async () => {
  const { table: counted, read } = countReads(table);
  const ask = instance({ over: { ...counted, insert: () => Promise.reject(new Error('written')) } });
  expect(await ask()).toBe('In March.');
  expect(read()).toBe(0);
});

it('asks a throttled model from no instance that knows of it before the time of Retry-After, and then again', async () => {
  const [first, second] = [instance(), instance()];
  answer = busy(429, { 'retry-after': '40' });
  expect(await first()).toBe('openai/m: 429 for 47.5 s');
  expect(await second({ hasWaited: true })).toBe('openai/m: 429 for 47.5 s');
  clock.pass(39 * SECOND);
  expect(await first()).toMatch(/^openai\/m: 429/);
  expect(await second()).toMatch(/^openai\/m: 429/);
  expect(server.asked).toHaveLength(1);
  answer = ANSWER;
  clock.pass(SECOND);
  expect(await second()).toBe('In March.');
  expect(await first()).toBe('In March.');
});

it('respects a Retry-After that is a date', async () => {
  answer = busy(503, { 'retry-after': new Date(clock.now() + 20 * SECOND).toUTCString() });
  expect(await instance()()).toBe('openai/m: 503 for 27.5 s');
});

it('asks again after an hour, whatever the provider says', async () => {
  answer = busy(429, { 'retry-after': '86400' });
  const ask = instance();
  await ask();
  clock.pass(60 * MINUTE - 1);
  await ask();
  expect(server.asked).toHaveLength(1);
  clock.pass(1);
  answer = ANSWER;
  expect(await ask()).toBe('In March.');
});

it('learns of an outage by one call in each instance, without a longer wait for each', async () => {
  answer = busy(529, { 'retry-after': '10' });
  const asks = [instance(), instance(), instance()];
  for (const ask of asks) expect(await ask()).toBe('openai/m: 529 for 15 s');
  expect(server.asked).toHaveLength(3);
});

it('waits longer after each probe that fails, up to two minutes, and not longer after several at once', async () => {
  answer = busy(503);
  const ask = instance();
  await ask();
  const waits: number[] = [];
  for (let probe = 0; probe < 7; probe++) {
    const before = server.asked.length;
    clock.pass(10 * MINUTE);
    const tries = await Promise.all([ask({ organization: 'a' }), ask({ organization: 'b' })]);
    expect(server.asked.length - before).toBe(2);
    expect(tries[0]).toBe(tries[1]);
    waits.push(Number(/for (.*) s/.exec(String(tries[0]))?.[1]));
  }
  expect(waits).toEqual([15, 27.5, 47.5, 87.5, 127.5, 127.5, 127.5]);
});

it('lets a few calls in at first, half of them from one organization, and more with each answer', async () => {
  answer = busy(503, { 'retry-after': '5' });
  const ask = instance();
  await ask();
  clock.pass(5 * SECOND);
  const held: (() => void)[] = [];
  answer = (response, asked) => void held.push(() => ANSWER(response, asked));
  const many = (organization: string) => Array.from({ length: 10 }, () => ask({ organization }));
  const crowd = [...many('crowd'), ...many('other')];
  const refused = await settledOf(crowd, 18);
  expect(refused.every((each) => each === 'openai/m: 503 for 10 s')).toBe(true);
  expect(await ask({ organization: 'third' })).toBe('openai/m: 503 for 2 s');
  await expect.poll(() => held.length).toBe(2);
  for (const release of held.splice(0)) release();
  await Promise.all(crowd);
  const next = [...many('crowd'), ...many('other')];
  await settledOf(next, 16);
  await expect.poll(() => held.length).toBe(4);
  for (const release of held.splice(0)) release();
  expect((await Promise.all(next)).filter((each) => each === 'In March.')).toHaveLength(4);
});

/** The first outcomes, once there are so many. */
async function settledOf(asks: Promise<string>[], count: number): Promise<string[]> {
  const outcomes: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const ask of asks) {
    void ask.then((outcome) => {
      outcomes.push(outcome);
      if (outcomes.length === count) resolve();
    });
  }
  await promise;
  return outcomes;
}

it('forgets an outage when the model has answered often enough, and then costs nothing again', async () => {
  answer = busy(503, { 'retry-after': '5' });
  const { table: counted, read } = countReads(table);
  const ask = instance({ over: counted });
  await ask();
  answer = ANSWER;
  clock.pass(5 * SECOND);
  for (let call = 0; call < 40; call++) expect(await ask()).toBe('In March.');
  const before = read();
  await ask();
  expect(read()).toBe(before);
  expect(await table.get({ pk: 'PACE#openai/m', sk: 'OUTAGE' })).toBeUndefined();
});

it('takes the first token for an answer, so that others need not wait for the last one', async () => {
  answer = busy(503, { 'retry-after': '5' });
  const ask = instance();
  await ask();
  clock.pass(5 * SECOND);
  answer = OPENAI.stream({ text: 'It' }, { waitMs: 2_000 }, ...says(' is.'));
  const slow = ask();
  await expect
    .poll(async () => (await table.get<{ allowance: number }>({ pk: 'PACE#openai/m', sk: 'OUTAGE' }))?.value.allowance)
    .toBe(3);
  answer = ANSWER;
  expect(await ask()).toBe('In March.');
  expect(await slow).toBe('It is.');
});

it('gives the place of a probe that never ends to another one after a minute', async () => {
  answer = busy(503, { 'retry-after': '5' });
  const ask = instance();
  await ask();
  clock.pass(5 * SECOND);
  answer = () => undefined;
  const asked = server.asked.length;
  void ask();
  await expect.poll(() => server.asked.length).toBe(asked + 1);
  answer = ANSWER;
  expect(await ask()).toBe('openai/m: 503 for 10 s');
  clock.pass(MINUTE);
  expect(await ask()).toBe('In March.');
});

it('waits in its place for at most a minute where it would have to pay for answers again', async () => {
  const ask = instance();
  const meter = createMeter();
  expect(await ask({ meter })).toBe('In March.');
  const from = clock.now();
  server.answerNext(busy(429, { 'retry-after': '20' }));
  expect(await ask({ meter })).toBe('In March.');
  expect(clock.now() - from).toBe(27.5 * SECOND);
  server.answerNext(busy(429, { 'retry-after': '61' }));
  expect(await ask({ meter })).toMatch(/^openai\/m: 429 for/);
});

it.each([
  [
    'ENOTFOUND',
    'The model openai/m was not reached: its host was not found; ask the operator to look at the network and the URL, or name another model.',
  ],
  ['EAI_AGAIN', 'openai/m: host not found for 7.5 s'],
])('tells a host that does not exist from a name server that is away: %s', async (code, outcome) => {
  const resolve = () => Promise.reject(Object.assign(new Error('no such host'), { code }));
  expect(await instance({ address: 'http://models.example/v1', request: outbound({ resolve }) })()).toBe(outcome);
});

it('waits for no quota that is used up, and for no request that is larger than the limit of a minute', async () => {
  const refusal = (code: string, message: string) => json({ error: { code, message, type: 'tokens' } }, 429);
  answer = refusal('insufficient_quota', 'You exceeded your current quota.');
  expect(await instance()()).toMatch(/the quota of its key is used up \(status 429\); ask the operator to look at/);
  answer = refusal(
    'rate_limit_exceeded',
    'Request too large for m on tokens per min (TPM): Limit 30000, Requested 35000.',
  );
  expect(await instance()()).toMatch(/^The request is longer than the model openai\/m accepts/);
  expect(server.asked).toHaveLength(2);
});

it('waits for no server whose certificate is not trusted', async () => {
  const secure = createServer(authority('Stranger').issue({ for: ['127.0.0.1'] })).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const { port } = secure.address() as AddressInfo;
  expect(await instance({ address: `https://127.0.0.1:${port}/v1` })()).toMatch(
    /certificate of its server is not trusted/,
  );
  secure.close();
});

it('lets an attempt that has paid for answers in before others, once the model may be asked', async () => {
  const outage = afterFailure(undefined, { reason: '429', retryAfterMs: 0, now: 0, chance: 0 });
  const { until: now } = outage;
  const full = {
    ...outage,
    probes: { x: { organization: 'a', until: now + MINUTE }, y: { organization: 'b', until: now + MINUTE } },
  };
  const entering = { probe: 'z', organization: 'a', now };
  expect(withProbe(full, entering)).toBeUndefined();
  expect(withProbe(full, { ...entering, isPaid: true })?.probes).toHaveProperty('z');
  expect(withProbe(full, { ...entering, isPaid: true, now: now - 1 })).toBeUndefined();
});

it('begins a new outage at the failure that ends a quiet time', () => {
  const failure = { reason: '503', retryAfterMs: 0, now: 0, chance: 0 };
  const first = afterFailure(undefined, failure);
  const answered = afterAnswer(first, { probe: undefined, begunAt: first.until, now: first.until });
  expect(answered && afterFailure(answered, { ...failure, now: 60 * MINUTE }).since).toBe(60 * MINUTE);
});

it('says that there is no connection to a server that is not there', async () => {
  await server.close();
  expect(await instance()()).toMatch(/^openai\/m: no connection for/);
});
