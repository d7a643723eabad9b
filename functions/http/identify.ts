/** Who calls, by an API key or an access token: both APIs accept both. */
import type { Caller } from '../../shared/accounts/caller.ts';
import { bearerIn } from './bearer.ts';
import type { HttpRequestMessage } from './message.ts';

export type CredentialOwners = {
  keyOwner(text: string): Promise<Caller | undefined>;
  tokenOwner(text: string): Promise<Caller | undefined>;
};

/** A Bearer value wins over x-api-key, also when it is bad. Access tokens are accepted as Bearer only. */
export async function identifyByCredential(
  incoming: HttpRequestMessage,
  { keyOwner, tokenOwner }: CredentialOwners,
): Promise<Caller | undefined> {
  const bearer = bearerIn(incoming);
  const key = bearer ?? incoming.headers['x-api-key'];
  return (key && (await keyOwner(key))) || (bearer && (await tokenOwner(bearer))) || undefined;
}
