/** An answer in the form of a schema: read wherever it stands in the text, asked for once more, and never used in part. */
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { structuredAnswer } from '../../agents/structured-answer.ts';
import { expectWithin } from '../support/expect-time.ts';
import { scriptedModel } from './scripted-model.ts';

const schema = v.object({ queries: v.array(v.string()), note: v.optional(v.string()) });
const VALUE = { queries: ['port fees'] };
const NONE = 'I cannot.';

type Ending = 'length' | 'content-filter' | 'error' | 'other';

async function ask(...texts: (string | { text: string; ending: Ending })[]) {
  const script = scriptedModel(...texts.map((one) => (typeof one === 'string' ? { text: one } : one)));
  let answers = 0;
  const value = await structuredAnswer({
    model: script.model,
    rules: 'Answer.',
    messages: ['What?'],
    schema,
    answerTokens: 100,
    signal: new AbortController().signal,
    onAnswer: () => void answers++,
  });
  return { value, answers, given: script.given };
}

it.each([
  ['alone', '{"queries":["port fees"],"more":1}'],
  ['in a fence', '```json\n{"queries":["port fees"]}\n```'],
  ['in a fence, with prose around it', 'Here it is [as asked]:\n```\n{"queries":["port fees"]}\n```\nAnything else?'],
  ['before prose with braces', '{"queries":["port fees"]}\n\nI used {one} query.'],
  ['behind an example of another form', 'Not {"query": 1}, but {"queries":["port fees"]}'],
  ['with a comma behind the last element', '{"queries":["port fees",],}'],
])('is read from the first answer where it stands %s', async (_where, text) => {
  const { value, answers, given } = await ask(text, NONE);
  expect(value).toEqual(VALUE);
  expect([answers, given.length]).toEqual([1, 1]);
});

it('keeps what looks like a slip within a string', async () => {
  expect((await ask('{"queries":["a,]","b, }",]}')).value).toEqual({ queries: ['a,]', 'b, }'] });
});

it.each([
  ['{}', /queries/],
  ['{"queries":[1,2]}', /queries\.0/],
  ['{"queries":["a"],"note":7}', /note/],
  ['{"queries":"a"}', /queries/],
  ['["a"]', /queries/],
  ['null', /the top/],
  ['7', /the top/],
  ['port fees', /no complete JSON/],
  ['{"queries":["a"', /no complete JSON/],
  ['{"queries":["a"],"more":{"queries":["b"]}', /no complete JSON/],
  ['', /no complete JSON/],
])('asks once more where it is %s, and says what is wrong', async (text, fault) => {
  const { value, answers, given } = await ask(text, '{"queries":["port fees"]}');
  expect(value).toEqual(VALUE);
  expect(answers).toBe(2);
  const last = given[1]?.prompt.at(-1);
  expect(last?.role).toBe('user');
  expect(JSON.stringify(last?.content)).toMatch(fault);
});

it('is none where the second answer is not usable, and is not asked for a third time', async () => {
  const { value, answers, given } = await ask(NONE, '{"queries":[1]}', '{"queries":["port fees"]}');
  expect(value).toBeUndefined();
  expect([answers, given.length]).toEqual([2, 2]);
});

it('is asked for once more where it was withheld', async () => {
  const { value, answers, given } = await ask({ text: '', ending: 'content-filter' }, '{"queries":["port fees"]}');
  expect(value).toEqual(VALUE);
  expect(answers).toBe(2);
  expect(JSON.stringify(given[1]?.prompt.at(-1)?.content)).toMatch(/withheld/);
});

it.each(['length', 'error'] as const)('is none where it was cut by %s', async (ending) => {
  for (const text of ['{"queries":["a"', '', '{"queries":["a"]}']) {
    const { value, answers } = await ask({ text, ending }, '{"queries":["port fees"]}');
    expect(value).toBeUndefined();
    expect(answers).toBe(1);
  }
});

it('is taken where the provider gives no known reason for its end', async () => {
  expect((await ask({ text: '{"queries":["port fees"]}', ending: 'other' })).value).toEqual(VALUE);
});

it('reads a hostile text in a short time', async () => {
  const started = process.cpuUsage();
  await ask('{['.repeat(500_000), '"{,'.repeat(500_000));
  expectWithin(process.cpuUsage(started).user / 1_000, 3_000);
});
