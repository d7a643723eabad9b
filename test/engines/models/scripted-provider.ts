/**
 * What a provider of models sends, piece by piece, in the wire formats of OpenAI-compatible servers and of Bedrock's
 * ConverseStream. Those of Anthropic, Google and OpenAI itself have files of their own.
 *
 * A script of pieces says what a provider does, however it misbehaves; a protocol puts it on the wire.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { ModelConnection } from '../../../shared/accounts/model-connections.ts';
import { type Answering, json } from './stub-server.ts';

export type Piece =
  | { text: string }
  | { reasoning: string }
  /** A tool call whose arguments come in these pieces. */
  | { call: string; id?: string; input: string[] }
  | { finish: 'stop' | 'length' | 'filter' | 'refusal' | 'calls' }
  /** `cached` is a part of the input, `thinking` of the output. */
  | { usage: { input: number; output: number; cached?: number; thinking?: number } }
  /** What keeps a connection open without saying anything. */
  | { keepAlive: true }
  | { waitMs: number }
  | { error: string }
  /** How the connection ends early. */
  | { end: 'reset' | 'close' };

export type Wire = {
  name: string;
  /** How a model at this address, which speaks the protocol, is reached. */
  connection(address: string, key: string): ModelConnection;
  path: RegExp;
  stream(...pieces: Piece[]): Answering;
  /** The status that this protocol uses for a context that is too long, and what the provider says then. */
  tooLong: Answering;
};

export const USAGE = { usage: { input: 12, output: 5 } } as const;
export const says = (text: string): Piece[] => [{ text }, { finish: 'stop' }, USAGE];
export const calls = (tool: string, input: object, id?: string): Piece[] => [
  { call: tool, input: [JSON.stringify(input)], ...(id ? { id } : {}) },
  { finish: 'calls' },
  USAGE,
];

export type Encoded = string | Uint8Array;

export type Encode = (piece: Piece, at: number, pieces: readonly Piece[]) => Encoded[];

async function send(response: ServerResponse, pieces: readonly Piece[], encode: Encode) {
  for (const [at, piece] of pieces.entries()) {
    if (response.destroyed) return;
    if ('waitMs' in piece) await setTimeout(piece.waitMs);
    else if ('end' in piece && piece.end === 'close') break;
    else if ('end' in piece) {
      // What was written must arrive before the reset.
      await setTimeout(20);
      response.socket?.resetAndDestroy();
      return;
    } else for (const bytes of encode(piece, at, pieces)) response.write(bytes);
  }
  response.end();
}

const FINISH_REASONS = {
  stop: ['stop', 'end_turn'],
  length: ['length', 'max_tokens'],
  filter: ['content_filter', 'content_filtered'],
  refusal: ['stop', 'guardrail_intervened'],
  calls: ['tool_calls', 'tool_use'],
} as const;

function openAiEvents(piece: Piece, at: number): Encoded[] {
  const event = (value: object) => [`data: ${JSON.stringify(value)}\n\n`];
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason }],
    });
  if ('text' in piece) return chunk({ content: piece.text });
  if ('reasoning' in piece) return chunk({ reasoning_content: piece.reasoning });
  if ('keepAlive' in piece) return [': keep-alive\n\n'];
  if ('error' in piece) return event({ error: { message: piece.error, type: 'server_error' } });
  if ('finish' in piece) {
    const refusal = piece.finish === 'refusal' ? chunk({ refusal: 'I will not do that.' }) : [];
    return [...refusal, ...chunk({}, FINISH_REASONS[piece.finish][0])];
  }
  if ('usage' in piece) {
    const { input, output, cached = 0, thinking = 0 } = piece.usage;
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: thinking },
    };
    return [...event({ id: 'c1', object: 'chat.completion.chunk', choices: [], usage }), 'data: [DONE]\n\n'];
  }
  if ('call' in piece) {
    const { call: name, id = `t${at}`, input } = piece;
    const first = { index: at, id, type: 'function', function: { name, arguments: '' } };
    const rest = input.map((text) => ({ index: at, function: { arguments: text } }));
    return [first, ...rest].flatMap((call) => chunk({ tool_calls: [call] }));
  }
  return [];
}

/** One message of AWS's event stream: lengths, headers, payload, and a checksum of each. */
function eventMessage(headers: Record<string, string>, payload: object): Uint8Array {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([
        Buffer.from([Buffer.byteLength(name)]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(12 + head.length + body.length + 4, 0);
  prelude.writeUInt32BE(head.length, 4);
  const checked = Buffer.concat([prelude, sumOf(prelude), head, body]);
  return Buffer.concat([checked, sumOf(checked)]);
}

function sumOf(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

const event = (type: string, payload: object) =>
  eventMessage({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, payload);

function bedrockEvents(piece: Piece, at: number): Encoded[] {
  const delta = (value: object) => event('contentBlockDelta', { contentBlockIndex: at, delta: value });
  const stop = event('contentBlockStop', { contentBlockIndex: at });
  if ('text' in piece) return [delta({ text: piece.text }), stop];
  if ('reasoning' in piece) return [delta({ reasoningContent: { text: piece.reasoning } }), stop];
  if ('keepAlive' in piece) return [event('messageStart', { role: 'assistant' })];
  if ('finish' in piece) return [event('messageStop', { stopReason: FINISH_REASONS[piece.finish][1] })];
  if ('error' in piece) {
    const headers = { ':exception-type': 'modelStreamErrorException', ':content-type': 'application/json' };
    return [eventMessage({ ...headers, ':message-type': 'exception' }, { message: piece.error })];
  }
  if ('usage' in piece) {
    const { input, output: outputTokens, cached = 0 } = piece.usage;
    // Bedrock counts what was read from its cache apart.
    const usage = {
      inputTokens: input - cached,
      outputTokens,
      totalTokens: input + outputTokens,
      cacheReadInputTokens: cached,
    };
    return [event('metadata', { usage, metrics: { latencyMs: 1 } })];
  }
  if ('call' in piece) {
    const toolUse = { toolUseId: piece.id ?? `t${at}`, name: piece.call };
    const start = event('contentBlockStart', { contentBlockIndex: at, start: { toolUse } });
    return [start, ...piece.input.map((input) => delta({ toolUse: { input } })), stop];
  }
  return [];
}

export const streamOf =
  (contentType: string, encode: Encode) =>
  (...pieces: Piece[]): Answering =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.flushHeaders();
    void send(response, pieces, encode);
  };

export const OPENAI: Wire = {
  name: 'OpenAI’s protocol',
  connection: (address, key) => ({ provider: 'openai-compatible', url: `${address}/v1`, key }),
  path: /\/chat\/completions$/,
  stream: streamOf('text/event-stream', openAiEvents),
  tooLong: json(
    {
      error: {
        message: "This model's maximum context length is 8192 tokens, but sk-inner asked for 9000.",
        code: 'context_length_exceeded',
      },
    },
    400,
  ),
};

export const BEDROCK: Wire = {
  name: 'Bedrock’s ConverseStream',
  connection: (address) => ({ provider: 'bedrock', url: address }),
  path: /\/converse-stream$/,
  stream: streamOf('application/vnd.amazon.eventstream', bedrockEvents),
  tooLong: json({ message: 'Input is too long for requested model.' }, 400),
};

/** The same answer where the server sends it whole, whatever it was asked for. */
export const wholeOpenAi = (
  message: object,
  finish_reason: string | null,
  usage: object | undefined = undefined,
): Answering =>
  json({
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
    ...(usage ? { usage } : {}),
  });
