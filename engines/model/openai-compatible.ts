/** Models behind an address that speaks OpenAI's protocol: a provider's, or one's own, such as Ollama's. */
import { asFetch } from '../outbound/as-fetch.ts';
import type { OutboundRequest } from '../outbound/outbound.ts';
import { operatorPolicy } from '../outbound/policy.ts';
import { MODEL_REQUEST } from './model-request.ts';
import type { ModelProvider } from './models.ts';

type OpenAiOptions = {
  /** With its version segment, such as http://127.0.0.1:11434/v1: the operator's own words, so it may lead anywhere. */
  baseUrl: string;
  key(): Promise<string | undefined>;
  request: OutboundRequest;
};

/** OpenAI's models that think refuse the name of the limit that all others know. */
const TAKES_COMPLETION_TOKENS = /^(gpt-[5-9]|o\d)/;
const renameTokenLimit = ({ max_tokens, ...body }: Record<string, unknown>) => ({
  ...body,
  max_completion_tokens: max_tokens,
});

export const openAiCompatible = ({ address: baseUrl, key, request }: OpenAiOptions): ModelProvider => {
  const policy = operatorPolicy({ origins: [new URL(baseUrl).origin] });
  return async (name) => {
    const apiKey = await key();
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'openai',
      baseURL: baseUrl,
      // OpenAI, Ollama and vLLM all hold an answer to a schema.
      supportsStructuredOutputs: true,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(TAKES_COMPLETION_TOKENS.test(name) ? { transformRequestBody: renameTokenLimit } : {}),
      fetch: asFetch({ request, policy, ...MODEL_REQUEST }),
    });
    return provider.chatModel(name);
  };
};
