/** Every try of a call is counted: as reported by the provider, or by an estimate where the stream broke before. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { generateText } from 'ai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { models } from '../../../engines/models/models.ts';
import { openAiCompatible } from '../../../engines/models/openai-compatible.ts';
import type { OwnProfiles } from '../../../engines/models/profile.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { createMeter, type Meter } from '../../../shared/usage/meter.ts';
import { costUsd, NO_TOKENS } from '../../../shared/usage/tokens.ts';
import { byConnection } from '../../engines/models/by-connection.ts';
import {
  type Answering,
  AWAY,
  CUT,
  json,
  LASTING,
  OWN_FAULT,
  type StubServer,
  stubServer,
} from '../../engines/models/stub-server.ts';
import { writtenBy } from '../../engines/models/written-by.ts';

const USAGE = {
  prompt_tokens: 1_200,
  completion_tokens: 50,
  prompt_tokens_details: { cached_tokens: 1_000 },
  completion_tokens_details: { reasoning_tokens: 30 },
};
const REPORTED = {
  ...NO_TOKENS,
  inputTokens: 1_200,
  outputTokens: 50,
  cachedInputTokens: 1_000,
  reasoningTokens: 30,
};

const says = (more: object = { usage: USAGE }): Answering =>
  json({
    id: 'x',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'In March, it says.' }, finish_reason: 'stop' }],
    ...more,
  });

/** About a thousand tokens. */
const PROMPT = 'When is it due? '.repeat(250);
const ABOUT_THE_PROMPT = 1_000;

let server: StubServer;
let meter: Meter;
let model: LanguageModelV4;
beforeEach(async () => {
  server = await stubServer(says());
  meter = createMeter();
  model = await modelAt(server.address);
});
afterEach(() => server.close());

function modelAt(address: string, own: OwnProfiles = {}): Promise<LanguageModelV4> {
  const provider = openAiCompatible({ baseUrl: `${address}/v1`, key: 'k', request: outbound() });
  const modelOf = models(
    byConnection({ openai: provider }),
    { wait: async () => undefined, chance: () => 0 },
    { ownProfiles: own },
  );
  return writtenBy(modelOf('openai/m', { address: { organization: 'tests', taskId: 't' }, meter }));
}

const ask = (more: object = {}) => generateText({ model, prompt: PROMPT, maxRetries: 0, ...more });
const total = () => {
  const { model: id, ...tokens } = meter.total() ?? { model: undefined, ...NO_TOKENS };
  expect(id).toBe('openai/m');
  return tokens;
};

function expectEstimate(calls: number): void {
  const { inputTokens, estimatedInputTokens } = total();
  expect(estimatedInputTokens).toBeGreaterThan(calls * ABOUT_THE_PROMPT * 0.9);
  expect(estimatedInputTokens).toBeLessThan(calls * ABOUT_THE_PROMPT * 1.2);
  expect(inputTokens).toBeGreaterThanOrEqual(estimatedInputTokens);
}

it('reports the model before a call is made, and counts nothing', () => {
  expect(total()).toEqual(NO_TOKENS);
});

it('counts the tokens that the provider reports, including cached and reasoning tokens', async () => {
  await ask();
  expect(total()).toEqual(REPORTED);
});

const refusal = (name: string): Answering => AWAY[name]?.answer ?? CUT[name] ?? OWN_FAULT;

it.each(['a rate limit', 'a fault of its own', 'overload', 'a gateway that gave up'])(
  'does not count a try that %s refused without a report',
  async (name) => {
    server.answerNext(refusal(name));
    await ask();
    expect(server.asked).toHaveLength(2);
    expect(total()).toEqual(REPORTED);
  },
);

it('counts a refusal whose provider reports what it cost', async () => {
  server.answerNext(json({ error: { message: 'oops' }, usage: { prompt_tokens: 7, completion_tokens: 2 } }, 500));
  await ask();
  expect(total()).toEqual({ ...REPORTED, inputTokens: 1_207, outputTokens: 52 });
});

it('counts an unreadable answer by its reported usage', async () => {
  server.answerNext(json({ choices: 'none', usage: { prompt_tokens: 7, completion_tokens: 2 } }));
  await ask();
  expect(total()).toEqual({ ...REPORTED, inputTokens: 1_207, outputTokens: 52 });
});

it.each(['a connection cut before the answer', 'an answer cut in the middle'])('estimates %s', async (name) => {
  server.answerNext(refusal(name));
  await ask();
  expect(server.asked).toHaveLength(2);
  expectEstimate(1);
});

it('estimates every try of a call that fails for good', async () => {
  const cut = refusal('a connection cut before the answer');
  server.answerNext(cut, cut, cut, cut);
  await expect(ask()).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  expectEstimate(4);
  expect(total()).toMatchObject({ outputTokens: 0, estimatedOutputTokens: 0 });
});

it('estimates an answer without reported usage from its text', async () => {
  server.answerNext(says({}));
  await ask();
  expectEstimate(1);
  expect(total().estimatedOutputTokens).toBeGreaterThan(0);
  expect(total().estimatedOutputTokens).toBe(total().outputTokens);
});

it.each([
  ['negative', -50_000_000],
  ['fractional', 1.5],
  ['more than a call can have', 50_000_000],
  ['more than a number can hold', 1e308],
])('estimates input and output that are reported as %s', async (_, tokens) => {
  server.answerNext(says({ usage: { prompt_tokens: tokens, completion_tokens: tokens } }));
  const { totalUsage } = await ask();
  expectEstimate(1);
  const { inputTokens, outputTokens, estimatedInputTokens, estimatedOutputTokens } = total();
  expect(outputTokens).toBeGreaterThan(0);
  expect([inputTokens, outputTokens]).toEqual([estimatedInputTokens, estimatedOutputTokens]);
  // The limits of a task's steps are measured by the answer's own usage.
  expect(totalUsage.totalTokens).toBe(inputTokens + outputTokens);
});

it('estimates only the side that cannot be true, and counts no part that is more than its whole', async () => {
  const details = { prompt_tokens_details: { cached_tokens: -1 }, completion_tokens_details: { reasoning_tokens: 51 } };
  server.answerNext(says({ usage: { ...USAGE, ...details, prompt_tokens: -1 } }));
  await ask();
  expectEstimate(1);
  expect(total()).toMatchObject({
    outputTokens: 50,
    estimatedOutputTokens: 0,
    cachedInputTokens: 0,
    reasoningTokens: 0,
  });
});

it('gives a budget no more back than was reserved, whatever is reported', async () => {
  const givenBack: number[] = [];
  meter = createMeter(async ({ inputTokens, outputTokens }) => async (spent) => {
    givenBack.push(inputTokens + outputTokens - (spent.inputTokens ?? 0) - (spent.outputTokens ?? 0));
    expect(givenBack.at(-1)).toBeLessThan(inputTokens + outputTokens);
  });
  model = await modelAt(server.address);
  server.answerNext(says({ usage: { prompt_tokens: -50_000_000, completion_tokens: -1 } }));
  await ask();
  expect(givenBack).toHaveLength(1);
});

it.each<[string, Answering]>([
  ['a page of HTML', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in')],
  ['JSON that is no answer', json({ all: 'x'.repeat(600_000) })],
  ['an error object', json({ error: { message: 'not now' } })],
  [
    'an error in place of a stream',
    (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('data: {"error":{"message":"not now","type":"server_error"}}\n\n'),
  ],
  [
    'a refusal that reports what cannot be',
    json({ error: {}, usage: { prompt_tokens: -9, completion_tokens: 1.5 } }, 500),
  ],
])('counts nothing for %s', async (_, refusal) => {
  server.answerNext(refusal, refusal, refusal, refusal);
  await expect(ask()).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  expect(total()).toEqual(NO_TOKENS);
});

it('reads a stream whose lines come in pieces, and gives one up whose line does not end', async () => {
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'In ü March' }, finish_reason: 'stop' }] })}\r\n\r\ndata: [DONE]\n\n`;
  const streaming: Answering = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const byte of Buffer.from(event)) response.write(Uint8Array.of(byte));
    response.end();
  };
  server.answerNext(streaming);
  expect((await ask()).text).toBe('In ü March');
  let sent = 0;
  const endless: Answering = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = () => {
      while (!response.destroyed && sent < 60_000_000) {
        sent += 1_000_000;
        if (!response.write('x'.repeat(1_000_000))) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };
  server.answerNext(endless, endless, endless, endless);
  await expect(ask()).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  // Four tries, each given up after two million characters and what was under way by then.
  expect(sent).toBeLessThan(60_000_000);
});

it('estimates a call that the task aborted', async () => {
  const lost = new AbortController();
  server.answerNext(() => lost.abort('lost'));
  await expect(ask({ abortSignal: lost.signal })).rejects.toBeDefined();
  expectEstimate(1);
});

it('does not count a call after the task was lost, nor one that reached no server', async () => {
  await expect(ask({ abortSignal: AbortSignal.abort('lost') })).rejects.toBeDefined();
  expect(server.asked).toHaveLength(0);
  const { address } = server;
  await server.close();
  model = await modelAt(address);
  await expect(ask()).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  server = await stubServer(says());
  expect(total()).toEqual(NO_TOKENS);
});

it.each(Object.entries(LASTING))('does not count %s', async (_name, { answer }) => {
  server.answerNext(answer);
  await expect(ask()).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  expect(total()).toEqual(NO_TOKENS);
});

it('estimates a picture by a flat figure, not by its bytes', async () => {
  server.answerNext(says({}));
  const picture = { type: 'file', mediaType: 'image/png', data: new Uint8Array(500_000) };
  await ask({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, picture] }] });
  expect(total().inputTokens).toBeGreaterThan(1_000);
  expect(total().inputTokens).toBeLessThan(1_100);
});

it('counts what each call costs, if the price of its model is known', async () => {
  const priced = await modelAt(server.address, { 'openai/m': { price: { input: 0.5, output: 2, asOf: '2026-11' } } });
  await generateText({ model: priced, prompt: PROMPT, maxRetries: 0 });
  expect(total()).toEqual({ ...REPORTED, pricedTokens: 1_250, microUsd: 600 + 100 });
  expect(costUsd(total())).toBe(0.0007);
  await ask();
  expect(total()).toMatchObject({ pricedTokens: 1_250, microUsd: 700 });
  expect(costUsd(total())).toBeNull();
});

it('counts input that the provider read from its cache at the price of that, if it has one', async () => {
  const price = { input: 0.5, output: 2, cachedInput: 0.05, asOf: '2026-11' };
  const priced = await modelAt(server.address, { 'openai/m': { price } });
  await generateText({ model: priced, prompt: PROMPT, maxRetries: 0 });
  expect(total()).toEqual({ ...REPORTED, pricedTokens: 1_250, microUsd: 100 + 50 + 100 });
});

it('counts a call by its estimate once the worker stops waiting, and ignores what comes later', () => {
  const end = meter.begin(() => ({ inputTokens: 9, estimatedInputTokens: 9 }));
  meter.closeCalls();
  end({ inputTokens: 100 });
  expect(total()).toEqual({ ...NO_TOKENS, inputTokens: 9, estimatedInputTokens: 9 });
});
