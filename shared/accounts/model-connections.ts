/** How the models of a provider are reached: the part of a model's id before the slash names such a connection. */

export const MODEL_PROVIDERS = ['openai', 'anthropic', 'google', 'bedrock', 'azure', 'openai-compatible'] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/**
 * `url` is the base address that the operator set; absent: the provider's own. `key` is opened, so it lives for one call
 * only and is never logged or stored. `owner` is the organization whose own connection it is, `since` when it was stored.
 */
export type ModelConnection = { provider: ModelProvider; url?: string; key?: string; owner?: string; since?: number };

/** The organization's own connection of that name, or the operator's; undefined if there is none. */
export type ConnectionOf = (name: string, organization: string) => Promise<ModelConnection | undefined>;

/** The connections that the environment of the process sets, by name. A key may be read only once a model is called. */
export type EnvironmentConnections = ReadonlyMap<string, () => Promise<ModelConnection>>;

/** The names that the environment of a deployment can set; which of them it sets is known to the running product alone. */
export const ENVIRONMENT_CONNECTIONS: readonly string[] = ['ollama', 'anthropic', 'openai', 'google', 'bedrock'];

/** The hosts of providers that need no address. Amazon Bedrock has one in each region. */
const HOSTS: Partial<Record<ModelProvider, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
};

/** Where the calls go: to the origin of the address that the operator set, else to the provider's own. */
export const originOf = ({ provider, url }: Pick<ModelConnection, 'provider' | 'url'>): string =>
  url === undefined ? (HOSTS[provider] ?? provider) : new URL(url).origin;

/** The version segment of each protocol, which most people leave out of a base address. */
const VERSIONS: Partial<Record<ModelProvider, string>> = {
  openai: '/v1',
  'openai-compatible': '/v1',
  anthropic: '/v1',
  google: '/v1beta',
};

/** The address without a slash at its end, and with the version of the protocol if it has no path. */
export function withVersion(provider: ModelProvider, address: string): string {
  const { origin, pathname } = new URL(address);
  const path = pathname.replace(/\/+$/, '');
  return `${origin}${path === '' ? (VERSIONS[provider] ?? '') : path}`;
}

/** Whether the calls stay on this machine. */
export const isLocal = (connection: Pick<ModelConnection, 'provider' | 'url'>): boolean =>
  connection.url !== undefined && LOOPBACK_HOST.test(new URL(connection.url).hostname);
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;
