/** Connects a model through its provider's library, which is loaded on first use. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ConnectionOf, ModelConnection } from '../../shared/accounts/model-connections.ts';
import type { OutboundRequest } from '../outbound/request.ts';
import { openAiCompatible } from './openai-compatible.ts';

/** Connects models of Amazon Bedrock with the credentials of this process. */
type BedrockModels = (name: string) => Promise<LanguageModelV4>;

type ConnectPorts = { request: OutboundRequest; bedrock?: BedrockModels };

export type FindModel = (
  id: { connection: string; model: string },
  organization: string,
) => Promise<LanguageModelV4 | undefined>;

async function connectModel(
  connection: ModelConnection,
  model: string,
  { request, bedrock }: ConnectPorts,
): Promise<LanguageModelV4 | undefined> {
  const { provider, url, key } = connection;
  if (provider === 'bedrock') return bedrock?.(model);
  if (url === undefined) return undefined;
  return openAiCompatible({ baseUrl: url, key: async () => key, request })(model);
}

export const modelFinder =
  (connectionOf: ConnectionOf, ports: ConnectPorts): FindModel =>
  async ({ connection: name, model }, organization) => {
    const connection = await connectionOf(name, organization);
    return connection && connectModel(connection, model, ports);
  };
