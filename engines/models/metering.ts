/**
 * Counts the tokens of every attempt of a model call.
 *
 * An answer counts as the provider reports it and a failed attempt as its error reports it. An attempt that was cut off
 * before it could report is estimated.
 */
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { type CallMeter, NO_TOKENS, type PlannedCall, type Tokens } from '../../shared/usage/usage.ts';
import { type FailureReason, isOutboundFailure } from '../outbound/failure.ts';
import { estimateTokens, tokensIn } from './context.ts';
import { BrokenStream, withGenerate } from './streaming.ts';

/** Asks the model, and passes on each piece of its answer as it arrives, if it arrives in pieces. */
type Ask = (
  options: LanguageModelV4CallOptions,
  onToken: (text: string) => void,
) => PromiseLike<LanguageModelV4GenerateResult>;

/** What a call must not pass: the limit of its answer, and the price. Without it a call costs nothing. */
type CallBounds = Pick<PlannedCall, 'model' | 'price'> & { maxOutput: number };

type MeteringOptions = { ask?: Ask; bounds?: CallBounds };

export const withMetering = (
  model: LanguageModelV4,
  meter: CallMeter,
  { ask = (options) => model.doGenerate(options), bounds }: MeteringOptions = {},
): LanguageModelV4 =>
  withGenerate(model, async (options) => {
    options.abortSignal?.throwIfAborted();
    const settle = bounds && (await meter.reserve(planOf(options, bounds)));
    let received = '';
    const onToken = (text: string) => {
      received += text;
    };
    const endCall = meter.begin(() => estimateOf(options, received), bounds?.price);
    // Settled before the caller goes on: else its next call could be refused for what this one did not spend.
    const end = async (spent: Partial<Tokens>) => {
      endCall(spent);
      await settle?.(spent);
    };
    let answer: LanguageModelV4GenerateResult;
    try {
      answer = await ask(options, onToken);
    } catch (error) {
      await end(spentByFailure(error, options, received));
      throw error;
    }
    await end(reportedIn(answer.usage) ?? estimateOf(options, JSON.stringify(answer.content)));
    return answer;
  });

function planOf(options: LanguageModelV4CallOptions, { maxOutput, ...bounds }: CallBounds): PlannedCall {
  const { inputTokens = 0 } = estimateOf(options);
  return { ...bounds, inputTokens, outputTokens: options.maxOutputTokens ?? maxOutput };
}

/** Returns undefined if the provider reports nothing. */
function reportedIn({ inputTokens, outputTokens }: LanguageModelV4Usage): Partial<Tokens> | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
    reasoningTokens: outputTokens.reasoning ?? 0,
  };
}

/** A rejected request costs nothing unless its response reports tokens. A request that was never sent costs nothing. */
function spentByFailure(error: unknown, options: LanguageModelV4CallOptions, received: string): Partial<Tokens> {
  if (error instanceof BrokenStream) {
    return (error.usage && reportedIn(error.usage)) ?? estimateOf(options, received);
  }
  if (received !== '') return estimateOf(options, received);
  const { statusCode, responseBody } = APICallError.isInstance(error) ? error : {};
  const reported = responseBody === undefined ? undefined : reportedInBody(responseBody);
  if (reported) return reported;
  const isAnswered = statusCode !== undefined && (statusCode < 200 || statusCode > 299);
  if (isAnswered || !(options.abortSignal?.aborted || statusCode !== undefined || wasSent(error))) return NO_TOKENS;
  return estimateOf(options, responseBody);
}

/** Reads usage in the formats of OpenAI's protocol and of Amazon Bedrock. */
function reportedInBody(body: string): Partial<Tokens> | undefined {
  const { prompt_tokens, completion_tokens, inputTokens, outputTokens } = usageIn(body);
  const [sent, answered] = [prompt_tokens ?? inputTokens, completion_tokens ?? outputTokens];
  if (!isCount(sent) && !isCount(answered)) return undefined;
  return { inputTokens: isCount(sent) ? sent : 0, outputTokens: isCount(answered) ? answered : 0 };
}

function usageIn(body: string): Record<string, unknown> {
  try {
    return (JSON.parse(body) as { usage?: Record<string, unknown> } | null)?.usage ?? {};
  } catch {
    return {};
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** With these failures, the request may have reached the provider, which may have worked on it. */
const SENT: ReadonlySet<string> = new Set<FailureReason>([
  'headersTime',
  'idleTime',
  'totalTime',
  'tooLarge',
  'broken',
]);

function wasSent(error: unknown): boolean {
  if (isOutboundFailure(error)) return error.kind === 'failed' && SENT.has(error.reason);
  return error instanceof Error && error.cause !== undefined && wasSent(error.cause);
}

/** Estimates what was sent and the part of the answer that arrived. */
function estimateOf(options: LanguageModelV4CallOptions, received = ''): Partial<Tokens> {
  const inputTokens = estimateTokens(options);
  const outputTokens = tokensIn(received);
  return { inputTokens, outputTokens, estimatedInputTokens: inputTokens, estimatedOutputTokens: outputTokens };
}
