/** The connections to models that the environment of this machine sets. */
import {
  type EnvironmentConnections,
  type ModelConnection,
  withVersion,
} from '../../shared/accounts/model-connections.ts';
import {
  bedrockConfig,
  modelConfig,
  modelKeyConfig,
  ollamaConfig,
  providersConfig,
} from '../../shared/accounts/model-settings.ts';
import type { Environment } from '../../shared/core/environment.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';

/**
 * `isExplicit`: only the server that the product's own variables name. Otherwise also those that the usual variables of
 * providers name, and Ollama, whether it runs now or is started later.
 */
export function localModelConnections(
  env: Environment,
  { isExplicit }: { isExplicit: boolean },
): EnvironmentConnections {
  const connections = new Map<string, ModelConnection>();
  if (!isExplicit) {
    connections.set('ollama', { provider: 'openai-compatible', url: `${ollamaConfig(env).ollamaUrl}/v1` });
    for (const [name, { key, url }] of Object.entries(providersConfig(env))) {
      if (key === undefined) continue;
      const provider = name as keyof ReturnType<typeof providersConfig>;
      // Behind another address of OpenAI's protocol there is a gateway, which may have less than OpenAI has.
      const isGateway = provider === 'openai' && url !== undefined;
      const connection = { provider, key, ...definedFields({ url: url && withVersion(provider, url) }) };
      connections.set(name, isGateway ? { ...connection, provider: 'openai-compatible' } : connection);
    }
  }
  const { awsRegion, awsCredentials } = bedrockConfig(env);
  if (!isExplicit && awsRegion !== undefined && awsCredentials) connections.set('bedrock', { provider: 'bedrock' });
  const { address: url } = modelConfig(env);
  const { key } = modelKeyConfig(env);
  if (url !== undefined) connections.set('openai', { provider: 'openai-compatible', url, ...definedFields({ key }) });
  return new Map([...connections].map(([name, connection]) => [name, async () => connection]));
}
