/** Decides which host names are public, by their form and their suffix. */
import { domainToUnicode } from 'node:url';

/** The limits of a public host name apply to the host as the URL parser normalized it. */
const MAX_HOST_LENGTH = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const UNDECODED_LABEL = /(^|\.)xn--/;

/** Suffixes that are never public. `cluster.local` and `home.arpa` fall under `local` and `arpa`. */
const REFUSED_SUFFIXES = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'lan',
  'corp',
  'home',
  'private',
  'test',
  'example',
  'invalid',
  'onion',
  'arpa',
  'consul',
  'svc',
];

/** A numeric last label needs no check: the URL parser reads such a host as an IPv4 address or rejects it. */
export function isPublicName(host: string): boolean {
  const labels = host.split('.');
  if (labels.length < 2) return false;
  if (host.length > MAX_HOST_LENGTH) return false;
  if (!labels.every((label) => LABEL.test(label))) return false;
  // The URL parser accepts punycode that decodes to nothing.
  return !UNDECODED_LABEL.test(domainToUnicode(host));
}

export const hasRefusedSuffix = (host: string): boolean =>
  REFUSED_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`));
