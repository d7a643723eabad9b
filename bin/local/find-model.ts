/** Looks for a language model that a new state can use: Ollama on this machine, else the key of a provider. */
import * as v from 'valibot';
import { asFetch } from '../../engines/outbound/clients.ts';
import type { OutboundRequest } from '../../engines/outbound/request.ts';
import { operatorPolicy } from '../../engines/outbound/ssrf-policy.ts';
import type { EnvironmentConnections } from '../../shared/accounts/model-connections.ts';

/** The model of each provider that is used where nobody names one. */
const DEFAULT_MODELS = [
  ['anthropic', 'claude-sonnet-5-5'],
  ['openai', 'gpt-5.6'],
  ['google', 'gemini-pro-latest'],
] as const;

/** `hint`: what would make one more model usable. */
export type FoundModel = { id?: string; hint?: string };

/** A server on this machine wins over a key, because nothing leaves the machine and nothing is charged. */
export async function findModel(connections: EnvironmentConnections, request: OutboundRequest): Promise<FoundModel> {
  const names = await ollamaModels(connections, request);
  const [newest] = names ?? [];
  if (newest !== undefined) return { id: `ollama/${newest}` };
  const hint = names && 'Ollama runs here, but has no model: ollama pull llama3.2, and start again';
  const [name, model] = DEFAULT_MODELS.find(([provider]) => connections.has(provider)) ?? [];
  return { ...(name ? { id: `${name}/${model}` } : {}), ...(hint ? { hint } : {}) };
}

/** The start of the product waits for it. */
const LIMITS = { maxBytes: 1_000_000, limits: { resolveMs: 500, connectMs: 500, headersMs: 1_000, totalMs: 2_000 } };

const tags = v.object({
  models: v.array(
    v.object({
      name: v.string(),
      modified_at: v.optional(v.string(), ''),
      details: v.optional(v.object({ family: v.optional(v.string(), '') }), {}),
    }),
  ),
});

/** Models that only turn texts into vectors. */
const EMBEDS = /embed|bert/;

/** The models that can write, the newest first; undefined if no Ollama answers. */
async function ollamaModels(
  connections: EnvironmentConnections,
  request: OutboundRequest,
): Promise<string[] | undefined> {
  const connection = await connections.get('ollama')?.();
  if (connection?.url === undefined) return undefined;
  const { origin } = new URL(connection.url);
  const fetch = asFetch({ request, policy: operatorPolicy({ origins: [origin] }), ...LIMITS });
  try {
    const response = await fetch(`${origin}/api/tags`);
    if (!response.ok) return undefined;
    return v
      .parse(tags, await response.json())
      .models.filter(({ name, details }) => !EMBEDS.test(`${name} ${details.family}`))
      .sort((a, b) => b.modified_at.localeCompare(a.modified_at))
      .map(({ name }) => name);
  } catch {
    return undefined; // whatever listens there is not Ollama
  }
}
