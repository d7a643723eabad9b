import { generateText } from 'ai';
import { expect, it } from 'vitest';
import { bedrockModels } from '../../adapters/aws/model.ts';
import { MODEL_REQUEST } from '../../engines/models/call-limits.ts';
import { models, openAiCompatible } from '../../engines/models/models.ts';
import { asFetch } from '../../engines/outbound/clients.ts';
import { outbound } from '../../engines/outbound/request.ts';
import { operatorPolicy } from '../../engines/outbound/ssrf-policy.ts';
import { createMeter } from '../../shared/usage/usage.ts';
import { providerSuite } from './providers.ts';
import { BEDROCK, calls, OPENAI, says, wholeOpenAi } from './scripted-provider.ts';
import { stubServer } from './stub-server.ts';

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
  const model = await models({ openai: provider }, { wait: async () => undefined, chance: () => 0 })(
    `openai/${name}`,
    work,
  );
  await generateText({ model, prompt: 'Is it due?', maxOutputTokens: 9 });
  await server.close();
  const limits = Object.entries(server.asked[0]?.body ?? {}).filter(([field]) => field.startsWith('max_'));
  expect(limits).toEqual([[limit, cap]]);
});

const request = outbound();

providerSuite({
  name: 'Bedrock, by its ConverseStream',
  model: (address) =>
    bedrockModels({
      region: async () => 'eu-central-1',
      credentials: async () => ({ accessKeyId: 'id', secretAccessKey: 'key' }),
      fetchTo: (origin) => asFetch({ request, policy: operatorPolicy({ origins: [origin] }), ...MODEL_REQUEST }),
      address,
    })('eu.amazon.nova-lite-v1:0'),
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
