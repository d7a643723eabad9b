/** How calls are adapted to what is known of their model. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { models } from '../../../engines/models/models.ts';
import { openAiCompatible } from '../../../engines/models/openai-compatible.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
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
