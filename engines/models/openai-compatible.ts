/** Speaks OpenAI's protocol with any server that has it: Ollama, vLLM, a gateway. */

import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { SECOND_MS } from '../../shared/core/time.ts';
import { asFetch, type FetchFunction } from '../outbound/clients.ts';
import { outboundFailure } from '../outbound/failure.ts';
import type { OutboundRequest } from '../outbound/request.ts';
import { operatorPolicy } from '../outbound/ssrf-policy.ts';
import { MODEL_REQUEST } from './call-limits.ts';

/** Creates a model on first use, as this loads the provider's library. */
type ModelProvider = (name: string) => Promise<LanguageModelV4>;

type OpenAiOptions = {
  /**
   * The URL with its version segment, such as http://127.0.0.1:11434/v1. The operator sets it, so it may be private.
   */
  baseUrl: string;
  key?: string;
  request: OutboundRequest;
};

/** OpenAI's reasoning models reject `max_tokens`, which all other models accept. */
const TAKES_COMPLETION_TOKENS = /^(gpt-[5-9]|o\d)/;
const renameTokenLimit = ({ max_tokens, ...body }: Record<string, unknown>) => ({
  ...body,
  max_completion_tokens: max_tokens,
});

/** Models behind a URL that speaks OpenAI's protocol, such as a local server's or a gateway's. */
export const openAiCompatible = ({ baseUrl, key: apiKey, request }: OpenAiOptions): ModelProvider => {
  const policy = operatorPolicy({ origins: [new URL(baseUrl).origin] });
  return async (name) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'openai',
      baseURL: baseUrl,
      // Whether the model has them is decided by its profile.
      supportsStructuredOutputs: true,
      includeUsage: true,
      ...definedFields({ apiKey }),
      ...(TAKES_COMPLETION_TOKENS.test(name) ? { transformRequestBody: renameTokenLimit } : {}),
      fetch: asEventStream(asFetch({ request, policy, ...MODEL_REQUEST })),
    });
    return provider.chatModel(name);
  };
};

/** Hides how servers differ when they are asked for a stream: some answer whole, and some end a stream in their own way. */
const asEventStream =
  (fetch: FetchFunction): FetchFunction =>
  async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || !response.body) return response;
    if (!/json|html/.test(type)) return new Response(ReadableStream.from(untilFinished(response.body)), EVENT_STREAM);
    const responseBody = await readWhole(response.body);
    const event = type.includes('json') ? toEvent(responseBody) : undefined;
    if (event !== undefined) return new Response(`${event}${DONE}\n\n`, EVENT_STREAM);
    throw new APICallError({
      message: 'The answer does not follow the protocol.',
      url: '',
      requestBodyValues: {},
      statusCode: response.status,
      responseHeaders: { 'content-type': type },
      responseBody,
    });
  };

const EVENT_STREAM = { headers: { 'content-type': 'text/event-stream' } };
const DONE = 'data: [DONE]';
const HAS_FINISHED = /"finish_reason"\s*:\s*"/;
const FINISH = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"unknown"}]}\n\n';
/** Of a line of a stream, which is a piece of an answer, or a whole tool call from servers that send it at once. */
const MAX_LINE = 2_000_000;
/** Of an answer that was sent whole. */
const MAX_ANSWER = 20_000_000;

/**
 * Ends a stream where its answer ends, whatever the connection does then, and adds the finish reason that some servers
 * omit.
 */
async function* untilFinished(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const lines = linesIn(body);
  let hasFinished = false;
  try {
    for (;;) {
      const line = await nextLine(lines, hasFinished);
      if (line === undefined) return;
      if (line.startsWith(DONE)) {
        yield Buffer.from(`${hasFinished ? '' : FINISH}${DONE}\n\n`);
        return;
      }
      hasFinished ||= HAS_FINISHED.test(line);
      yield Buffer.from(`${line}\n`);
    }
  } catch (error) {
    if (!hasFinished) throw error;
  }
}

/** How long the usage may follow the last token. Some servers keep the connection open and send nothing more. */
const END_MS = 5 * SECOND_MS;

/** Undefined at the end of the stream, and if nothing more comes of a stream whose answer is complete. */
async function nextLine(lines: AsyncGenerator<string>, hasFinished: boolean): Promise<string | undefined> {
  const next = lines.next().then(({ done, value }) => (done ? undefined : value));
  if (!hasFinished) return next;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), END_MS);
  });
  next.catch(() => undefined); // it may fail after the race
  return Promise.race([next, late]).finally(() => clearTimeout(timer));
}

/** Looks at each character once: a line that never ends must not cost more with each chunk. */
async function* linesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    const [end = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(end);
    length += end.length;
    if (length > MAX_LINE) throw outboundFailure('tooLarge');
    for (const line of lines) {
      yield pieces.join('');
      pieces = [line];
      length = line.length;
    }
  }
  yield pieces.join('');
}

async function readWhole(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER) throw outboundFailure('tooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type Completion = {
  error?: unknown;
  choices?: { message?: { tool_calls?: object[] | null }; finish_reason?: unknown }[];
};

/** Converts an answer that was sent whole to the one event of a stream. Returns undefined if it is not an answer. */
function toEvent(body: string): string | undefined {
  try {
    const { choices, ...rest } = JSON.parse(body) as Completion;
    if (rest.error !== undefined) return `data: ${JSON.stringify({ error: rest.error })}\n\n`;
    const [choice] = choices ?? [];
    if (!choice?.message) return undefined;
    const { message, finish_reason = 'unknown' } = choice;
    const tool_calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
    const delta = { ...message, ...(tool_calls ? { tool_calls } : {}) };
    return `data: ${JSON.stringify({ ...rest, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  } catch {
    return undefined;
  }
}
