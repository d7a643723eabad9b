/** Finds the model for a connection and connects it through its provider's library, which is loaded on first use. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ConnectionOf, ModelConnection } from '../../shared/accounts/model-connections.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { isProblem } from '../../shared/core/problem.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import type { OutboundRequest } from '../outbound/request.ts';
import type { PROVIDERS } from './providers.ts';
import { hasThinkingBudget, thinkingWithinLimit } from './thinking-budget.ts';

/** Connects models of Amazon Bedrock, with the key or else the credentials of this process; undefined if it has none. */
export type BedrockModels = (
  name: string,
  reached: Pick<ModelConnection, 'url' | 'key'>,
) => Promise<LanguageModelV4 | undefined>;

type ConnectPorts = {
  request: OutboundRequest;
  loadProviders(): Promise<{ PROVIDERS: typeof PROVIDERS }>;
  bedrock?: BedrockModels;
};

/** `owner`: the organization whose own connection it is; absent: one for all. `since`: when it was stored. */
export type ConnectedModel = { model: LanguageModelV4; owner?: string; since?: number };

export type FindModel = (
  id: { connection: string; model: string },
  organization: string,
) => Promise<ConnectedModel | undefined>;

/** The addresses of providers that have one for everybody. */
const PUBLIC_URLS: Partial<Record<ModelConnection['provider'], string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

async function connectModel(
  { provider, url, key }: ModelConnection,
  name: string,
  { request, loadProviders, bedrock }: ConnectPorts,
): Promise<LanguageModelV4 | undefined> {
  if (provider === 'bedrock') return bedrock?.(name, definedFields({ url, key }));
  // A server at an operator's address may need no key; a provider does.
  const baseUrl = url ?? (key === undefined ? undefined : PUBLIC_URLS[provider]);
  if (baseUrl === undefined) return undefined;
  const { PROVIDERS } = await loadProviders();
  return PROVIDERS[provider]({ baseUrl, request, ...definedFields({ key }) })(name);
}

/** After the master secret was replaced twice, no key opens what was sealed before. */
const orUnreadable = (name: string) => (error: unknown) => {
  if (!isProblem(error, 'unreadable')) throw error;
  const message = `The key of ${name} cannot be opened any more; ask the operator to add the connection again.`;
  throw new TaskFailure('MODEL_UNAVAILABLE', message, { cause: error });
};

export const modelFinder =
  (connectionOf: ConnectionOf, ports: ConnectPorts): FindModel =>
  async ({ connection: connectionName, model: name }, organization) => {
    const connection = await connectionOf(connectionName, organization).catch(orUnreadable(connectionName));
    const connected = connection && (await connectModel(connection, name, ports));
    if (!connected) return undefined;
    const { provider, owner, since } = connection;
    const model = hasThinkingBudget(provider, name) ? thinkingWithinLimit(connected, provider) : connected;
    return { model, ...definedFields({ owner, since }) };
  };
