/** Asks a provider which models it has, for a message that names them. */
import * as v from 'valibot';
import { type ModelConnection, originOf, withVersion } from '../../shared/accounts/model-connections.ts';
import { asFetch } from '../outbound/clients.ts';
import type { OutboundRequest } from '../outbound/request.ts';
import { operatorPolicy } from '../outbound/ssrf-policy.ts';

const LIMITS = { maxBytes: 5_000_000, limits: { connectMs: 3_000, headersMs: 10_000, totalMs: 20_000 } };

const listed = v.union([
  v.object({ data: v.array(v.object({ id: v.string() })) }),
  v.object({ models: v.array(v.object({ name: v.string() })) }),
]);

/** By the protocol, how a request shows the key. */
const HEADERS: Partial<Record<ModelConnection['provider'], (key: string) => Record<string, string>>> = {
  openai: (key) => ({ authorization: `Bearer ${key}` }),
  'openai-compatible': (key) => ({ authorization: `Bearer ${key}` }),
  anthropic: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  google: (key) => ({ 'x-goog-api-key': key }),
};

/** Undefined if the provider has no such list, or does not give it. */
export async function modelNames(connection: ModelConnection, request: OutboundRequest): Promise<string[] | undefined> {
  const { provider, key } = connection;
  const headersOf = HEADERS[provider];
  if (!headersOf) return undefined;
  const baseUrl = withVersion(provider, connection.url ?? originOf(connection));
  const fetch = asFetch({ request, policy: operatorPolicy({ origins: [new URL(baseUrl).origin] }), ...LIMITS });
  try {
    const response = await fetch(`${baseUrl}/models`, { headers: key === undefined ? {} : headersOf(key) });
    const answer = v.parse(listed, await response.json());
    return 'data' in answer
      ? answer.data.map(({ id }) => id)
      : answer.models.map(({ name }) => name.replace(/^models\//, ''));
  } catch {
    return undefined;
  }
}
