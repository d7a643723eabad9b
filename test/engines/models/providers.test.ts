import { generateText } from 'ai';
import { expect, it } from 'vitest';
import { bedrockModels } from '../../../adapters/aws/model.ts';
import { models } from '../../../engines/models/models.ts';
import { openAiCompatible } from '../../../engines/models/openai-compatible.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { ANTHROPIC } from './anthropic-wire.ts';
import { byConnection } from './by-connection.ts';
import { throughConnection } from './connected.ts';
import { GOOGLE } from './google-wire.ts';
import { providerSuite } from './providers.ts';
import { AZURE, RESPONSES } from './responses-wire.ts';
import { BEDROCK, OPENAI, says, wholeOpenAi } from './scripted-provider.ts';
import { stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

const timing = { wait: async () => undefined, chance: () => 0 };

type Block = Record<string, unknown>;

/** The content of a request's first message from the user. */
const contentOf = (messages: unknown): Block[] =>
  ((messages as { role: string; content: unknown }[]).find(({ role }) => role === 'user')?.content ?? []) as Block[];

const pictureIn = (url: unknown) => {
  const [, type = '', base64 = ''] = /^data:image\/(\w+);base64,(.*)$/.exec(String(url)) ?? [];
  return { type, base64 };
};
const typeIn = (mediaType: string) => mediaType.replace('image/', '');

type ImageUrl = { image_url?: { url: string } };
providerSuite(OPENAI, ({ messages }) =>
  (contentOf(messages) as ImageUrl[]).flatMap(({ image_url }) => (image_url ? [pictureIn(image_url.url)] : [])),
);

type InputImage = { image_url?: string };
for (const wire of [RESPONSES, AZURE]) {
  providerSuite(wire, ({ input }) =>
    (contentOf(input) as InputImage[]).flatMap(({ image_url }) => (image_url ? [pictureIn(image_url)] : [])),
  );
}

type SourceBlock = { type: string; source: { media_type: string; data: string } };
providerSuite(ANTHROPIC, ({ messages }) =>
  (contentOf(messages) as SourceBlock[]).flatMap(({ type, source }) =>
    type === 'image' ? [{ type: typeIn(source.media_type), base64: source.data }] : [],
  ),
);

type InlineData = { inlineData?: { mimeType: string; data: string } };
providerSuite(GOOGLE, ({ contents }) =>
  ((contents as { parts: InlineData[] }[])[0]?.parts ?? []).flatMap(({ inlineData }) =>
    inlineData ? [{ type: typeIn(inlineData.mimeType), base64: inlineData.data }] : [],
  ),
);

type ImageBlock = { image?: { format: string; source: { bytes: string } } };
providerSuite(BEDROCK, ({ messages }) =>
  (contentOf(messages) as ImageBlock[]).flatMap(({ image }) =>
    image ? [{ type: image.format, base64: image.source.bytes }] : [],
  ),
);

it.each([
  // These two reason, which uses additional tokens.
  ['gpt-5-mini', 'max_completion_tokens', 16_009],
  ['o4-mini', 'max_completion_tokens', 16_009],
  ['gpt-4o', 'max_tokens', 9],
  ['llama3.2', 'max_tokens', 9],
])('limits an answer of %s by %s, the field that the provider knows', async (name, limit, cap) => {
  const server = await stubServer(wholeOpenAi({ content: 'Yes.' }, 'stop'));
  const provider = openAiCompatible({ baseUrl: `${server.address}/v1`, key: 'key', request: outbound() });
  const work = { address: { organization: 'tests', taskId: 't' }, meter: createMeter() };
  const model = await writtenBy(models(byConnection({ openai: provider }), timing)(`openai/${name}`, work));
  await generateText({ model, prompt: 'Is it due?', maxOutputTokens: 9 });
  await server.close();
  const limits = Object.entries(server.asked[0]?.body ?? {}).filter(([field]) => field.startsWith('max_'));
  expect(limits).toEqual([[limit, cap]]);
});

it.each([
  ['us-east-1', {}, 'https://bedrock-runtime.us-east-1.amazonaws.com'],
  ['us-east-1', { useFipsEndpoint: true }, 'https://bedrock-runtime-fips.us-east-1.amazonaws.com'],
  ['cn-north-1', {}, 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn'],
  ['eusc-de-east-1', {}, 'https://bedrock-runtime.eusc-de-east-1.amazonaws.eu'],
])('sends requests for Bedrock in %s (%o) to %s', async (region, variant, origin) => {
  const origins: string[] = [];
  const fetchTo = (wanted: string) => {
    origins.push(wanted);
    return () => Promise.reject(new Error('not asked'));
  };
  const credentials = async () => ({ accessKeyId: 'id', secretAccessKey: 'key' });
  await bedrockModels({ region: async () => region, credentials, ...variant, fetchTo })('m');
  expect(origins).toEqual([origin]);
});

it.each([
  ['global.anthropic.claude-sonnet-4-5-20250929-v1:0', 8_000, 24_000],
  ['anthropic.claude-opus-4-1-20250805-v1:0', 100, 16_100],
  ['us.anthropic.claude-opus-4-20250514-v1:0', 100, 16_100],
])('limits the answer and the reasoning of %s together, as a budget reserves them', async (name, answer, limit) => {
  const server = await stubServer(BEDROCK.stream(...says('Yes.')));
  const reserved: number[] = [];
  const meter = createMeter(async ({ outputTokens }) => {
    reserved.push(outputTokens);
    return async () => undefined;
  });
  const work = { address: { organization: 'tests', taskId: 't' }, meter };
  const modelOf = models(throughConnection(BEDROCK.connection(server.address, 'k')), timing);
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
  const work = { address: { organization: 'tests', taskId: 't' }, meter: createMeter() };
  const modelOf = models(throughConnection(BEDROCK.connection(server.address, 'k')), timing);
  const model = await writtenBy(modelOf('bedrock/eu.anthropic.claude-opus-4-6-v1', work, 'high'));
  await generateText({ model, prompt: 'Is it due?', maxOutputTokens: 100 });
  await server.close();
  expect(server.asked[0]?.body).toMatchObject({
    inferenceConfig: { maxTokens: 16_100 },
    additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
  });
});
