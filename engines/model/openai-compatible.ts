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

export const openAiCompatible = ({ address, key, request }: Options): Provider => {
  const policy = operatorPolicy({ origins: [new URL(address).origin] });
  return async (name) => {
    const apiKey = await key();
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'openai',
      baseURL: address,
      ...(apiKey === undefined ? {} : { apiKey }),
      fetch: asFetch({ request, policy, ...MODEL_REQUEST }),
    });
    return provider.chatModel(name);
  };
};
