/** What a small call tells of a model, and in which words. */
import { afterEach, expect, it } from 'vitest';
import { modelFinder } from '../../../engines/models/connect.ts';
import { answers, probeModel } from '../../../engines/models/probe.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import type { ModelConnection } from '../../../shared/accounts/model-connections.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { openAiServer } from './openai-server.ts';
import { OPENAI, says, wholeOpenAi } from './scripted-provider.ts';
import { type Answering, json } from './stub-server.ts';

const KEY = 'sk-canary-77aa';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(options: Parameters<typeof openAiServer>[0] = {}) {
  const server = await openAiServer(options);
  closing.push(server.close);
  return server;
}

function probe(connection: Omit<ModelConnection, 'provider'>, id = 'openai/large') {
  const full: ModelConnection = { provider: 'openai-compatible', ...connection };
  const [name = '', model = ''] = id.split('/');
  return probeModel({
    id,
    connection: full,
    request: outbound(),
    async connect(request) {
      const loadProviders = () => import('../../../engines/models/providers.ts');
      const found = await modelFinder(async () => full, { request, loadProviders })({ connection: name, model }, '');
      return found?.model;
    },
  });
}

const linesOf = (checks: Awaited<ReturnType<typeof probe>>) =>
  Object.fromEntries(checks.map(({ check, state, detail }) => [check, `${state}: ${detail}`]));

it('says of a model that can do all that it can, with two calls', async () => {
  const server = await serve({ key: KEY, models: ['gpt-4.1'] });
  const checks = await probe({ url: server.url, key: KEY }, 'openai/gpt-4.1');
  expect(linesOf(checks)).toEqual({
    reached: `ok: ${server.address}`,
    key: 'ok: accepted',
    model: 'ok: openai/gpt-4.1',
    streams: 'ok: yes',
    tools: 'ok: called',
    'strict schema': 'ok: followed',
    images: 'ok: seen',
    price: expect.stringMatching(/^ok: \S+ US dollars in, \S+ US dollars out per million tokens/),
  });
  expect(answers(checks)).toBe(true);
  expect(server.asked).toHaveLength(2);
});

it('says what is less than it could be, and that the model answers all the same', async () => {
  const refused = json({ error: { message: 'not supported' } }, 400);
  const server = await serve({ models: ['gpt-4.1'], tools: refused, schema: refused, pictures: refused });
  const checks = await probe({ url: server.url }, 'openai/gpt-4.1');
  expect(linesOf(checks)).toMatchObject({
    key: 'ok: none is sent',
    tools: expect.stringMatching(/^look: refused/),
    'strict schema': expect.stringMatching(/^look: refused/),
    images: expect.stringMatching(/^look: refused/),
  });
  expect(answers(checks)).toBe(true);
});

it('tells a tool from words about it, an answer from its schema, and a picture from a guess', async () => {
  const words = OPENAI.stream(...says('I would call the tool report.'));
  const server = await serve({ models: ['gpt-4.1'], tools: words, schema: OPENAI.stream(...says('blue')) });
  expect(linesOf(await probe({ url: server.url }, 'openai/gpt-4.1'))).toMatchObject({
    tools: expect.stringMatching(/^look: .*in words/),
    'strict schema': expect.stringMatching(/^look: .*does not follow it/),
    images: expect.stringMatching(/^look: .*did not name the colour/),
  });
});

it('sees that an answer came in one piece', async () => {
  const whole = wholeOpenAi({ content: 'Yes.' }, 'stop', { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 });
  const server = await serve({ tools: whole });
  expect(linesOf(await probe({ url: server.url })).streams).toMatch(/^look: it answers in one piece/);
});

it('shows no picture to a model that is not listed as seeing, and says so', async () => {
  const server = await serve();
  expect(linesOf(await probe({ url: server.url })).images).toMatch(/^look: none is shown/);
  expect(JSON.stringify(server.asked)).not.toContain('image_url');
});

it('asks whether the server is running if nothing listens', async () => {
  const url = `http://127.0.0.1:${await freePort()}/v1`;
  const checks = await probe({ url });
  expect(linesOf(checks)).toEqual({
    reached: `wrong: ${new URL(url).origin}: nothing listens there: is the server running?`,
  });
  expect(answers(checks)).toBe(false);
});

it('says that a host has no address', async () => {
  expect(linesOf(await probe({ url: 'http://models.invalid/v1' })).reached).toMatch(
    /^wrong: .* the host has no address/,
  );
});

it.each([
  [KEY, /^wrong: status 401: the key is wrong/],
  [undefined, /^wrong: status 401: it needs a key; give --key-stdin/],
])('says what is wrong with the key %s, and does not show it', async (key, words) => {
  const server = await serve({ key: 'another' });
  const checks = await probe({ url: server.url, ...(key === undefined ? {} : { key }) });
  expect(linesOf(checks).key).toMatch(words);
  expect(JSON.stringify(checks)).not.toContain(KEY);
});

it('names the models that the server has if it does not have the one', async () => {
  const server = await serve({ models: ['llama3.2:3b', 'qwen3'] });
  expect(linesOf(await probe({ url: server.url }, 'openai/llama3.2:1b')).model).toBe(
    'wrong: there is no llama3.2:1b; it has llama3.2:3b, qwen3. Did you mean llama3.2:3b?',
  );
});

it('asks for the version of the address if the server has not even a list of models', async () => {
  const server = await serve();
  expect(linesOf(await probe({ url: `${server.address}/api` })).model).toMatch(
    /is the address right, with its version\?$/,
  );
});

it.each<[string, Answering, RegExp]>([
  ['a limit', json({ error: { message: 'slow down' } }, 429), /^wrong: .* 429: a limit or the credit/],
  ['an error', json({ error: { message: `upstream said ${KEY}` } }, 503), /^wrong: .* 503: upstream said \(key\)$/],
])('passes on what the provider says of %s, without the key', async (_what, answer, words) => {
  const server = await serve({ tools: answer });
  const checks = await probe({ url: server.url, key: KEY });
  expect(linesOf(checks).model).toMatch(words);
  expect(JSON.stringify(checks)).not.toContain(KEY);
});
