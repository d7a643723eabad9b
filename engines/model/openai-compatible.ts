/** Models behind an address that speaks OpenAI's protocol: a provider's, or one's own, such as Ollama's. */
import { asFetch } from '../outbound/as-fetch.ts';
import type { Request } from '../outbound/outbound.ts';
import { operatorPolicy } from '../outbound/policy.ts';
import { MODEL_REQUEST } from './model-request.ts';
import type { Provider } from './models.ts';

type Options = {
  /** With its version segment, such as http://127.0.0.1:11434/v1: the operator's own words, so it may lead anywhere. */
  address: string;
  key(): Promise<string | undefined>;
  request: Request;
};

/** OpenAI's models that think refuse the name of the limit that all others know. */
const BY_ITS_NEW_NAME = /^(gpt-[5-9]|o\d)/;
const renamed = ({ max_tokens, ...body }: Record<string, unknown>) => ({ ...body, max_completion_tokens: max_tokens });

export const openAiCompatible = ({ address, key, request }: Options): Provider => {
  const policy = operatorPolicy({ origins: [new URL(address).origin] });
  return async (name) => {
    const apiKey = await key();
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'openai',
      baseURL: address,
      // OpenAI, Ollama and vLLM all hold an answer to a schema.
      supportsStructuredOutputs: true,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(BY_ITS_NEW_NAME.test(name) ? { transformRequestBody: renamed } : {}),
      fetch: asFetch({ request, policy, ...MODEL_REQUEST }),
    });
    return provider.chatModel(name);
  };
};
