/** An answer that has not the asked form is never used, whatever of it would fit. */
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { structuredAnswer } from '../../agents/runtime.ts';
import { scriptedModel } from './scripted-model.ts';

const schema = v.object({ queries: v.array(v.string()), note: v.optional(v.string()) });

async function answered(text: string, ending?: 'length' | 'content-filter') {
  const { model } = scriptedModel({ text, ...(ending ? { ending } : {}) });
  const { signal } = new AbortController();
  return structuredAnswer({ model, rules: 'Answer.', messages: ['What?'], schema, answerTokens: 100, signal });
}

it('is taken where it has the form', async () => {
  expect(await answered('{"queries":["port fees"],"more":1}')).toEqual({ queries: ['port fees'] });
});

it.each([
  '{}',
  '{"queries":[1,2]}',
  '{"queries":["a"],"note":7}',
  '{"queries":"a"}',
  '["a"]',
  'null',
  '7',
  'port fees',
  '{"queries":["a"',
  '',
])('is none where it is %s', async (text) => {
  expect(await answered(text)).toBeUndefined();
});

it.each(['length', 'content-filter'] as const)('is none where it was cut by %s', async (ending) => {
  expect(await answered('{"queries":["a"', ending)).toBeUndefined();
  expect(await answered('', ending)).toBeUndefined();
});
