/**
 * How the models of each provider are reached, through the AI SDK's library for it. This file and the libraries are a bundle
 * of their own, which a worker loads with its first model.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { asFetch, type FetchFunction } from '../outbound/clients.ts';
import type { OutboundRequest } from '../outbound/request.ts';
import { operatorPolicy } from '../outbound/ssrf-policy.ts';
import { MODEL_REQUEST } from './call-limits.ts';
import { withCallOptions, withProviderOptions } from './call-options.ts';
import { openAiCompatible } from './openai-compatible.ts';

/** The operator sets the URL, which has its version segment. It may be private. */
type Reached = { baseUrl: string; key?: string; request: OutboundRequest };

/** Creates a model on first use, as this loads the provider's library. */
type ModelsOf = (reached: Reached) => (name: string) => Promise<LanguageModelV4>;

const fetchTo = ({ baseUrl, request }: Reached): FetchFunction =>
  asFetch({ request, policy: operatorPolicy({ origins: [new URL(baseUrl).origin] }), ...MODEL_REQUEST });

/**
 * By the Responses API: newer models take an effort of reasoning together with tools only there. Nothing is stored at
 * OpenAI, so reasoning goes to and fro encrypted. Summaries of it are not requested, as they need a verified organization.
 */
const OPENAI_OPTIONS = { store: false, reasoningSummary: null };

const openAi: ModelsOf = (reached) => async (name) => {
  const { createOpenAI } = await import('@ai-sdk/openai');
  const { baseUrl: baseURL, key: apiKey = '' } = reached;
  const model = createOpenAI({ baseURL, apiKey, fetch: fetchTo(reached) }).responses(name);
  return withCallOptions(model, (options) => withProviderOptions(options, 'openai', OPENAI_OPTIONS));
};

/**
 * Azure's v1 API is OpenAI's, with the key in a header of its own. A deployment has any name, so the library cannot tell by
 * it whether the model reasons: an effort that is requested is sent.
 */
const azure: ModelsOf = (reached) => async (name) => {
  const { createOpenAI } = await import('@ai-sdk/openai');
  const { baseUrl: baseURL, key = '' } = reached;
  const fetch = withApiKeyHeader(fetchTo(reached), key);
  const model = createOpenAI({ baseURL, apiKey: key, fetch }).responses(name);
  return withCallOptions(model, (options) =>
    withProviderOptions(options, 'openai', {
      ...OPENAI_OPTIONS,
      ...(options.reasoning === undefined ? {} : { forceReasoning: true }),
    }),
  );
};

const withApiKeyHeader =
  (fetch: FetchFunction, key: string): FetchFunction =>
  (input, init = {}) => {
    const headers = new Headers(init.headers);
    headers.delete('authorization');
    headers.set('api-key', key);
    return fetch(input, { ...init, headers });
  };

const anthropic: ModelsOf = (reached) => async (name) => {
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const { baseUrl: baseURL, key: apiKey = '' } = reached;
  return createAnthropic({ baseURL, apiKey, fetch: fetchTo(reached) })(name);
};

const google: ModelsOf = (reached) => async (name) => {
  const { createGoogle } = await import('@ai-sdk/google');
  const { baseUrl: baseURL, key: apiKey = '' } = reached;
  return createGoogle({ baseURL, apiKey, fetch: fetchTo(reached) })(name);
};

export const PROVIDERS = { openai: openAi, azure, anthropic, google, 'openai-compatible': openAiCompatible } as const;
