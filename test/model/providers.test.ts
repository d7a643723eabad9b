import { generateText } from 'ai';
import { expect, it } from 'vitest';
import { bedrockModels } from '../../adapters/aws/model.ts';
import { MODEL_REQUEST } from '../../engines/models/call-limits.ts';
import { models } from '../../engines/models/models.ts';
import { openAiCompatible } from '../../engines/models/openai-compatible.ts';
import { asFetch } from '../../engines/outbound/clients.ts';
import { outbound } from '../../engines/outbound/request.ts';
import { operatorPolicy } from '../../engines/outbound/ssrf-policy.ts';
import { createMeter } from '../../shared/usage/usage.ts';
import { byConnection } from './by-connection.ts';
import { providerSuite } from './providers.ts';
import { BEDROCK, calls, OPENAI, says, wholeOpenAi } from './scripted-provider.ts';
import { stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

/** The content of a request's first message from the user. */
const contentOf = (body: Record<string, unknown>) => {
  const messages = body.messages as { role: string; content: unknown }[];
  return messages.find(({ role }) => role === 'user')?.content as Record<string, unknown>[];
};

type ImageUrl = { image_url?: { url: string } };
type ImageBlock = { image?: { format: string; source: { bytes: string } } };

providerSuite({
  name: 'an address that speaks the protocol of OpenAI',
  model: (address) =>
    openAiCompatible({ baseUrl: `${address}/v1`, key: async () => 'key', request: outbound() })('llama'),
  says: (text) => OPENAI.stream(...says(text)),
  calls: (name, input) => OPENAI.stream(...calls(name, input)),
  pictures: (body) =>
    (contentOf(body) as ImageUrl[]).flatMap(({ image_url }) => {
      const [, type = '', base64 = ''] = /^data:image\/(\w+);base64,(.*)$/.exec(image_url?.url ?? '') ?? [];
      return image_url ? [{ type, base64 }] : [];
    }),
});

it.each([
  // These two reason, which uses additional tokens.
  ['gpt-5-mini', 'max_completion_tokens', 16_009],
  ['o4-mini', 'max_completion_tokens', 16_009],
  ['gpt-4o', 'max_tokens', 9],
  ['llama3.2', 'max_tokens', 9],
])('limits an answer of %s by %s, the field that the provider knows', async (name, limit, cap) => {
  const server = await stubServer(wholeOpenAi({ content: 'Yes.' }, 'stop'));
  const provider = openAiCompatible({ baseUrl: `${server.address}/v1`, key: async () => 'key', request: outbound() });
  const work = { address: { organization: 'tests', taskId: 't' }, meter: createMeter() };
  const model = await writtenBy(
    models(byConnection({ openai: provider }), { wait: async () => undefined, chance: () => 0 })(
      `openai/${name}`,
      work,
    ),
  );
  await generateText({ model, prompt: 'Is it due?', maxOutputTokens: 9 });
  await server.close();
  const limits = Object.entries(server.asked[0]?.body ?? {}).filter(([field]) => field.startsWith('max_'));
  expect(limits).toEqual([[limit, cap]]);
});

const request = outbound();

const bedrockAt = (address: string) =>
  bedrockModels({
    region: async () => 'eu-central-1',
    credentials: async () => ({ accessKeyId: 'id', secretAccessKey: 'key' }),
    fetchTo: (origin) => asFetch({ request, policy: operatorPolicy({ origins: [origin] }), ...MODEL_REQUEST }),
    address,
  });

providerSuite({
  name: 'Bedrock, by its ConverseStream',
  model: (address) => bedrockAt(address)('eu.amazon.nova-lite-v1:0'),
  says: (text) => BEDROCK.stream(...says(text)),
  calls: (name, input) => BEDROCK.stream(...calls(name, input)),
  pictures: (body) =>
    (contentOf(body) as ImageBlock[]).flatMap(({ image }) =>
      image ? [{ type: image.format, base64: image.source.bytes }] : [],
    ),
});

it.each([
  ['us-east-1', { fips: false, dualStack: false }, 'https://bedrock-runtime.us-east-1.amazonaws.com'],
  ['us-east-1', { fips: true, dualStack: false }, 'https://bedrock-runtime-fips.us-east-1.amazonaws.com'],
  ['cn-north-1', { fips: false, dualStack: false }, 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn'],
  ['eusc-de-east-1', { fips: false, dualStack: false }, 'https://bedrock-runtime.eusc-de-east-1.amazonaws.eu'],
])('sends requests for Bedrock in %s (%o) to %s', async (region, variant, origin) => {
  const origins: string[] = [];
  const fetchTo = (wanted: string) => {
    origins.push(wanted);
    return () => Promise.reject(new Error('not asked'));
  };
  const credentials = async () => ({ accessKeyId: 'id', secretAccessKey: 'key' });
  await bedrockModels({ region: async () => region, credentials, variant: () => variant, fetchTo })('m');
  expect(origins).toEqual([origin]);
});

it.each([
  ['global.anthropic.claude-sonnet-4-5-20250929-v1:0', 8_000, 24_000],
  ['anthropic.claude-3-7-sonnet-20250219-v1:0', 100, 16_100],
  ['us.anthropic.claude-opus-4-20250514-v1:0', 100, 16_100],
])('limits the answer and the reasoning of %s together, as a budget reserves them', async (name, answer, limit) => {
  const server = await stubServer(BEDROCK.stream(...says('Yes.')));
  const bedrock = bedrockAt(server.address);
  const reserved: number[] = [];
  const meter = createMeter(async ({ outputTokens }) => {
    reserved.push(outputTokens);
    return async () => undefined;
  });
  const work = { address: { organization: 'tests', taskId: 't' }, meter };
  const modelOf = models(byConnection({ bedrock }), { wait: async () => undefined, chance: () => 0 });
  for (const effort of ['minimal', 'low', 'medium', 'high'] as const) {
    const model = await writtenBy(modelOf(`bedrock/${name}`, work, effort));
    await generateText({ model, prompt: 'Is it due?', maxOutputTokens: answer });
  }
  await server.close();
  type Body = {
    inferenceConfig: { maxTokens: number };
    additionalModelRequestFields: { thinking: { budget_tokens: number } };
  };
  const bodies = server.asked.map(({ body }) => body as Body);
  expect(reserved).toEqual([limit, limit, limit, limit]);
  expect(bodies.map(({ inferenceConfig }) => inferenceConfig.maxTokens)).toEqual(reserved);
  const thinking = bodies.map(
    ({ additionalModelRequestFields }) => additionalModelRequestFields.thinking.budget_tokens,
  );
  expect(thinking).toEqual(thinking.toSorted((a, b) => a - b));
  expect(new Set(thinking).size).toBe(4);
  expect(thinking[0]).toBeGreaterThanOrEqual(1_024);
  expect(limit - (thinking[3] ?? 0)).toBeGreaterThan(answer);
});

it('leaves a newer Claude on Bedrock its effort of reasoning, within the limit of its answer', async () => {
  const server = await stubServer(BEDROCK.stream(...says('Yes.')));
  const bedrock = bedrockAt(server.address);
  const work = { address: { organization: 'tests', taskId: 't' }, meter: createMeter() };
  const modelOf = models(byConnection({ bedrock }), { wait: async () => undefined, chance: () => 0 });
  const model = await writtenBy(modelOf('bedrock/eu.anthropic.claude-opus-4-6-v1', work, 'high'));
  await generateText({ model, prompt: 'Is it due?', maxOutputTokens: 100 });
  await server.close();
  expect(server.asked[0]?.body).toMatchObject({
    inferenceConfig: { maxTokens: 16_100 },
    additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
  });
});
