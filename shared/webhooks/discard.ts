/** The endpoint of tasks whose caller only polls: an address of the service itself, to which nothing is sent. */

/** Below the root of either API. */
const DISCARD_PATH = '/api/v1/webhooks/discard';

/** Why it cannot be tested as a receiver. */
export const NO_RECEIVER = 'receives nothing: name a receiver of your own';

/** `hosts`: those under which the caller reached the service. `serviceUrls`: the root URLs of both APIs. */
type ServiceAddresses = { hosts: readonly string[]; serviceUrls: readonly string[] };

export function isDiscardUrl(endpoint: string, { hosts, serviceUrls }: ServiceAddresses): boolean {
  const href = URL.parse(endpoint)?.href;
  const roots = [...hosts.map((host) => `https://${host}`), ...serviceUrls];
  return href !== undefined && roots.some((root) => URL.parse(DISCARD_PATH, root)?.href === href);
}

/** All hosts of the service: no webhook goes there, also not by the other API's host. */
export const serviceHosts = ({ hosts, serviceUrls }: ServiceAddresses): string[] => [
  ...hosts,
  ...serviceUrls.map((root) => new URL(root).host),
];
