/** Who calls, by an API key or an access token. */

import type { Caller } from '../../shared/accounts/caller.ts';
import { bearerIn, type HttpRequestMessage } from './route.ts';

/** Looks up callers by API key and by access token; both APIs accept both. */
export type CredentialOwners = {
  keyOwner(text: string): Promise<Caller | undefined>;
  tokenOwner(text: string): Promise<Caller | undefined>;
};

/** A Bearer value takes precedence over x-api-key, even if it is invalid. Access tokens are accepted as Bearer only. */
export async function identifyByCredential(
  incoming: HttpRequestMessage,
  { keyOwner, tokenOwner }: CredentialOwners,
): Promise<Caller | undefined> {
  const bearer = bearerIn(incoming);
  const key = bearer ?? incoming.headers['x-api-key'];
  return (key && (await keyOwner(key))) || (bearer && (await tokenOwner(bearer))) || undefined;
}
