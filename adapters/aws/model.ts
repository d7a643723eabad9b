/** Models of Amazon Bedrock, by the name of a model or of an inference profile. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type EndpointVariant, regionHost } from './client/account.ts';

type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
type Fetch = (input: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

export type BedrockOptions = {
  region(): Promise<string>;
  credentials(): Promise<Credentials>;
  /** Selects the region's endpoint: FIPS, dual-stack, or neither. */
  variant?(): EndpointVariant;
  /** Returns the fetch function for Bedrock's endpoint in the region. */
  fetchTo(origin: string): Fetch;
  /** Overrides Bedrock's own endpoint. */
  address?: string;
};

export function bedrockModels({ region, credentials, variant, fetchTo, address }: BedrockOptions) {
  return async (name: string): Promise<LanguageModelV4> => {
    const here = await region();
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const baseURL = address ?? `https://${regionHost('bedrock-runtime', here, variant?.())}`;
    const fetch = fetchTo(new URL(baseURL).origin);
    const model = createAmazonBedrock({ region: here, credentialProvider: credentials, fetch, baseURL })(name);
    return THINKS_BY_BUDGET.test(name) ? thinkingWithinLimit(model) : model;
  };
}

/** Claude models whose reasoning is limited by tokens. Newer ones take an effort, and reason within the limit of the answer. */
const THINKS_BY_BUDGET = /anthropic\.claude-(?:3-7-sonnet|(?:opus|sonnet|haiku)-4(?:-[0-5])?-\d{8})/;
/** The share of the limit of an answer that may go into reasoning. */
const THINKING_SHARE: Partial<Record<string, number>> = { minimal: 0.06, low: 0.15, medium: 0.35, high: 0.6 };
const MIN_THINKING = 1_024;

/** The library adds the tokens for reasoning to the limit of the answer, but budgets reserve this limit. */
const thinkingWithinLimit = (model: LanguageModelV4): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (options) => model.doGenerate(withThinkingBudget(options)),
  doStream: (options) => model.doStream(withThinkingBudget(options)),
});

function withThinkingBudget({ reasoning, ...options }: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { maxOutputTokens, providerOptions = {} } = options;
  const share = THINKING_SHARE[reasoning ?? ''];
  if (share === undefined || maxOutputTokens === undefined) return { ...options, ...(reasoning ? { reasoning } : {}) };
  const budgetTokens = Math.max(MIN_THINKING, Math.round(share * maxOutputTokens));
  // A limit this low leaves no room for an answer.
  if (budgetTokens >= maxOutputTokens) return options;
  const reasoningConfig = { type: 'enabled', budgetTokens };
  return {
    ...options,
    maxOutputTokens: maxOutputTokens - budgetTokens,
    providerOptions: { ...providerOptions, bedrock: { ...providerOptions.bedrock, reasoningConfig } },
  };
}
