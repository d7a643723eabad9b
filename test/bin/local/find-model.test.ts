/** Which model `npm start` finds for a new state, and what it says of it before the first task. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { localModelConnections } from '../../../adapters/local/model-connections.ts';
import { findModel } from '../../../bin/local/find-model.ts';
import { agents } from '../../../client/src/agents.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import type { Environment } from '../../../shared/core/environment.ts';
import { json, stubServer } from '../../engines/models/stub-server.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { startPrinting, state } from './own-product.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function ollamaWith(...models: { name: string; modified_at?: string; details?: object }[]): Promise<string> {
  const { address, close } = await stubServer(json({ models }));
  closing.push(close);
  return address;
}
const noOllama = async () => `127.0.0.1:${await freePort()}`;

const find = (env: Environment) => findModel(localModelConnections(env, { isExplicit: false }), outbound());
const KEYS = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' };

it('takes the newest model of Ollama that writes, before any key', async () => {
  const OLLAMA_HOST = await ollamaWith(
    { name: 'llama3.2:latest', modified_at: '2026-01-02T00:00:00Z' },
    { name: 'qwen3:8b', modified_at: '2026-03-01T00:00:00Z' },
    { name: 'nomic-embed-text:latest', modified_at: '2026-05-01T00:00:00Z', details: { family: 'nomic-bert' } },
  );
  expect(await find({ ...KEYS, OLLAMA_HOST })).toEqual({ id: 'ollama/qwen3:8b' });
});

it('says how to get a model if Ollama has none, and takes a key meanwhile', async () => {
  const OLLAMA_HOST = await ollamaWith();
  const hint = expect.stringContaining('ollama pull');
  expect(await find({ OLLAMA_HOST })).toEqual({ hint });
  expect(await find({ OLLAMA_HOST, OPENAI_API_KEY: 'o' })).toEqual({ hint, id: expect.stringMatching(/^openai\//) });
});

it('takes a key of Anthropic, then of OpenAI, then of Google, where no Ollama answers', async () => {
  const OLLAMA_HOST = await noOllama();
  const { ANTHROPIC_API_KEY: _a, ...others } = KEYS;
  expect((await find({ OLLAMA_HOST, ...KEYS })).id).toMatch(/^anthropic\//);
  expect((await find({ OLLAMA_HOST, ...others })).id).toMatch(/^openai\//);
  expect((await find({ OLLAMA_HOST, GEMINI_API_KEY: 'g' })).id).toMatch(/^google\//);
  expect(await find({ OLLAMA_HOST })).toEqual({});
});

it('takes another server at the port of Ollama for none', async () => {
  const { address, close } = await stubServer(json({ hello: 'world' }));
  closing.push(close);
  expect(await find({ OLLAMA_HOST: address })).toEqual({});
});

const organizationsIn = (): { models: string[]; username: string; password: string }[] =>
  JSON.parse(readFileSync(join(state, 'local.json'), 'utf8')).organizations;

it('makes it the default of a new state alone, and says what it costs and where files go', async () => {
  const ANTHROPIC_API_KEY = 'sk-ant-canary';
  const first = await startPrinting({ OLLAMA_HOST: await noOllama(), ANTHROPIC_API_KEY }, []);
  const [{ models = [], ...login } = { username: '', password: '' }] = organizationsIn();
  expect(models).toEqual([expect.stringMatching(/^anthropic\//), 'offline/extractive']);
  expect(first.printed).toMatch(
    /Model +anthropic\/\S+; .*\n +files that a task reads are sent to api\.anthropic\.com\n/,
  );
  const { agents: at } = JSON.parse(readFileSync(join(state, 'local.json'), 'utf8'));
  const { access_token: token } = await agents({ ...at, login }).login();
  const page = new URL('/console/models', /http:\/\/127\.0\.0\.1:\d+\//.exec(first.printed)?.[0]);
  const shown = await (await fetch(page, { headers: { authorization: `Bearer ${token}` } })).json();
  expect(shown).toEqual({
    models: [{ model: models[0], price: expect.any(String), sentTo: 'api.anthropic.com' }],
  });
  expect(await (await fetch(page)).json()).toEqual({ models: [] });
  await first.stop();
  const kept = await startPrinting({ OLLAMA_HOST: await ollamaWith({ name: 'llama3.2' }), ANTHROPIC_API_KEY }, []);
  expect(organizationsIn()[0]?.models).toEqual(models);
  await kept.stop();
  for (const printed of [first.printed, kept.printed]) expect(printed).not.toContain(ANTHROPIC_API_KEY);
});

it('changes nothing on an existing state, and prints the command that uses what was found', async () => {
  await (await startPrinting()).stop();
  const OLLAMA_HOST = await ollamaWith({ name: 'llama3.2' });
  const second = await startPrinting({ OLLAMA_HOST }, []);
  expect(organizationsIn()[0]?.models).toEqual(['offline/extractive']);
  expect(second.printed).toContain('No language model is configured: tasks show passages only.');
  expect(second.printed).toMatch(
    /use ollama\/llama3\.2: free: it runs on this machine;\n +files that a task reads stay/,
  );
  expect(second.printed).toContain('npx errand org models "Demo One" ollama/llama3.2 offline/extractive');
  await second.stop();
});

it.each([
  ['--no-model', {}, ['--no-model']],
  ['a server that was set', { ERRAND_OPENAI_ADDRESS: 'http://127.0.0.1:9/v1' }, []],
  ['models that were set', { ERRAND_MODELS: 'offline/extractive' }, []],
])('looks for nothing with %s', async (_what, env, words) => {
  const OLLAMA_HOST = await ollamaWith({ name: 'llama3.2' });
  const { stop } = await startPrinting({ OLLAMA_HOST, ...KEYS, ...env }, words);
  expect(organizationsIn()[0]?.models).toEqual(['offline/extractive']);
  await stop();
});
