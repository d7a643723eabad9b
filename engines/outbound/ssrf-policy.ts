/** Decides which URLs a request may name (SSRF protection), from the text alone: no DNS lookup, no connection. */
import { isIP } from 'node:net';
import type { RefusalReason } from './failure.ts';
import { hasRefusedSuffix, isPublicName } from './public-host.ts';
import { isLoopbackIp, isMetadataIp, isPublicIp, METADATA_HOSTS } from './public-ip.ts';
import { isRefusedPort } from './refused-ports.ts';

/** The URLs that a caller may name. Entry points build these plain objects; nothing here reads the environment. */
export type UrlPolicy = {
  /** Allows any public HTTPS URL. */
  allowsPublic: boolean;
  /** Allows http://127.0.0.1:<port> and http://localhost:<port>. */
  allowsLoopback: boolean;
  /** Trusted origins. They are allowed wherever they lead, except to metadata services. */
  origins: readonly string[];
  /** The certificate authority (PEM) for those origins, instead of the default ones. */
  ca: string | undefined;
  /**
   * The product's own hosts, which are refused together with their subdomains. An entry with a port refuses only that
   * port.
   */
  ownHosts: readonly string[];
  ownBuckets: readonly string[];
  /** On the local product's own hosts, the only path that may receive webhooks. */
  ownReceiver: string | undefined;
};

type OwnHosts = { ownHosts: readonly string[]; ownBuckets?: readonly string[] };
type AllowedSources = { allowSources?: readonly string[]; ca?: string | undefined };

/**
 * The policy for URLs given by callers. `allowSources` is for local use and tests: exact origins that may be private.
 */
export const publicPolicy = ({
  ownHosts,
  ownBuckets = [],
  allowSources = [],
  ca,
}: OwnHosts & AllowedSources): UrlPolicy => ({
  allowsPublic: true,
  allowsLoopback: false,
  origins: allowSources.map(originOf),
  ca,
  ownHosts: ownHosts.map((host) => host.toLowerCase()),
  ownBuckets,
  ownReceiver: undefined,
});

/** The path where the local product catches webhooks, for users who have no receiver yet. */
export const CATCHER_PATH = '/catch/';

/** The webhook policy of the local product: also allows receivers on this machine, including the built-in catcher. */
export const localWebhookPolicy = (of: OwnHosts & AllowedSources): UrlPolicy => ({
  ...publicPolicy(of),
  allowsLoopback: true,
  ownReceiver: CATCHER_PATH,
});

/** The policy for URLs given by the operator: only these origins, which may be private. */
export const operatorPolicy = ({ origins, ca }: { origins: readonly string[]; ca?: string }): UrlPolicy => ({
  ...publicPolicy({ ownHosts: [], allowSources: origins, ca }),
  allowsPublic: false,
});

function originOf(text: string): string {
  const { origin, protocol } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error(`Not the origin of a web server: ${text}`);
  return origin;
}

/** Matches S3 hosts. The product's own buckets are recognized in both forms: virtual-hosted and path style. */
const STORAGE = /(^|\.)s3[.-].*\bamazonaws\.com(\.cn)?$/;

const isOwnUrl = (url: URL, { ownHosts, ownBuckets }: UrlPolicy): boolean =>
  ownHosts.some((ownHost) => isHost(url, ownHost)) || ownBuckets.some((bucket) => isInBucket(url, bucket));

const isHost = ({ host, hostname }: URL, ownHost: string): boolean =>
  host === ownHost || hostname === ownHost || hostname.endsWith(`.${ownHost}`);

function isInBucket({ hostname, pathname }: URL, bucket: string): boolean {
  if (!STORAGE.test(hostname)) return false;
  return hostname.startsWith(`${bucket}.`) || decodeSegment(pathname.split('/')[1] ?? '') === bucket;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The kind of address that the host may resolve to. DNS answers are checked against it. */
export type Reach = 'public' | 'loopback' | 'anywhere';
export type CheckedUrl = { url: URL; reach: Reach };
type UrlVerdict = ({ ok: true } & CheckedUrl) | { ok: false; reason: RefusalReason };

const MAX_URL_LENGTH = 2048;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Also matches an empty user and password, which the parsed URL no longer shows. */
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

/** Compares the normalized path, with dot segments resolved. */
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

/** Removes the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'http:' ? 80 : 443));

const IS_ALLOWED_IP: Record<Reach, (ip: string) => boolean> = {
  public: isPublicIp,
  loopback: isLoopbackIp,
  anywhere: (ip) => isIP(ip) !== 0 && !isMetadataIp(ip),
};

/** One forbidden address is enough to refuse all: the connection may go to any of them. */
export const areAllowedIps = (ips: readonly string[], reach: Reach = 'public'): boolean =>
  ips.length > 0 && ips.every(IS_ALLOWED_IP[reach]);

type IssuerOptions = { allowsPrivate: boolean; ca?: string | undefined };

/**
 * The policy for an SSO issuer. The issuer's URL is checked when the operator sets it; the URL of its keys is checked
 * again at every fetch.
 */
export const issuerPolicy = (url: string, { allowsPrivate, ca }: IssuerOptions): UrlPolicy =>
  allowsPrivate
    ? operatorPolicy({ origins: [url], ...(ca === undefined ? {} : { ca }) })
    : publicPolicy({ ownHosts: [] });

const FIRST_UNPRIVILEGED_PORT = 1_024;

/** Returns why an issuer cannot have this URL, as the rest of a sentence, or undefined if it can. */
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
  const isMetadata = isMetadataIp(host) || METADATA_HOSTS.includes(host.replace(/\.$/, ''));
  return isMetadata ? 'must not lead to a link-local or metadata address' : undefined;
}

/**
 * Returns why webhooks cannot go to this URL, or undefined if they can. `ownHosts` are the hosts under which the caller
 * reached the product. Every connection checks the URL again.
 */
type EndpointCheck = (address: string, ownHosts: string[]) => string | undefined;

const NOT_PUBLIC = 'must be a public HTTPS URL';

export const publicEndpointFault: EndpointCheck = (address, ownHosts) =>
  checkUrl(address, publicPolicy({ ownHosts })).ok ? undefined : NOT_PUBLIC;

/** Why no document can be fetched from this URL, where the operator allows further origins. */
export const documentFault =
  (allowed: AllowedSources): EndpointCheck =>
  (address, ownHosts) =>
    checkUrl(address, publicPolicy({ ownHosts, ...allowed })).ok ? undefined : NOT_PUBLIC;

const WITHOUT_PORT = /^http:\/\/(127\.0\.0\.1|localhost)([/?#]|$)/i;

/** The local product also accepts receivers on this machine. */
export function localEndpointFault(address: string, ownHosts: string[]): string | undefined {
  if (checkUrl(address, localWebhookPolicy({ ownHosts })).ok) return undefined;
  return WITHOUT_PORT.test(address) ? 'must name its port on this machine, such as http://127.0.0.1:4100/' : NOT_PUBLIC;
}
