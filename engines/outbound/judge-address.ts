/** Judges an address by its text alone: no look-up, no connection. */
import { isIP } from 'node:net';
import type { RefusalReason } from './failure.ts';
import { hasRefusedSuffix, isPublicName } from './host-name.ts';
import { isOwnUrl } from './own-address.ts';
import type { UrlPolicy } from './policy.ts';
import { isLoopbackIp, isMetadataIp, isPublicIp } from './public-ip.ts';
import { isRefusedPort } from './service-ports.ts';

/** Where the name may lead: what its DNS answers will be held against. */
export type Reach = 'public' | 'loopback' | 'anywhere';
export type CheckedUrl = { url: URL; reach: Reach };
export type UrlVerdict = ({ ok: true } & CheckedUrl) | { ok: false; reason: RefusalReason };

const MAX_URL_LENGTH = 2048;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Even an empty user and password, which the parsed address no longer shows. */
const CREDENTIALS = /^\s*[a-z]+:[/\\]*[^/\\?#]*@/i;
const LOOPBACK_URL = /^http:\/\/(127\.0\.0\.1|localhost):\d{1,5}([/?#]|$)/i;

export function checkUrl(text: string, policy: UrlPolicy): UrlVerdict {
  const refuse = (reason: RefusalReason): UrlVerdict => ({ ok: false, reason });
  const url = text.length > MAX_URL_LENGTH || CONTROL.test(text) ? null : URL.parse(text);
  if (!url) return refuse('text');
  if (CREDENTIALS.test(text)) return refuse('credentials');
  if (policy.origins.includes(url.origin)) return { ok: true, url, reach: 'anywhere' };
  const isLoopback = policy.allowsLoopback && LOOPBACK_URL.test(text);
  if (isOwnUrl(url, policy) && !(isLoopback && isReceiver(url, policy))) return refuse('own');
  if (isLoopback) return { ok: true, url, reach: 'loopback' };
  const fault = policy.allowsPublic ? publicUrlFault(url) : 'unlisted';
  return fault ? refuse(fault) : { ok: true, url, reach: 'public' };
}

/** By the path as it will be asked for, dots resolved. */
const isReceiver = ({ pathname }: URL, { ownReceiver }: UrlPolicy): boolean =>
  ownReceiver !== undefined && pathname.startsWith(ownReceiver);

function publicUrlFault(url: URL): RefusalReason | undefined {
  const host = hostOf(url);
  if (url.protocol !== 'https:') return 'scheme';
  if (isRefusedPort(portOf(url))) return 'port';
  if (isIP(host)) return isPublicIp(host) ? undefined : 'address';
  if (hasRefusedSuffix(host)) return 'suffix';
  return isPublicName(host) ? undefined : 'host';
}

/** Without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'http:' ? 80 : 443));

const IS_ALLOWED_IP: Record<Reach, (ip: string) => boolean> = {
  public: isPublicIp,
  loopback: isLoopbackIp,
  anywhere: (ip) => isIP(ip) !== 0 && !isMetadataIp(ip),
};

/** One address that is not right is enough: which of them a connection takes is not ours to say. */
export const areAllowedIps = (ips: readonly string[], reach: Reach = 'public'): boolean =>
  ips.length > 0 && ips.every(IS_ALLOWED_IP[reach]);
