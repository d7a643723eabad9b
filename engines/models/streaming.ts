/**
 * Reads the answer of a model as a stream and returns it whole.
 *
 * A whole answer has no good time limit: a reasoning model may think for minutes, and a long answer takes long. A stream
 * does: the time to its first token, and the time between two tokens.
 */
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { MINUTE_MS, SECOND_MS } from '../../shared/core/time.ts';
import { outboundFailure } from '../outbound/failure.ts';

/** The same model with another way to answer. Answers are read by `doGenerate` alone, so it does not stream. */
export const withGenerate = (model: LanguageModelV4, doGenerate: LanguageModelV4['doGenerate']): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate,
  doStream() {
    throw new Error('Answers are read by doGenerate.');
  },
});

export type StreamLimits = { firstTokenMs: number; nextTokenMs: number };

export const STREAM_LIMITS: StreamLimits = { firstTokenMs: 10 * MINUTE_MS, nextTokenMs: 60 * SECOND_MS };

/** Bounds the memory that one answer takes. No model writes this much. */
const MAX_CHARACTERS = 20_000_000;

/** A stream that ended before its answer was complete. */
export class BrokenStream extends Error {
  override name = 'BrokenStream';
  /** Whether a token arrived before, which the provider charges. */
  readonly hasTokens: boolean;
  /** Whether the provider sent an error in place of an answer. */
  readonly isRefusal: boolean;
  readonly usage: LanguageModelV4Usage | undefined;

  constructor(
    cause: unknown,
    { hasTokens, isRefusal, usage }: Pick<BrokenStream, 'hasTokens' | 'isRefusal' | 'usage'>,
  ) {
    super('The stream of an answer broke off.', { cause });
    this.hasTokens = hasTokens;
    this.isRefusal = isRefusal;
    this.usage = usage;
  }
}

type Reading = {
  limits: StreamLimits;
  /** Is called with each piece of text, reasoning and tool input. */
  onToken(text: string): void;
};

/**
 * Rejects with a `BrokenStream` once the provider has begun to answer, and with the provider's own error before. Comments
 * and keep-alives of the stream are not tokens, so they do not extend the time.
 */
export async function readStream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  { limits, onToken }: Reading,
): Promise<LanguageModelV4GenerateResult> {
  const control = new AbortController();
  const { signal } = control;
  const stop = () => control.abort(options.abortSignal?.reason);
  options.abortSignal?.addEventListener('abort', stop, { once: true });
  const startTimer = (ms: number) => setTimeout(() => control.abort(outboundFailure('idleTime')), ms);
  let timer = startTimer(limits.firstTokenMs);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);
  const answer = startAnswer(options);
  let hasStream = false;
  try {
    const { stream } = await Promise.race([model.doStream({ ...options, abortSignal: signal }), aborted]);
    hasStream = true;
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted]);
      if (done) break;
      const token = answer.add(value);
      if (token === '') continue;
      onToken(token);
      clearTimeout(timer);
      timer = startTimer(limits.nextTokenMs);
    }
    return answer.result();
  } catch (error) {
    if (options.abortSignal?.aborted) throw options.abortSignal.reason;
    // An error of the request itself tells more than that its stream broke.
    if (!hasStream || (APICallError.isInstance(error) && !answer.hasTokens())) throw error;
    throw new BrokenStream(error, {
      hasTokens: answer.hasTokens(),
      isRefusal: answer.hasError() && !answer.hasTokens(),
      usage: answer.usage(),
    });
  } finally {
    clearTimeout(timer);
    options.abortSignal?.removeEventListener('abort', stop);
    // Closes the connection if the stream was not read to its end.
    control.abort();
  }
}

type Block = Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }>;

function startAnswer({ prompt }: LanguageModelV4CallOptions) {
  const content: LanguageModelV4Content[] = [];
  const open = new Map<string, Block>();
  const usedIds = new Set(prompt.flatMap(toolCallIdsIn));
  let characters = 0;
  let hasError = false;
  let warnings: LanguageModelV4GenerateResult['warnings'] = [];
  let finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined;

  /** Returns what arrived of the answer: an empty text for parts that carry none. */
  function add(part: LanguageModelV4StreamPart): string {
    const token = tokenIn(part);
    characters += token.length;
    if (characters > MAX_CHARACTERS) throw outboundFailure('tooLarge');
    switch (part.type) {
      case 'stream-start':
        warnings = part.warnings;
        break;
      case 'text-start':
      case 'reasoning-start': {
        const block: Block = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' };
        open.set(part.id, block);
        content.push(block);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'reasoning-end':
      case 'text-end': {
        const block = open.get(part.id);
        if (!block) break;
        block.text += token;
        // The signature of a reasoning block comes with its last parts; the provider wants it back with the next call.
        if (part.providerMetadata) block.providerMetadata = { ...block.providerMetadata, ...part.providerMetadata };
        break;
      }
      case 'tool-call':
        content.push({ ...part, toolCallId: unusedId(part.toolCallId, usedIds) });
        break;
      case 'finish':
        finish = part;
        break;
      case 'error':
        hasError = true;
        throw part.error;
    }
    return token;
  }

  return {
    add,
    hasTokens: () => characters > 0,
    hasError: () => hasError,
    usage: () => finish?.usage,
    result(): LanguageModelV4GenerateResult {
      if (finish === undefined || !isComplete(finish.finishReason)) throw outboundFailure('broken');
      const { finishReason, usage, providerMetadata } = finish;
      // A block without text is kept if it carries the provider's data, as redacted reasoning does.
      const keptContent = content.filter((part) => !('text' in part) || part.text !== '' || part.providerMetadata);
      return { content: keptContent, finishReason, usage, warnings, ...(providerMetadata ? { providerMetadata } : {}) };
    },
  };
}

/** These say that a stream ended before its answer did, unless the provider gave them itself. */
const UNFINISHED = new Set(['error', 'interrupted', 'other']);

/** OpenAI's Responses API gives no reason of its own for an answer that is complete. */
const isComplete = ({ raw, unified }: LanguageModelV4GenerateResult['finishReason']): boolean =>
  raw !== undefined || !UNFINISHED.has(unified);

function tokenIn(part: LanguageModelV4StreamPart): string {
  if (part.type === 'tool-input-start') return part.toolName;
  return part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-input-delta'
    ? part.delta
    : '';
}

const toolCallIdsIn = ({ content }: LanguageModelV4CallOptions['prompt'][number]): string[] =>
  typeof content === 'string' ? [] : content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));

/** Some servers give the same id to several calls, but a result belongs to one call. */
function unusedId(id: string, used: Set<string>): string {
  let unused = id;
  for (let number = 2; used.has(unused); number++) unused = `${id}-${number}`;
  used.add(unused);
  return unused;
}
