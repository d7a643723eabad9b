/** What models cost, by a kept list (`npm run catalogue`) and the operator's entries. Small, as functions of the APIs hold it. */
import type { TokenPrice } from '../../shared/usage/tokens.ts';
import { byKey, firstRow, keysOf } from './model-names.ts';
import listed from './prices.json' with { type: 'json' };

/** In US dollars for a million tokens, and when that was so. */
export type Price = TokenPrice & { asOf: string };

const { asOf, bedrock, openai, anthropic, google } = listed;
const BEDROCK = byKey<number[]>(bedrock);
const PROVIDERS = [openai, anthropic, google].map((rows) => byKey<number[]>(rows));

/** Names that operators give to connections with servers of their own, where the same models cost nothing or something else. */
const OWN_SERVERS = new Set(['ollama', 'vllm', 'lmstudio', 'llamacpp', 'localai']);

/** By the name of the model; the name of its connection may be any. */
export function listedPrice(id: string): Price | undefined {
  const slash = id.indexOf('/');
  const connection = id.slice(0, slash);
  if (OWN_SERVERS.has(connection)) return undefined;
  const lists = connection === 'bedrock' ? [BEDROCK, ...PROVIDERS] : [...PROVIDERS, BEDROCK];
  const row = firstRow(lists, keysOf(id.slice(slash + 1)));
  if (row === undefined) return undefined;
  const [input = 0, output = 0, cachedInput] = row;
  return { input, output, ...(cachedInput === undefined ? {} : { cachedInput }), asOf };
}

/** The prices of the operator's own entries, by the id of the model. */
type OwnPrices = Readonly<Record<string, { price?: Price; context?: number }>>;

/** A task without a model costs nothing. */
export const priceCheck =
  (ownPrices: OwnPrices = {}) =>
  (id: string): boolean =>
    id.startsWith('offline/') ||
    (Object.hasOwn(ownPrices, id) && ownPrices[id]?.price !== undefined) ||
    listedPrice(id) !== undefined;
