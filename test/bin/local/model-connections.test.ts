/** What the environment of this machine connects. */
import { expect, it } from 'vitest';
import { localModelConnections } from '../../../adapters/local/model-connections.ts';
import type { Environment } from '../../../shared/core/environment.ts';

async function connectionsIn(env: Environment, isExplicit = false) {
  const connections = localModelConnections(env, { isExplicit });
  return Object.fromEntries(
    await Promise.all([...connections].map(async ([name, open]) => [name, await open()] as const)),
  );
}

const OLLAMA = { provider: 'openai-compatible', url: 'http://127.0.0.1:11434/v1' };

it('connects Ollama of this machine, and each provider whose usual variable holds a key', async () => {
  expect(await connectionsIn({})).toEqual({ ollama: OLLAMA });
  expect(await connectionsIn({ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' })).toEqual({
    ollama: OLLAMA,
    anthropic: { provider: 'anthropic', key: 'a' },
    openai: { provider: 'openai', key: 'o' },
    google: { provider: 'google', key: 'g' },
  });
});

it('connects Amazon Bedrock where the usual variables hold a region and credentials', async () => {
  const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  expect(await connectionsIn({ AWS_REGION: 'eu-central-1', ...credentials })).toEqual({
    ollama: OLLAMA,
    bedrock: { provider: 'bedrock' },
  });
  for (const env of [credentials, { AWS_REGION: 'eu-central-1' }])
    expect(await connectionsIn(env)).toEqual({ ollama: OLLAMA });
  expect(await connectionsIn({ AWS_REGION: 'eu-central-1', ...credentials }, true)).toEqual({});
});

it('sends nothing to a provider of which only the address is set', async () => {
  expect(await connectionsIn({ ANTHROPIC_BASE_URL: 'https://gateway.acme.org', OPENAI_API_KEY: '' })).toEqual({
    ollama: OLLAMA,
  });
});

it('takes the usual addresses, with the version that most people leave out', async () => {
  const keys = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' };
  const at = (url: string) => ({ ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: url, GOOGLE_GEMINI_BASE_URL: url });
  expect(await connectionsIn({ ...keys, ...at('https://gateway.acme.org/') })).toMatchObject({
    anthropic: { provider: 'anthropic', url: 'https://gateway.acme.org/v1' },
    openai: { provider: 'openai-compatible', url: 'https://gateway.acme.org/v1' },
    google: { provider: 'google', url: 'https://gateway.acme.org/v1beta' },
  });
  expect(await connectionsIn({ ...keys, ...at('https://gateway.acme.org/llm/v2/') })).toMatchObject({
    anthropic: { url: 'https://gateway.acme.org/llm/v2' },
    openai: { url: 'https://gateway.acme.org/llm/v2' },
  });
});

it.each([
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  ['0.0.0.0:9000', 'http://127.0.0.1:9000/v1'],
  [':9000', 'http://127.0.0.1:9000/v1'],
  ['gpu.lan', 'http://gpu.lan:11434/v1'],
  ['https://gpu.lan:8443', 'https://gpu.lan:8443/v1'],
])('reads OLLAMA_HOST %s as Ollama does', async (host, url) => {
  expect(await connectionsIn({ OLLAMA_HOST: host })).toMatchObject({ ollama: { url } });
});

it.each([
  [{ OLLAMA_HOST: 'a b' }, /^OLLAMA_HOST is "a b": give a host and port/],
  [{ OPENAI_BASE_URL: 'gateway' }, /^OPENAI_BASE_URL is "gateway": give the base URL/],
])('refuses %j in one line', async (env, message) => {
  await expect(connectionsIn(env)).rejects.toMatchObject({
    code: 'badSetting',
    message: expect.stringMatching(message),
  });
});

it('prefers the address that is set for Errand to the key of OpenAI, and without a search takes it alone', async () => {
  const env = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a', ERRAND_OPENAI_ADDRESS: 'http://10.0.0.7:8000/v1' };
  const openai = { provider: 'openai-compatible', url: 'http://10.0.0.7:8000/v1' };
  expect(await connectionsIn(env)).toMatchObject({ openai, anthropic: { key: 'a' } });
  expect(await connectionsIn({ ...env, ERRAND_OPENAI_KEY: 'k' }, true)).toEqual({ openai: { ...openai, key: 'k' } });
});
