/** What a model costs, in words. */
import { isLocal, type ModelConnection } from '../../shared/accounts/model-connections.ts';
import { type OwnProfiles, profileOf } from './model-table.ts';

const dollars = (amount: number): string => `${amount} US dollars`;

/** Undefined if nobody knows the price. */
export function priceWords(id: string, connection: ModelConnection, own: OwnProfiles): string | undefined {
  const { price } = profileOf(id, own);
  if (price === undefined) return isLocal(connection) ? 'free: it runs on this machine' : undefined;
  return `${dollars(price.input)} in, ${dollars(price.output)} out per million tokens (list price of ${price.asOf})`;
}
