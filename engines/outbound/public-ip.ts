/** Which IP addresses are public, and which lead to metadata services of clouds. */
import { BlockList, isIP } from 'node:net';

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

/** Decides by the IANA registries of special-purpose addresses. */
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
export const METADATA_HOSTS = [
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
];

const metadata = listOf('ipv4', METADATA_IPV4);
const metadataIpv6 = listOf('ipv6', METADATA_IPV6);

/** A `BlockList` also matches its IPv4 ranges against IPv4-mapped IPv6 addresses. */
export function isMetadataIp(ip: string): boolean {
  const family = isIP(ip);
  if (family === 4) return metadata.check(ip, 'ipv4');
  return family === 6 && (metadata.check(ip, 'ipv6') || metadataIpv6.check(ip.split('%')[0] ?? '', 'ipv6'));
}

export const isLoopbackIp = (ip: string): boolean => ip === '::1' || (isIP(ip) === 4 && ip.startsWith('127.'));
