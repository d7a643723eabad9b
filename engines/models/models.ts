/** Finds the model for an id, which is `provider/name`, and tells which models accept images. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import { systemWait } from '../../shared/core/time.ts';
import { TaskFailure, type Work } from '../../shared/tasks/agent.ts';
import { asFetch } from '../outbound/clients.ts';
import type { OutboundRequest } from '../outbound/request.ts';
import { operatorPolicy } from '../outbound/ssrf-policy.ts';
import { MODEL_REQUEST, type RetryTiming, withConcurrencyLimit, withRetries } from './call-limits.ts';
import { withMetering } from './metering.ts';
import { OFFLINE, offlineModel } from './offline.ts';

/** Creates a model on first use, as this loads the provider's library. */
type ModelProvider = (name: string) => Promise<LanguageModelV4>;

/** Concurrent calls per organization in this process. The wait between two attempts of a call does not count. */
const MAX_CONCURRENT_CALLS = 100;

/** Returns the model for a task, whose meter counts the calls. Throws a TaskFailure if the model is not configured. */
export type ModelOf = (id: string, work: Pick<Work, 'address' | 'meter'>) => Promise<LanguageModelV4>;

export function models(providers: Readonly<Record<string, ModelProvider>>, timing: RetryTiming): ModelOf {
  const all: Readonly<Record<string, ModelProvider>> = { offline: offlineProvider, ...providers };
  const calls = semaphore({ name: 'modelCalls', capacity: capacityFor(MAX_CONCURRENT_CALLS) });
  return async function modelOf(id, { address, meter }) {
    const slash = id.indexOf('/');
    const provider = Object.hasOwn(all, id.slice(0, slash)) ? all[id.slice(0, slash)] : undefined;
    const model = await provider?.(id.slice(slash + 1));
    if (model) {
      meter.use(id);
      const counted = withMetering(model, meter);
      if (model.provider === OFFLINE) return withRetries(counted, id, timing);
      return withRetries(withConcurrencyLimit(counted, calls, address.organization), id, timing);
    }
    throw new TaskFailure('MODEL_UNAVAILABLE', `The model ${id} is not set up here; name another one.`);
  };
}

const offlineProvider: ModelProvider = async (name) => {
  if (name === 'extractive') return offlineModel();
  throw new TaskFailure('MODEL_UNAVAILABLE', `There is no offline model ${name}.`);
};

/** Patterns for model names without the region prefix of inference profiles. */
const BEDROCK_VISION_MODELS = [
  /^anthropic\.claude-(3-(opus|sonnet|haiku|7)|3-5-sonnet|(opus|sonnet|haiku)-[4-9])/,
  /^amazon\.nova-(2-)?(lite|pro|premier)/,
  /^meta\.llama(3-2-(11|90)b|4-)/,
  /^mistral\.pixtral/,
];
const PROFILE = /^[a-z-]{2,6}\./;

/** Patterns for model names without the vendor prefix that some servers add. */
const OPENAI_VISION_MODELS = [
  /^gpt-(4o|4\.1|4-turbo|5)/,
  /^o[34](-|$)/,
  /^(llava|bakllava|moondream|minicpm-v|pixtral)/,
  /^(meta-)?llama-?4/,
  /^gemma-?3([:-](4b|12b|27b|latest)|$)/,
  /^qwen[\d.]*-?vl/,
  /-vision/,
];

const HAS_VISION: Readonly<Record<string, (name: string) => boolean>> = {
  bedrock: (name) =>
    [name, name.replace(PROFILE, '')].some((each) => BEDROCK_VISION_MODELS.some((known) => known.test(each))),
  openai: (name) => {
    const last = name.toLowerCase().split('/').at(-1) ?? '';
    return OPENAI_VISION_MODELS.some((known) => known.test(last));
  },
};

/**
 * Returns a check for models that accept images: those that the operator lists, or else those with known names. The
 * offline model never accepts images.
 */
export function visionSupport(configured: readonly string[] | undefined): (id: string) => boolean {
  if (configured) return (id) => configured.includes(id) && !id.startsWith('offline/');
  return (id) => {
    const slash = id.indexOf('/');
    const provider = id.slice(0, slash);
    return Object.hasOwn(HAS_VISION, provider) && HAS_VISION[provider]?.(id.slice(slash + 1)) === true;
  };
}

type OpenAiOptions = {
  /**
   * The URL with its version segment, such as http://127.0.0.1:11434/v1. The operator sets it, so it may be private.
   */
  baseUrl: string;
  key(): Promise<string | undefined>;
  request: OutboundRequest;
};

/** OpenAI's reasoning models reject `max_tokens`, which all other models accept. */
const TAKES_COMPLETION_TOKENS = /^(gpt-[5-9]|o\d)/;
const renameTokenLimit = ({ max_tokens, ...body }: Record<string, unknown>) => ({
  ...body,
  max_completion_tokens: max_tokens,
});

/** Models behind a URL that speaks OpenAI's protocol: a provider's, or a local server such as Ollama. */
export const openAiCompatible = ({ baseUrl, key, request }: OpenAiOptions): ModelProvider => {
  const policy = operatorPolicy({ origins: [new URL(baseUrl).origin] });
  return async (name) => {
    const apiKey = await key();
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'openai',
      baseURL: baseUrl,
      // OpenAI, Ollama and vLLM all enforce an answer's schema.
      supportsStructuredOutputs: true,
      ...definedFields({ apiKey }),
      ...(TAKES_COMPLETION_TOKENS.test(name) ? { transformRequestBody: renameTokenLimit } : {}),
      fetch: asFetch({ request, policy, ...MODEL_REQUEST }),
    });
    return provider.chatModel(name);
  };
};

type OpenAiSettings = { baseUrl: string | undefined; key(): Promise<string | undefined> };

/** The models that the settings configure, in addition to the offline model. */
export function configuredModels(
  { baseUrl, key }: OpenAiSettings,
  request: OutboundRequest,
  more: Record<string, ModelProvider> = {},
) {
  const openai: Record<string, ModelProvider> =
    baseUrl === undefined ? {} : { openai: openAiCompatible({ baseUrl, key, request }) };
  return models({ ...openai, ...more }, { wait: systemWait, chance: Math.random });
}
