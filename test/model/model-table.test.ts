/** The table of models, and how calls are adapted to them. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { priceCheck, profileOf } from '../../engines/models/model-table.ts';
import { models } from '../../engines/models/models.ts';
import { openAiCompatible } from '../../engines/models/openai-compatible.ts';
import { outbound } from '../../engines/outbound/request.ts';
import { createMeter } from '../../shared/usage/usage.ts';
import { byConnection } from './by-connection.ts';
import { calls, OPENAI, says } from './scripted-provider.ts';
import { type Answering, type Asked, json, stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const;
const HELLO: LanguageModelV4CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] };
const FORM: LanguageModelV4CallOptions = { ...HELLO, responseFormat: { type: 'json', schema: SCHEMA } };
const refuses = (message: string, status = 400) => json({ error: { message } }, status);

/** Answers a request by its content; two calls in a row show what is remembered. */
async function open(answer: (body: Record<string, unknown>) => Answering, id = 'openai/m', effort?: 'low') {
  const server = await stubServer((response, asked: Asked) => answer(asked.body)(response, asked));
  close = server.close;
  const provider = openAiCompatible({ baseUrl: `${server.address}/v1`, key: 'k', request: outbound() });
  const timing = { wait: async () => undefined, chance: () => 0 };
  const meter = createMeter();
  const work = { address: { organization: 'o', taskId: 't' }, meter };
  const model = await writtenBy(models(byConnection({ openai: provider }), timing)(id, work, effort));
  const ask = async (options: LanguageModelV4CallOptions) => {
    const { content, finishReason } = await model.doGenerate(options);
    return { text: content.map((part) => ('text' in part ? part.text : part.type)).join(), ends: finishReason.unified };
  };
  return { ask, meter, bodies: () => server.asked.map(({ body }) => body) };
}

const hasFormat = ({ response_format: format }: Record<string, unknown>) => format !== undefined;
const hasTools = ({ tools }: Record<string, unknown>) => tools !== undefined;

describe('a structured answer', () => {
  it('is constrained by a schema at the provider', async () => {
    const { ask, bodies } = await open(() => OPENAI.stream(...says('{"a":1}')));
    expect(await ask(FORM)).toEqual({ text: '{"a":1}', ends: 'stop' });
    expect(bodies()[0]).toMatchObject({ response_format: { type: 'json_schema', json_schema: { strict: true } } });
  });

  it('is constrained by a tool when the provider rejects a schema, and no schema is sent again', async () => {
    const { ask, bodies, meter } = await open((body) =>
      hasFormat(body) ? refuses('Unknown response_format.') : OPENAI.stream(...calls('answer', { a: 1 })),
    );
    expect(await ask(FORM)).toEqual({ text: '{"a":1}', ends: 'stop' });
    expect(await ask(FORM)).toEqual({ text: '{"a":1}', ends: 'stop' });
    expect(bodies().map(hasFormat)).toEqual([true, false, false]);
    expect(bodies()[1]).toMatchObject({
      tools: [{ function: { name: 'answer', parameters: SCHEMA } }],
      tool_choice: { type: 'function', function: { name: 'answer' } },
    });
    expect(meter.total()).toMatchObject({ inputTokens: 24, outputTokens: 10 });
  });

  it('is described in the prompt when the provider rejects tools, too', async () => {
    const { ask, bodies } = await open((body) =>
      hasFormat(body) || hasTools(body) ? refuses('Unsupported.', 422) : OPENAI.stream(...says('{"a":1}')),
    );
    expect(await ask(FORM)).toEqual({ text: '{"a":1}', ends: 'stop' });
    expect(bodies().map((body) => [hasFormat(body), hasTools(body)])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
    expect(JSON.stringify(bodies()[2])).toContain('JSON Schema');
    await ask(FORM);
    expect(bodies()).toHaveLength(4);
  });

  it('is not requested in another way when the request is rejected for its length', async () => {
    const { ask, bodies } = await open(() => OPENAI.tooLong);
    await expect(ask(FORM)).rejects.toMatchObject({ code: expect.any(String) });
    expect(bodies()).toHaveLength(1);
  });

  it('does not depend on a rejection with another reason', async () => {
    let isBroken = true;
    const { ask, bodies } = await open(() =>
      isBroken ? refuses('The model is broken.') : OPENAI.stream(...says('{}')),
    );
    await expect(ask(FORM)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(bodies()).toHaveLength(3);
    isBroken = false;
    await ask(FORM);
    expect(hasFormat(bodies()[3] ?? {})).toBe(true);
  });
});

it('omits the reasoning effort after a rejection, and remembers it', async () => {
  const hasEffort = ({ reasoning_effort: effort }: Record<string, unknown>) => effort !== undefined;
  const { ask, bodies } = await open((body) =>
    hasEffort(body) ? refuses('Unsupported parameter: reasoning_effort.') : OPENAI.stream(...says('{"a":1}')),
  );
  await ask({ ...FORM, reasoning: 'high' });
  await ask({ ...FORM, reasoning: 'high' });
  expect(bodies().map(hasEffort)).toEqual([true, false, false]);
  // The provider refused something else than the schema.
  expect(bodies().map(hasFormat)).toEqual([true, true, true]);
});

it('omits the temperature after a rejection, and remembers it', async () => {
  const { ask, bodies } = await open(({ temperature }) =>
    temperature === undefined ? OPENAI.stream(...says('{"a":1}')) : refuses("Unsupported value: 'temperature' is 0."),
  );
  await ask({ ...FORM, temperature: 0 });
  await ask({ ...FORM, temperature: 0 });
  expect(bodies().map(({ temperature }) => temperature)).toEqual([0, undefined, undefined]);
  expect(bodies().map(hasFormat)).toEqual([true, true, true]);
});

it('sends no temperature to a model that reasons', async () => {
  const { ask, bodies } = await open(() => OPENAI.stream(...says('{"a":1}')), 'openai/gpt-5-mini');
  await ask({ ...FORM, temperature: 0 });
  expect(bodies().map(({ temperature }) => temperature)).toEqual([undefined]);
});

it('sends the requested reasoning effort with each call of a task', async () => {
  const { ask, bodies } = await open(() => OPENAI.stream(...says('Yes.')), 'openai/gpt-5-mini', 'low');
  await ask(HELLO);
  await ask(FORM);
  expect(bodies().map(({ reasoning_effort: effort }) => effort)).toEqual(['low', 'low']);
});

it.each([
  ['openai/gpt-5-mini', 1_000, 17_000],
  ['openai/gpt-4o', 1_000, 1_000],
  ['openai/gpt-4-turbo', 8_000, 4_096],
  ['openai/unknown', 9_000, 8_000],
  ['openai/gpt-oss:20b', 8_000, 16_000],
])('limits an answer of %s to %i tokens plus those for reasoning', async (id, maxOutputTokens, cap) => {
  const { ask, bodies } = await open(() => OPENAI.stream(...says('Yes.')), id);
  await ask({ ...HELLO, maxOutputTokens });
  const { max_tokens: old, max_completion_tokens: renamed } = bodies()[0] ?? {};
  expect(renamed ?? old).toBe(cap);
});

it('recognizes a model by its name, also after a region or a vendor', () => {
  const sonnet = profileOf('bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0');
  expect(sonnet).toMatchObject({
    context: 200_000,
    vision: true,
    reasoning: true,
    price: { input: 3, output: 15, asOf: '2025-10' },
  });
  expect(profileOf('bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0')).toEqual(sonnet);
  expect(profileOf('openai/vendor/GPT-4o')).toEqual(profileOf('openai/gpt-4o'));
});

it('reads a price from its table or from the operator, and has none for a model with other facts only', () => {
  const hasPrice = priceCheck({
    'openai/ours': { price: { input: 0, output: 0, asOf: '2026-11' } },
    'openai/theirs': { context: 64_000 },
  });
  const known = ['offline/extractive', 'openai/gpt-4o', 'bedrock/eu.amazon.nova-pro-v1:0', 'openai/ours'];
  const unknown = ['openai/theirs', 'openai/gpt-5-chat-latest', 'bedrock/meta.llama3-1-8b-instruct-v1:0', 'other/x'];
  expect([...known, ...unknown].filter(hasPrice)).toEqual(known);
});

it('uses small limits for an unknown model, and the facts from the operator', () => {
  const cautious = { context: 32_000, output: 8_000, vision: false, reasoning: false, schema: 'strict' };
  expect(profileOf('openai/ours')).toEqual(cautious);
  expect(profileOf('other/gpt-4o')).toEqual(cautious);
  const own = {
    'openai/ours': { context: 64_000 },
    'openai/gpt-4o': { price: { input: 1, output: 2, asOf: '2026-11' } },
  };
  expect(profileOf('openai/ours', own)).toEqual({ ...cautious, context: 64_000 });
  expect(profileOf('openai/ours', { 'openai/ours': { reasoning: true } }).output).toBe(16_000);
  expect(profileOf('openai/ours', { 'openai/ours': { reasoning: true, output: 9_000 } }).output).toBe(9_000);
  expect(profileOf('openai/gpt-4o', own)).toMatchObject({
    context: 128_000,
    price: { input: 1, output: 2, asOf: '2026-11' },
  });
});
