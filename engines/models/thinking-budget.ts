/** Keeps the reasoning of older Claude models within the limit of the answer. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { withCallOptions, withProviderOptions } from './call-options.ts';

/** Claude models whose reasoning is limited by tokens. Newer ones take an effort, and reason within the limit of the answer. */
const THINKS_BY_BUDGET = /claude-(?:3-7|(?:opus|sonnet|haiku)-4(?!-[6-9]))/;
/** The share of the limit of an answer that may go into reasoning. */
const THINKING_SHARE: Partial<Record<string, number>> = { minimal: 0.06, low: 0.15, medium: 0.35, high: 0.6 };
const MIN_THINKING = 1_024;

/** The option in which the library of a provider takes the tokens for reasoning. */
const BUDGET_OPTION = { anthropic: 'thinking', bedrock: 'reasoningConfig' } as const;

type ThinkingProvider = keyof typeof BUDGET_OPTION;

export const hasThinkingBudget = (provider: string, model: string): provider is ThinkingProvider =>
  provider in BUDGET_OPTION && THINKS_BY_BUDGET.test(model);

/** The libraries add the tokens for reasoning to the limit of the answer, but budgets reserve this limit. */
export const thinkingWithinLimit = (model: LanguageModelV4, provider: ThinkingProvider): LanguageModelV4 =>
  withCallOptions(model, (options) => withThinkingBudget(options, provider));

function withThinkingBudget(
  { reasoning, ...options }: LanguageModelV4CallOptions,
  provider: ThinkingProvider,
): LanguageModelV4CallOptions {
  const { maxOutputTokens } = options;
  const share = THINKING_SHARE[reasoning ?? ''];
  if (share === undefined || maxOutputTokens === undefined) return { ...options, ...(reasoning ? { reasoning } : {}) };
  const budgetTokens = Math.max(MIN_THINKING, Math.round(share * maxOutputTokens));
  // A limit this low leaves no room for an answer.
  if (budgetTokens >= maxOutputTokens) return options;
  return withProviderOptions({ ...options, maxOutputTokens: maxOutputTokens - budgetTokens }, provider, {
    [BUDGET_OPTION[provider]]: { type: 'enabled', budgetTokens },
  });
}
