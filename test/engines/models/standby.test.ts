/** A second model answers while the first one is away for long, and for nothing else. */
import { join } from 'node:path';
import { generateText } from 'ai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sqliteTable } from '../../../adapters/local/sqlite-table.ts';
import { modelGates } from '../../../engines/models/model-gates.ts';
import { models } from '../../../engines/models/models.ts';
import { openAiCompatible } from '../../../engines/models/openai-compatible.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { ids as makeIds } from '../../../shared/core/ids.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { setClock } from '../../ports/clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { byConnection } from './by-connection.ts';
import { OPENAI, says } from './scripted-provider.ts';
import { type Answering, json, type StubServer, stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

const MINUTE = 60_000;
const AWAY = json({ error: { message: 'overloaded' } }, 503);
const NOTE = 'The model first/m was away; second/m answered in its place.';

let first: StubServer;
let second: StubServer;
/** What each of them answers from now on. */
let answers: { first: Answering; second: Answering };
let clock: ReturnType<typeof setClock>;
let table: ReturnType<typeof sqliteTable>;
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(async () => {
  answers = { first: AWAY, second: OPENAI.stream(...says('The second says March.')) };
  first = await stubServer((...request) => answers.first(...request));
  second = await stubServer((...request) => answers.second(...request));
  folder = temporaryFolder();
  clock = setClock();
  table = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids: makeIds(clock) });
});
afterEach(async () => {
  await Promise.all([first.close(), second.close()]);
  table.close();
  folder.remove();
});

function instance() {
  const providerAt = ({ address }: StubServer) =>
    openAiCompatible({ baseUrl: `${address}/v1`, key: 'k', request: outbound() });
  const modelOf = models(
    byConnection({ first: providerAt(first), second: providerAt(second) }),
    { wait: async () => undefined, chance: () => 0.5 },
    { gates: modelGates({ table, clock, ids: makeIds(clock), chance: () => 0.5 }) },
  );
  return async ({ isOn = true } = {}) => {
    const notes: string[] = [];
    const meter = createMeter();
    const standby = { model: 'second/m', note: (text: string) => void notes.push(text) };
    const work = { address: { organization: 'o', taskId: 't' }, meter, ...(isOn ? { standby } : {}) };
    const model = await writtenBy(modelOf('first/m', work));
    const outcome = await generateText({ model, prompt: 'When is it due?', maxRetries: 0 }).then(
      ({ text }) => text,
      ({ wait, message }) => wait?.waitsFor ?? message,
    );
    return { outcome, notes, model: meter.total()?.model };
  };
}

it('answers once the first one has been away for five minutes, and says so', async () => {
  const ask = instance();
  await ask();
  clock.pass(5 * MINUTE - 1);
  expect(await ask()).toMatchObject({ outcome: 'first/m: 503', notes: [] });
  clock.pass(1);
  expect(await ask()).toEqual({ outcome: 'The second says March.', notes: [NOTE], model: 'second/m' });
});

it('is off by default', async () => {
  const ask = instance();
  await ask();
  clock.pass(10 * MINUTE);
  expect(await ask({ isOn: false })).toMatchObject({ outcome: 'first/m: 503', notes: [] });
  expect(second.asked).toHaveLength(0);
});

it('is not asked while the first one answers, nor for what lasts', async () => {
  const ask = instance();
  await ask();
  clock.pass(10 * MINUTE);
  answers.first = json({ error: { message: 'no such key' } }, 401);
  expect((await ask()).outcome).toMatch(/refused the key/);
  answers.first = OPENAI.stream(...says('The first says March.'));
  expect(await ask()).toEqual({ outcome: 'The first says March.', notes: [], model: 'first/m' });
  expect(second.asked).toHaveLength(0);
});

it('does not go on with an answer that the first one had begun', async () => {
  const ask = instance();
  await ask();
  clock.pass(10 * MINUTE);
  first.answerNext(OPENAI.stream({ text: 'It is' }, { end: 'reset' }));
  expect(await ask()).toMatchObject({ outcome: 'first/m: 503', notes: [] });
  expect(second.asked).toHaveLength(0);
});

it('leaves the task waiting for the first one if it fails itself', async () => {
  const ask = instance();
  await ask();
  clock.pass(10 * MINUTE);
  answers.second = json({ error: { message: 'no pictures here' } }, 400);
  expect(await ask()).toMatchObject({ outcome: 'first/m: 503', notes: [] });
});
