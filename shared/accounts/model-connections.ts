/** How the models of a provider are reached: the part of a model's id before the slash names such a connection. */

type ModelProvider = 'openai' | 'anthropic' | 'google' | 'bedrock' | 'azure' | 'openai-compatible';

/**
 * `url` is the base address that the operator set; absent: the provider's own. `key` is opened, so it lives for one call
 * only and is never logged or stored.
 */
export type ModelConnection = { provider: ModelProvider; url?: string; key?: string };

/** The organization's own connection of that name, or the operator's; undefined if there is none. */
export type ConnectionOf = (name: string, organization: string) => Promise<ModelConnection | undefined>;
