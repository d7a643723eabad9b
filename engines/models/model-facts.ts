/** What a person should know of a model before the first task: what it costs, and where files are sent. */
import { isLocal, type ModelConnection, originOf } from '../../shared/accounts/model-connections.ts';
import { type OwnProfiles, profileOf } from './profile.ts';

/** `sentTo` is the host that receives what a task reads; null if that is this machine. */
export type ModelFacts = { model: string; price: string; sentTo: string | null };

const dollars = (amount: number): string => `${amount} US dollars`;

/** Undefined if nobody knows the price. */
export function priceWords(id: string, connection: ModelConnection, ownProfiles: OwnProfiles): string | undefined {
  const { price } = profileOf(id, ownProfiles);
  if (price === undefined) return isLocal(connection) ? 'free: it runs on this machine' : undefined;
  return `${dollars(price.input)} in, ${dollars(price.output)} out per million tokens (list price of ${price.asOf})`;
}

export const modelFacts = (id: string, connection: ModelConnection, ownProfiles: OwnProfiles): ModelFacts => ({
  model: id,
  price: priceWords(id, connection, ownProfiles) ?? 'its price is not known',
  sentTo: isLocal(connection) ? null : hostOf(connection),
});

function hostOf(connection: ModelConnection): string {
  const origin = originOf(connection);
  return connection.provider === 'bedrock' && connection.url === undefined ? 'Amazon Bedrock' : new URL(origin).host;
}
