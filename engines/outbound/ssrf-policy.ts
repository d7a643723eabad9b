/** Which URLs and IP addresses outbound requests may reach. */
import { BlockList, isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import type { RefusalReason } from './failure.ts';

/** Decides which IP addresses are public, by the IANA registries of special-purpose addresses. */
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32', // Azure's WireServer: it only looks public
];

/** Leaves out every form of IPv4 in IPv6, except 6to4 and Teredo, which `REFUSED_IPV6` covers. */
const GLOBAL_IPV6 = ['2000::/3'];

const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [first = '', bits] = range.split('/');
    list.addSubnet(first, Number(bits), family);
  }
  return list;
}

const refusedIpv4 = listOf('ipv4', REFUSED_IPV4);
const globalIpv6 = listOf('ipv6', GLOBAL_IPV6);
const refusedIpv6 = listOf('ipv6', REFUSED_IPV6);

export function isPublicIp(ip: string): boolean {
  const family = isIP(ip);
  if (family === 4) return !refusedIpv4.check(ip, 'ipv4');
  if (family !== 6 || ip.includes('%')) return false;
  return globalIpv6.check(ip, 'ipv6') && !refusedIpv6.check(ip, 'ipv6');
}

/**
 * Link-local ranges and the clouds' metadata services. They hand out credentials, so even the operator's URLs may not
 * lead there.
 */
const METADATA_IPV4 = ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32'];
const METADATA_IPV6 = ['fe80::/10', 'fd00:ec2::/32'];
/** Host names that lead to these addresses inside a cloud. */
const METADATA_HOSTS = ['metadata.google.internal', 'metadata.goog', 'instance-data', 'instance-data.ec2.internal'];

const metadata = listOf('ipv4', METADATA_IPV4);
const metadataIpv6 = listOf('ipv6', METADATA_IPV6);

/** A `BlockList` also matches its IPv4 ranges against IPv4-mapped IPv6 addresses. */
function isMetadataIp(ip: string): boolean {
  const family = isIP(ip);
  if (family === 4) return metadata.check(ip, 'ipv4');
  return family === 6 && (metadata.check(ip, 'ipv6') || metadataIpv6.check(ip.split('%')[0] ?? '', 'ipv6'));
}

const isLoopbackIp = (ip: string): boolean => ip === '::1' || (isIP(ip) === 4 && ip.startsWith('127.'));

// Decides which URLs a request may name (SSRF protection), from the text alone: no DNS lookup, no connection.

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

/** A public URL may use port 443, and ports from this one on except those of well-known internal services. */
const MIN_PORT = 1024;

type PortOrRange = number | readonly [first: number, last: number];

const SERVICES: Record<string, readonly PortOrRange[]> = {
  relational: [1433, 1434, 1521, 2483, 2484, 3050, 3306, 33_060, 5432, 6432, 26_257, 50_000],
  wideAndDocument: [5984, 6984, [7000, 7001], 7199, 9042, 9142, 9160, [27_017, 27_019], 28_015, 28_017, 8529],
  graphAndColumn: [7473, 7474, 7687, 8086, 8123, 9000, 9009, 9440],
  vector: [6333, 6334, 19_530],
  cache: [6379, 6380, 16_379, 26_379, 11_211, 11_214, 11_215],
  search: [9200, 9300, 9600, 8983, 7700, 5601],
  queue: [[5671, 5672], 15_671, 15_672, 25_672, 4369, [9092, 9094], 4222, 6222, 8222, [61_613, 61_614], 61_616, 8161],
  messaging: [1414, 1883, 8883, 6650, 6651, 4150, 4151, 4160, 4161],
  coordination: [2181, 2888, 3888, 2379, 2380, 4001, [8300, 8302], [8500, 8503], 8600, [4646, 4648], [8200, 8201]],
  docker: [[2375, 2377], 4243, 7946, 4789],
  kubernetes: [6443, 8001, [10_248, 10_250], [10_255, 10_259]],
  monitoring: [[9090, 9091], 9100, 4317, 4318, 8125, 14_268, 16_686],
  lambda: [9001, 2000, 2773], // runtime, X-Ray daemon, parameters and secrets
  storage: [2049, 3260, 8020, 9870, 50_070, 50_075],
  directory: [3268, 3269],
  remoteControl: [2222, 3389, [5900, 5909], 5985, 5986, [6000, 6063], 10_000],
  proxy: [1080, 3128, 8118, 9050, 9051],
  debugging: [1099, 5005, 8009, 9229],
  conversation: [1900, 5060, 5061, 5222, 5269, 5353, [6665, 6669], 6697],
};

const isAmong = (port: number, ports: PortOrRange): boolean =>
  typeof ports === 'number' ? port === ports : ports[0] <= port && port <= ports[1];

export function isRefusedPort(port: number): boolean {
  if (port === 443) return false;
  if (port < MIN_PORT) return true;
  return Object.values(SERVICES).some((services) => services.some((ports) => isAmong(port, ports)));
}

/** The limits of a public host name. They apply to the host as the URL parser normalized it. */
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
function isPublicName(host: string): boolean {
  const labels = host.split('.');
  if (labels.length < 2) return false;
  if (host.length > MAX_HOST_LENGTH) return false;
  if (!labels.every((label) => LABEL.test(label))) return false;
  // The URL parser accepts punycode that decodes to nothing.
  return !UNDECODED_LABEL.test(domainToUnicode(host));
}

const hasRefusedSuffix = (host: string): boolean => REFUSED_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`));

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
