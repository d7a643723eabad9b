/** What a public host name looks like, judged on the host as the URL parser understood it. */
import { domainToUnicode } from 'node:url';

const MAX_HOST_LENGTH = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const UNDECODED_LABEL = /(^|\.)xn--/;

/** Names that never belong to the public; `cluster.local` and `home.arpa` fall under `local` and `arpa`. */
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

/** A last label that is a number needs no check: the parser takes such a host for an IPv4 address or not at all. */
export function isPublicName(host: string): boolean {
  const labels = host.split('.');
  if (labels.length < 2) return false;
  if (host.length > MAX_HOST_LENGTH) return false;
  if (!labels.every((label) => LABEL.test(label))) return false;
  // The parser lets punycode through that stands for nothing.
  return !UNDECODED_LABEL.test(domainToUnicode(host));
}

export const hasRefusedSuffix = (host: string): boolean =>
  REFUSED_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`));
