/** Tells by its text alone why webhooks cannot go to an address later; every connection judges it again. */
import { checkUrl } from './judge-address.ts';
import { localWebhookPolicy, publicPolicy } from './policy.ts';

/** Undefined = they may. `ownHosts`: where the caller reached us. */
type EndpointCheck = (address: string, ownHosts: string[]) => string | undefined;

const NOT_PUBLIC = 'must be a public HTTPS address';

export const publicEndpointFault: EndpointCheck = (address, ownHosts) =>
  checkUrl(address, publicPolicy({ ownHosts })).ok ? undefined : NOT_PUBLIC;

const WITHOUT_PORT = /^http:\/\/(127\.0\.0\.1|localhost)([/?#]|$)/i;

/** The local product alone takes receivers on this very machine, too. */
export function localEndpointFault(address: string, ownHosts: string[]): string | undefined {
  if (checkUrl(address, localWebhookPolicy({ ownHosts })).ok) return undefined;
  return WITHOUT_PORT.test(address) ? 'must name its port on this machine, such as http://127.0.0.1:4100/' : NOT_PUBLIC;
}
