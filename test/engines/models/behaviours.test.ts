/**
 * A provider that misbehaves in every way: each call ends in a clear state, the right tokens are counted, and nothing of
 * the provider reaches the caller.
 */

import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { runModelLoop } from '../../../agents/chat/model-loop.ts';
import type { Workspace } from '../../../agents/chat/workspace.ts';
import { generateAnswer } from '../../../agents/generate-answer.ts';
import { withCallsFromText } from '../../../engines/models/model-schema.ts';
import { models } from '../../../engines/models/models.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { writers } from '../reports/setup.ts';
import { ANTHROPIC } from './anthropic-wire.ts';
import { throughConnection } from './connected.ts';
import { GOOGLE } from './google-wire.ts';
import { AZURE, RESPONSES } from './responses-wire.ts';
import { BEDROCK, calls, OPENAI, type Piece, says, USAGE, type Wire, wholeOpenAi } from './scripted-provider.ts';
import { type Answering, json, stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

const SECRET = 'sk-inner';
const GOOD = 'It is due in March.';
/** Stands for ten minutes and for one, where a row is about time. A busy machine answers other rows late, too. */
const SHORT = { firstTokenMs: 1_000, nextTokenMs: 500 };
const LONG = { firstTokenMs: 10_000, nextTokenMs: 10_000 };

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

const FORM = {
  rules: 'Give the month.',
  messages: ['When is it due?'],
  schema: v.strictObject({ month: v.string() }),
  answerTokens: 100,
};

/** Runs a chat task with one file against a provider that sends these answers, and `GOOD` after them. */
async function run(
  wire: Wire,
  answers: Answering[],
  signal = new AbortController().signal,
  { limits = LONG, inForm = false } = {},
) {
  const server = await stubServer(wire.stream(...says(GOOD)));
  close = server.close;
  server.answerNext(...answers);
  const meter = createMeter();
  const waits: number[] = [];
  const timing = { wait: async (ms: number) => void waits.push(ms), chance: () => 0.5 };
  const modelOf = models(throughConnection(wire.connection(server.address, SECRET)), timing, { limits });
  const model = await writtenBy(modelOf('provider/m', { address: { organization: 'o', taskId: 't' }, meter }));
  const desk: Workspace = {
    files: [{ name: 'a.txt', kind: 'text', pages: [{ parts: [{ place: 'page 1', text: GOOD }] }] }],
    rulesets: [],
    saved: new Map(),
    toolResults: [],
    written: new Map(),
    ...writers,
    query: async () => ({ tables: [] }),
    search: async () => [],
    now: () => 0,
  };
  const answer = async () =>
    inForm
      ? JSON.stringify(await generateAnswer({ ...FORM, model, signal }))
      : (await runModelLoop({ model, workspace: desk, request: 'When is it due?', signal })).text;
  const outcome = await answer().then(
    (text) => ({ text, failure: undefined }),
    (failure: Error & { code?: string; mayPass?: boolean }) => ({ text: undefined, failure }),
  );
  meter.closeCalls();
  const {
    inputTokens = 0,
    outputTokens = 0,
    estimatedInputTokens = 0,
    estimatedOutputTokens = 0,
  } = meter.total() ?? {};
  const estimated = estimatedInputTokens + estimatedOutputTokens > 0;
  return { ...outcome, server, waits, saved: desk.saved, tokens: { inputTokens, outputTokens, estimated } };
}

type Row = {
  answers: (wire: Wire) => Answering[];
  /** What the task answers, or the message that it fails with. */
  ends: string | RegExp;
  /** How many requests reach the provider. */
  asked: number;
  /** What is reported, or that a part is estimated. */
  tokens: [number, number] | 'estimated';
  /** For behaviours that only this protocol has, or that this one cannot have. */
  only?: Wire;
  except?: Wire;
  /** The answer must match a schema; the agents warn about one that does not. */
  inForm?: true;
  limits?: typeof SHORT;
};

const stream =
  (...pieces: Piece[]) =>
  (wire: Wire) => [wire.stream(...pieces)];
const raw = (answer: Answering) => () => [answer];
const always = (answer: Answering) => () => Array.from({ length: 50 }, () => answer);
const fault = (status: number, headers: Record<string, string> = {}) =>
  json({ error: { message: `${SECRET} went wrong` }, message: `${SECRET} went wrong` }, status, headers);
const ONCE: [number, number] = [12, 5];
const TWICE: [number, number] = [24, 10];

const ROWS: Record<string, Row> = {
  'a rate limit with Retry-After': {
    answers: raw(fault(429, { 'retry-after': '2' })),
    ends: GOOD,
    asked: 2,
    tokens: ONCE,
  },
  'a rate limit without Retry-After': { answers: raw(fault(429)), ends: GOOD, asked: 2, tokens: ONCE },
  'a fault of its own, once': { answers: raw(fault(500)), ends: GOOD, asked: 2, tokens: ONCE },
  'a fault of its own, always': { answers: always(fault(500)), ends: /status 500; submit/, asked: 4, tokens: [0, 0] },
  'overload (529)': { answers: raw(fault(529)), ends: GOOD, asked: 2, tokens: ONCE },
  'a request that is too large (413)': {
    answers: raw(fault(413)),
    ends: /longer than the model \w+\/m accepts; make the task smaller/,
    asked: 1,
    tokens: [0, 0],
  },
  'an unknown model': {
    answers: raw(fault(404)),
    ends: /does not exist at its provider \(status 404\); name another/,
    asked: 1,
    tokens: [0, 0],
  },
  'a wrong key': {
    answers: raw(fault(401)),
    ends: /refused the key \(status 401\); ask the operator/,
    asked: 1,
    tokens: [0, 0],
  },
  'a web page with status 200': {
    answers: always(
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${SECRET}</h1>`),
    ),
    ends: /answered with a web page; name another/,
    asked: 1,
    tokens: [0, 0],
    only: OPENAI,
  },
  'an error object with status 200': {
    answers: raw(json({ error: { message: SECRET } })),
    ends: GOOD,
    asked: 2,
    tokens: ONCE,
    only: OPENAI,
  },
  'an error within a stream, before a token': {
    answers: stream({ error: SECRET }),
    ends: GOOD,
    asked: 2,
    tokens: ONCE,
  },
  'an error within a stream, after a token': {
    answers: stream({ text: 'It is' }, { error: SECRET }),
    ends: GOOD,
    asked: 2,
    tokens: 'estimated',
  },
  'a stream that is reset in the middle': {
    answers: stream({ text: 'It is' }, { end: 'reset' }),
    ends: GOOD,
    asked: 2,
    tokens: 'estimated',
  },
  'streams that are always reset in the middle': {
    answers: (wire) => always(wire.stream({ text: 'It is' }, { end: 'reset' }))(),
    ends: /interrupted its answer; submit/,
    asked: 2,
    tokens: 'estimated',
  },
  'a stream that ends in the middle': {
    answers: stream({ text: 'It is' }, { end: 'close' }),
    ends: GOOD,
    asked: 2,
    tokens: 'estimated',
  },
  'a reset before the first token': { answers: stream({ end: 'reset' }), ends: GOOD, asked: 2, tokens: 'estimated' },
  'a reset after the last token': {
    answers: stream({ text: 'By March.' }, { finish: 'stop' }, { end: 'reset' }),
    ends: 'By March.',
    asked: 1,
    tokens: 'estimated',
    only: OPENAI,
  },
  'silence after the headers': {
    answers: (wire) => always(wire.stream({ waitMs: 4_000 }))(),
    ends: /did not answer in time; submit/,
    asked: 1,
    tokens: 'estimated',
    limits: SHORT,
  },
  'silence before the headers': {
    answers: always(() => undefined),
    ends: /did not answer in time; submit/,
    asked: 1,
    tokens: 'estimated',
    limits: SHORT,
  },
  'a connection kept alive without a token': {
    answers: stream(...Array.from({ length: 20 }, (): Piece[] => [{ keepAlive: true }, { waitMs: 150 }]).flat()),
    ends: /did not answer in time; submit/,
    asked: 1,
    tokens: 'estimated',
    limits: SHORT,
  },
  'silence between two tokens': {
    answers: stream({ text: 'It is' }, { waitMs: 2_500 }, { text: ' due' }),
    ends: GOOD,
    asked: 2,
    tokens: 'estimated',
    limits: SHORT,
  },
  'a slow first token': {
    answers: stream({ waitMs: 150 }, ...says('By March.')),
    ends: 'By March.',
    asked: 1,
    tokens: ONCE,
    limits: SHORT,
  },
  'slow tokens that take longer than any limit in all': {
    answers: stream(
      ...Array.from({ length: 10 }, (): Piece[] => [{ text: 'a ' }, { waitMs: 160 }]).flat(),
      ...says('b'),
    ),
    ends: 'a a a a a a a a a a b',
    asked: 1,
    tokens: ONCE,
    limits: SHORT,
  },
  'reasoning alone': {
    answers: stream({ reasoning: 'Let me think.' }, { finish: 'stop' }, USAGE),
    ends: GOOD,
    asked: 2,
    tokens: TWICE,
  },
  'reasoning before the answer': {
    answers: stream({ reasoning: 'Let me think.' }, ...says('By March.')),
    ends: 'By March.',
    asked: 1,
    tokens: ONCE,
  },
  'an empty answer': { answers: stream({ finish: 'stop' }, USAGE), ends: GOOD, asked: 2, tokens: TWICE },
  'a refusal': { answers: stream({ finish: 'refusal' }, USAGE), ends: GOOD, asked: 2, tokens: TWICE },
  'a refusal, always': {
    answers: (wire) => always(wire.stream({ finish: 'refusal' }, USAGE))(),
    ends: /withheld the answer/,
    asked: 2,
    tokens: TWICE,
  },
  'a filter in the middle': {
    answers: stream({ text: 'It is' }, { finish: 'filter' }, USAGE),
    ends: GOOD,
    asked: 2,
    tokens: TWICE,
  },
  'an answer that is too long': {
    answers: stream({ text: 'It is' }, { finish: 'length' }, USAGE),
    ends: /exceeds the limit of 8,000 tokens/,
    asked: 1,
    tokens: ONCE,
  },
  'tool arguments over many chunks': {
    answers: stream({ call: 'save_file', input: [...'{"name":"a.md","content":"x"}'] }, { finish: 'calls' }, USAGE),
    ends: GOOD,
    asked: 2,
    tokens: TWICE,
  },
  'arguments that are not JSON': {
    answers: stream({ call: 'read_file', input: ['{"file":'] }, { finish: 'calls' }, USAGE),
    ends: GOOD,
    asked: 2,
    tokens: TWICE,
    except: GOOGLE,
  },
  'arguments of the wrong shape': {
    answers: stream(...calls('read_file', { file: 'first' })),
    ends: GOOD,
    asked: 2,
    tokens: TWICE,
  },
  'a tool that does not exist': { answers: stream(...calls('run_shell', {})), ends: GOOD, asked: 2, tokens: TWICE },
  'a call written as text, with an invented result': {
    answers: stream(
      ...says(
        'I will look.\n```json\n{"function": "read_file", "arguments": {"file": 1, "page": 1}}\n```\nIt is due in May.',
      ),
    ),
    ends: GOOD,
    asked: 2,
    tokens: TWICE,
  },
  'a call written in tags': {
    answers: (wire) => [
      wire.stream(...says('<tool_call>\n{"name": "query_table", "arguments": {}}\n</tool_call>')),
      wire.stream(...says('<function=read_file>{"file": 1, "page": 1}</function>')),
      wire.stream(
        ...says(
          '[{"type": "function", "function": {"name": "calculate", "arguments": "{\\"expression\\": \\"1+1\\"}"}}]',
        ),
      ),
    ],
    ends: GOOD,
    asked: 4,
    tokens: [48, 20],
  },
  'tags of a call with nothing in them': {
    answers: (wire) => always(wire.stream(...says('<tools></tools>')))(),
    ends: /returned no answer/,
    asked: 2,
    tokens: TWICE,
  },
  'tool calls without an end': {
    answers: (wire) => always(wire.stream(...calls('query_table', {})))(),
    ends: /did not finish within 40 steps; make the task smaller/,
    asked: 40,
    tokens: [480, 200],
  },
  'a form in a fence, with prose behind it': {
    answers: stream(...says('```json\n{"month":"March"}\n```\nIs there {anything} else?')),
    ends: '{"month":"March"}',
    asked: 1,
    tokens: ONCE,
    inForm: true,
  },
  'another form, once': {
    answers: (wire) => [wire.stream(...says('{"date":3}')), wire.stream(...says('{"month":"March"}'))],
    ends: '{"month":"March"}',
    asked: 2,
    tokens: TWICE,
    inForm: true,
  },
  'another form, always': {
    answers: (wire) => always(wire.stream(...says('{"date":3}')))(),
    ends: /^undefined$/,
    asked: 2,
    tokens: TWICE,
    inForm: true,
  },
  'the same id for every tool call': {
    answers: (wire) => [
      wire.stream(...calls('query_table', {}, 'x')),
      wire.stream(...calls('read_file', { file: 1, page: 1 }, 'x')),
    ],
    ends: GOOD,
    asked: 3,
    tokens: [36, 15],
  },
  'no report of usage': {
    answers: stream({ text: 'By March.' }, { finish: 'stop' }),
    ends: 'By March.',
    asked: 1,
    tokens: 'estimated',
    except: ANTHROPIC,
  },
  'usage that cannot be true': {
    answers: stream({ text: 'By March.' }, { finish: 'stop' }, { usage: { input: -50_000_000, output: 5 } }),
    ends: 'By March.',
    asked: 1,
    tokens: 'estimated',
  },
  'no finish reason': {
    answers: stream({ text: 'By March.' }, USAGE),
    ends: 'By March.',
    asked: 1,
    tokens: ONCE,
    only: OPENAI,
  },
  'a whole answer in place of a stream': {
    answers: raw(wholeOpenAi({ content: 'By March.' }, 'stop', { prompt_tokens: 12, completion_tokens: 5 })),
    ends: 'By March.',
    asked: 1,
    tokens: ONCE,
    only: OPENAI,
  },
  'a context that is too long': {
    answers: (wire) => always(wire.tooLong)(),
    ends: /longer than the model \w+\/m accepts; make the task smaller/,
    asked: 1,
    tokens: [0, 0],
  },
};

describe.each([OPENAI, BEDROCK, RESPONSES, AZURE, ANTHROPIC, GOOGLE])('$name', (wire) => {
  const rows = Object.entries(ROWS).filter(([, { only = wire, except }]) => only === wire && except !== wire);

  it.each(rows)('%s', async (_name, { answers, ends, asked, tokens, inForm = false, limits = LONG }) => {
    const { text, failure, server, tokens: counted } = await run(wire, answers(wire), undefined, { inForm, limits });
    if (typeof ends === 'string') expect(text ?? failure?.message).toBe(ends);
    else expect(String(failure?.message)).toMatch(ends);
    expect(server.asked).toHaveLength(asked);
    expect(server.asked.every(({ path }) => wire.path.test(path))).toBe(true);
    expect(`${text}${failure?.message}`).not.toContain(SECRET);
    expect(counted.estimated).toBe(tokens === 'estimated');
    if (tokens !== 'estimated') expect([counted.inputTokens, counted.outputTokens]).toEqual(tokens);
  });

  it('waits as long as a rate limit asks for', async () => {
    const { waits } = await run(wire, [fault(429, { 'retry-after': '2' })]);
    expect(waits).toEqual([2_000]);
  });

  it('counts the tokens that arrived before a cancel, and sends no further request', async () => {
    const control = new AbortController();
    const pieces: Piece[] = [{ text: 'word '.repeat(400) }, { waitMs: 100 }, ...says('late')];
    const answer: Answering = (response, asked) => {
      wire.stream(...pieces)(response, asked);
      setTimeout(() => control.abort('cancelled'), 60);
    };
    const { failure, server, tokens } = await run(wire, [answer], control.signal);
    expect(failure).toBeDefined();
    expect(server.asked).toHaveLength(1);
    expect(tokens.outputTokens).toBeGreaterThanOrEqual(500);
    expect(tokens.estimated).toBe(true);
  });
});

it('requests a stream and its usage in OpenAI’s protocol', async () => {
  const { server } = await run(OPENAI, []);
  expect(server.asked[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

it('leaves a call that the material contains as the text that it is', () => {
  const call = '{"name": "save_file", "arguments": {"name": "a.txt", "content": "b"}}';
  const tools = [{ type: 'function' as const, name: 'save_file', inputSchema: {} }];
  const asked = (text: string) => ({
    prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
    tools,
  });
  const answer = {
    content: [{ type: 'text' as const, text: `The file says ${call}` }],
    finishReason: { unified: 'stop' as const, raw: 'stop' },
  };
  expect(withCallsFromText(asked(`Quote this:\n${call}`), answer)).toBe(answer);
  expect(withCallsFromText(asked('Save b as a.txt.'), answer).content).toMatchObject([
    { type: 'tool-call', toolName: 'save_file' },
  ]);
});

it('gives calls with the same id separate ids, and each result the id of its call', async () => {
  const { server } = await run(OPENAI, [
    OPENAI.stream(...calls('query_table', {}, 'x')),
    OPENAI.stream(...calls('read_file', { file: 1, page: 1 }, 'x')),
  ]);
  const { messages } = (server.asked[2]?.body ?? {}) as {
    messages: { tool_call_id?: string; tool_calls?: { id: string }[] }[];
  };
  expect(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))).toEqual(['x', 'x-2']);
  expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(['x', 'x-2']);
});

it('accepts a complete answer while its connection stays open', { timeout: 15_000 }, async () => {
  const pieces: Piece[] = [{ text: 'By March.' }, { finish: 'stop' }, { waitMs: 12_000 }];
  const { text, server, tokens } = await run(OPENAI, [OPENAI.stream(...pieces)], undefined, {
    limits: { ...LONG, nextTokenMs: 20_000 },
  });
  expect(text).toBe('By March.');
  expect(server.asked).toHaveLength(1);
  expect(tokens.estimated).toBe(true);
});
