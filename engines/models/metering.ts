/**
 * Counts the tokens of every attempt of a model call.
 *
 * An answer counts as the provider reports it, if that can be true, and a failed attempt as its error reports it. An attempt
 * that was cut off before it could report is estimated.
 */
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { CallMeter, PlannedCall } from '../../shared/usage/meter.ts';
import { NO_TOKENS, type Tokens } from '../../shared/usage/tokens.ts';
import { type FailureReason, isOutboundFailure } from '../outbound/failure.ts';
import { estimateTokens, TOKEN_BYTES, tokensIn } from './context.ts';
import { credibleUsage, credibleUsageInBody } from './reported-usage.ts';
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
    const spent = tokensOf(answer.usage, options, () => JSON.stringify(answer.content));
    await end(spent);
    return { ...answer, usage: usageOf(answer.usage, spent) };
  });

function planOf(options: LanguageModelV4CallOptions, { maxOutput, ...bounds }: CallBounds): PlannedCall {
  return { ...bounds, inputTokens: estimateTokens(options), outputTokens: options.maxOutputTokens ?? maxOutput };
}

/** The tokens of an answer. A side that the provider does not report, or cannot have counted so, is estimated. */
function tokensOf(
  usage: LanguageModelV4Usage,
  options: LanguageModelV4CallOptions,
  received: () => string,
): Partial<Tokens> {
  const credible = credibleUsage(usage, {
    sentBytes: () => estimateTokens(options) * TOKEN_BYTES,
    receivedBytes: () => Buffer.byteLength(received()),
  });
  const { inputTokens = estimateTokens(options), outputTokens = tokensIn(received()) } = credible;
  return {
    ...credible,
    inputTokens,
    outputTokens,
    ...(credible.inputTokens === undefined ? { estimatedInputTokens: inputTokens } : {}),
    ...(credible.outputTokens === undefined ? { estimatedOutputTokens: outputTokens } : {}),
  };
}

/**
 * A refusal, and anything else than an answer, costs nothing unless it reports tokens. A request that was never sent costs
 * nothing. An answer that broke off, or that nobody waited for, is estimated.
 */
function spentByFailure(error: unknown, options: LanguageModelV4CallOptions, received: string): Partial<Tokens> {
  if (error instanceof BrokenStream && error.usage) return tokensOf(error.usage, options, () => received);
  if (received !== '') return estimateOf(options, received);
  if (error instanceof BrokenStream) return error.isRefusal && !wasSent(error) ? NO_TOKENS : estimateOf(options);
  const { statusCode, responseBody } = APICallError.isInstance(error) ? error : {};
  const reported = credibleUsageInBody(responseBody ?? '', () => estimateTokens(options) * TOKEN_BYTES);
  const isRefused = statusCode !== undefined && (statusCode < 200 || statusCode > 299);
  if (isRefused || Object.keys(reported).length > 0) return reported;
  return options.abortSignal?.aborted || wasSent(error) ? estimateOf(options) : NO_TOKENS;
}

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

/** The usage of an answer with the totals that count, as limits of a task's steps are measured by it as well. */
const usageOf = (reported: LanguageModelV4Usage, spent: Partial<Tokens>): LanguageModelV4Usage => ({
  ...reported,
  inputTokens: { ...reported.inputTokens, total: spent.inputTokens },
  outputTokens: { ...reported.outputTokens, total: spent.outputTokens },
});

/** Estimates what was sent and the part of the answer that arrived. */
function estimateOf(options: LanguageModelV4CallOptions, received = ''): Partial<Tokens> {
  const inputTokens = estimateTokens(options);
  const outputTokens = tokensIn(received);
  return { inputTokens, outputTokens, estimatedInputTokens: inputTokens, estimatedOutputTokens: outputTokens };
}
