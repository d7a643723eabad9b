/** Each provider is used for what it is good at: how a call of ours asks for it, and what of its answer is kept. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { generateText, isStepCount, tool } from 'ai';
import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { models } from '../../../engines/models/models.ts';
import type { ReasoningEffort } from '../../../shared/tasks/details.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { ANTHROPIC } from './anthropic-wire.ts';
import { throughConnection } from './connected.ts';
import { GOOGLE } from './google-wire.ts';
import { AZURE, RESPONSES } from './responses-wire.ts';
import { BEDROCK, calls, OPENAI, type Piece, says, type Wire } from './scripted-provider.ts';
import { type Answering, json, stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

const KEY = 'sk-inner';
const timing = { wait: async () => undefined, chance: () => 0 };
const SCHEMA = {
  type: 'object',
  properties: { a: { type: 'number' } },
  required: ['a'],
  additionalProperties: false,
} as const;
const HELLO: LanguageModelV4CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] };
const FORM: LanguageModelV4CallOptions = { ...HELLO, responseFormat: { type: 'json', schema: SCHEMA }, temperature: 0 };

async function open(wire: Wire, name: string, answers: Answering[], effort?: ReasoningEffort) {
  const server = await stubServer(wire.stream(...says('Yes.')));
  close = server.close;
  server.answerNext(...answers);
  const meter = createMeter();
  const connection = wire.connection(server.address, KEY);
  const work = { address: { organization: 'o', taskId: 't' }, meter };
  const model = await writtenBy(
    models(throughConnection(connection), timing)(`${connection.provider}/${name}`, work, effort),
  );
  return { model, meter, asked: server.asked };
}

/** A model of each provider that reasons and sees. */
const ABLE: [Wire, string][] = [
  [RESPONSES, 'gpt-5-mini'],
  [AZURE, 'gpt-5-mini'],
  [ANTHROPIC, 'claude-sonnet-4-6'],
  [GOOGLE, 'gemini-2.5-pro'],
  [BEDROCK, 'global.anthropic.claude-sonnet-4-6'],
];
const EVERY: { wire: Wire; name: string; of: string }[] = ABLE.map(([wire, name]) => ({ wire, name, of: wire.name }));

describe.each(EVERY)('$of', ({ wire, name }) => {
  it('is asked for a form by a strict schema, and answers in it', async () => {
    const { model, asked } = await open(wire, name, [wire.stream(...says('{"a":1}'))]);
    const { content } = await model.doGenerate(FORM);
    expect(content).toEqual([expect.objectContaining({ type: 'text', text: '{"a":1}' })]);
    expect(asked).toHaveLength(1);
    expect(schemaIn(asked[0]?.body ?? {})).toMatchObject({ type: 'object', properties: { a: { type: 'number' } } });
    expect(JSON.stringify(asked[0]?.body)).not.toContain('temperature');
  });

  it('is asked for a form without a schema after it refused one, and takes no harm of the refusal', async () => {
    const { model, asked, meter } = await open(wire, name, [
      json({ error: { message: 'Invalid schema.' }, message: 'Invalid schema.' }, 400),
      wire.stream(...calls('answer', { a: 1 })),
    ]);
    const { content, finishReason } = await model.doGenerate(FORM);
    expect(content).toEqual([{ type: 'text', text: '{"a":1}' }]);
    expect(finishReason.unified).toBe('stop');
    expect(asked).toHaveLength(2);
    expect(meter.total()).toMatchObject({ inputTokens: 12, outputTokens: 5 });
  });

  it('reports what it read from its cache', async () => {
    const usage = { input: 1_000, output: 50, cached: 800, thinking: 30 };
    const answer: Piece[] = [{ text: 'Yes.' }, { finish: 'stop' }, { usage }];
    const { model, meter } = await open(wire, name, [wire.stream(...answer)]);
    await model.doGenerate(HELLO);
    // Bedrock does not say which part of its output is reasoning.
    const reasoningTokens = wire === BEDROCK ? 0 : 30;
    expect(meter.total()).toMatchObject({
      inputTokens: 1_000,
      cachedInputTokens: 800,
      outputTokens: 50,
      reasoningTokens,
    });
  });

  it('gets back what it needs of its own reasoning with the result of a tool', async () => {
    const { model, asked } = await open(wire, name, [
      wire.stream({ reasoning: 'Look first.' }, ...calls('look', { at: 2 })),
    ]);
    const inputSchema = toStandardJsonSchema(v.object({ at: v.number() }));
    const look = tool({ inputSchema, execute: async ({ at }) => `page ${at}` });
    await generateText({ model, prompt: 'Hello', tools: { look }, stopWhen: isStepCount(2), maxRetries: 0 });
    const sent = JSON.stringify(asked[1]?.body);
    expect(sent).toContain('page 2');
    if (wire !== BEDROCK) expect(sent).toMatch(/signature of|sealed Look first/);
  });

  it('never shows the key, in its URL or to the caller', async () => {
    const shown = json({ error: { message: `Wrong key ${KEY}.` }, message: `Wrong key ${KEY}.` }, 401);
    const { model, asked } = await open(wire, name, [shown]);
    const failure = model.doGenerate(HELLO);
    await expect(failure).rejects.toThrow(
      /^The model [\w./-]+ was not reached: its provider refused the key \(status 401\); ask/,
    );
    expect(asked[0]?.path).not.toContain(KEY);
  });
});

/** The schema of a request, where its protocol has it. The library of Bedrock takes a tool where a model's own way is unreliable. */
function schemaIn(body: Record<string, unknown>): unknown {
  const { text, output_config, generationConfig, toolConfig } = body as {
    text?: { format: { strict: boolean; schema: unknown } };
    output_config?: { format: { schema: unknown } };
    generationConfig?: { responseMimeType: string; responseJsonSchema: unknown };
    toolConfig?: { tools: { toolSpec: { inputSchema: { json: unknown } } }[] };
  };
  if (text) expect(text.format.strict).toBe(true);
  return (
    text?.format.schema ??
    output_config?.format.schema ??
    generationConfig?.responseJsonSchema ??
    toolConfig?.tools[0]?.toolSpec.inputSchema.json
  );
}

it.each([
  { wire: RESPONSES, name: 'gpt-5-mini', sent: { reasoning: { effort: 'low' } } },
  { wire: AZURE, name: 'our-deployment', sent: { reasoning: { effort: 'low' } } },
  {
    wire: ANTHROPIC,
    name: 'claude-opus-4-6',
    sent: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
  },
  { wire: ANTHROPIC, name: 'claude-sonnet-4-5', sent: { thinking: { type: 'enabled', budget_tokens: 2_415 } } },
  { wire: GOOGLE, name: 'gemini-2.5-pro', sent: { generationConfig: { thinkingConfig: {} } } },
  {
    wire: GOOGLE,
    name: 'gemini-3.1-pro-preview',
    sent: { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } },
  },
])('asks $name for a low effort of reasoning as $wire.name has it', async ({ wire, name, sent }) => {
  const { model, asked } = await open(wire, name, [], 'low');
  await model.doGenerate({ ...HELLO, maxOutputTokens: 100 });
  expect(asked).toHaveLength(1);
  expect(asked[0]?.body).toMatchObject(sent);
});

it.each(['minimal', 'low', 'medium', 'high'] as const)(
  'limits the answer and the reasoning of a Claude with a budget together, at %s effort',
  async (effort) => {
    const { model, asked } = await open(ANTHROPIC, 'claude-sonnet-4-5', [], effort);
    await model.doGenerate({ ...HELLO, maxOutputTokens: 100 });
    type Body = { max_tokens?: number; thinking?: { budget_tokens: number } };
    const { max_tokens, thinking }: Body = asked[0]?.body ?? {};
    expect(max_tokens).toBe(16_100);
    expect(thinking?.budget_tokens).toBeLessThan(16_000);
  },
);

it.each([RESPONSES, AZURE])('stores nothing at $name, and asks for no summary of the reasoning', async (wire) => {
  const { model, asked } = await open(wire, 'gpt-5-mini', [], 'low');
  await model.doGenerate(HELLO);
  expect(asked[0]?.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  expect(asked[0]?.body.reasoning).toEqual({ effort: 'low' });
});

it.each([
  { wire: RESPONSES, header: 'authorization', value: `Bearer ${KEY}` },
  { wire: AZURE, header: 'api-key', value: KEY },
  { wire: ANTHROPIC, header: 'x-api-key', value: KEY },
  { wire: GOOGLE, header: 'x-goog-api-key', value: KEY },
  { wire: OPENAI, header: 'authorization', value: `Bearer ${KEY}` },
])('sends the key to $wire.name in $header alone', async ({ wire, header, value }) => {
  const { model, asked } = await open(wire, 'm', []);
  await model.doGenerate(HELLO);
  const withKey = Object.entries(asked[0]?.headers ?? {}).filter(([, text]) => String(text).includes(KEY));
  expect(withKey).toEqual([[header, value]]);
});

it('reaches Bedrock with an API key in place of credentials', async () => {
  const server = await stubServer(BEDROCK.stream(...says('Yes.')));
  close = server.close;
  const find = throughConnection({ provider: 'bedrock', url: server.address, key: KEY });
  const work = { address: { organization: 'o', taskId: 't' }, meter: createMeter() };
  const model = await writtenBy(models(find, timing)('work/amazon.nova-lite-v1:0', work));
  await model.doGenerate(HELLO);
  expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
});

it.each([
  { provider: 'openai' },
  { provider: 'anthropic' },
  { provider: 'google' },
  { provider: 'azure', key: KEY },
  { provider: 'openai-compatible', key: KEY },
] as const)('does not know a model whose connection is incomplete: %o', async (connection) => {
  const found = await throughConnection(connection)({ connection: 'work', model: 'm' }, 'o');
  expect(found).toBeUndefined();
});

it.each(['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT'])(
  'takes %s of Google for an answer that was withheld',
  async (reason) => {
    const chunk = { candidates: [{ content: { parts: [] }, finishReason: reason, index: 0 }] };
    const withheld: Answering = (response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(chunk)}\n\n`);
    const { model, asked } = await open(GOOGLE, 'gemini-2.5-pro', [withheld]);
    const { finishReason } = await model.doGenerate(HELLO);
    expect(finishReason.unified).toBe('content-filter');
    expect(asked).toHaveLength(1);
  },
);

it('takes a prompt that Google blocks for an answer that was withheld', async () => {
  const blocked: Answering = (response) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })}\n\n`);
  const { model, asked } = await open(GOOGLE, 'gemini-2.5-pro', [blocked]);
  expect((await model.doGenerate(HELLO)).finishReason.unified).toBe('content-filter');
  expect(asked).toHaveLength(1);
});
