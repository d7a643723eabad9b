/** Which URLs an SSO issuer may have: judged by their text when the operator sets them, and the keys' URL again at every fetch. */
import { isIP } from 'node:net';
import { checkUrl, hostOf, portOf } from './judge-address.ts';
import { operatorPolicy, publicPolicy, type UrlPolicy } from './policy.ts';
import { isMetadataIp } from './public-ip.ts';

type IssuerOptions = { allowsPrivate: boolean; ca?: string | undefined };

export const issuerPolicy = (url: string, { allowsPrivate, ca }: IssuerOptions): UrlPolicy =>
  allowsPrivate
    ? operatorPolicy({ origins: [url], ...(ca === undefined ? {} : { ca }) })
    : publicPolicy({ ownHosts: [] });

const FIRST_UNPRIVILEGED_PORT = 1_024;

/** Why this URL cannot be used, as the rest of a sentence; undefined for one that can. */
export function issuerUrlFault(text: string, allowsPrivate: boolean): string | undefined {
  if (checkUrl(text, publicPolicy({ ownHosts: [] })).ok) return undefined;
  if (!allowsPrivate) {
    return 'must be a public HTTPS URL; add --allow-private if the issuer is inside your own network';
  }
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') return 'must be an HTTPS URL';
  const port = portOf(url);
  if (port !== 443 && port < FIRST_UNPRIVILEGED_PORT)
    return `must use port 443 or one from ${FIRST_UNPRIVILEGED_PORT} on`;
  const host = hostOf(url);
  return isIP(host) !== 0 && isMetadataIp(host) ? 'must not lead to a link-local or metadata address' : undefined;
}
