/** An independent oracle for public addresses: big integers and a list of its own, no code of the guard. */

const SPECIAL_IPV4 = `0/8 10/8 100.64/10 127/8 169.254/16 172.16/12 192.0.0/24 192.0.2/24 192.31.196/24 192.52.193/24
  192.88.99/24 192.168/16 192.175.48/24 198.18/15 198.51.100/24 203.0.113/24 224/4 240/4 168.63.129.16/32`;
const GLOBAL_IPV6 = '2000::/3';
const SPECIAL_IPV6 = '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20';

export type Range = { text: string; bits: 32 | 128; first: bigint; last: bigint };

const joinParts = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((sum, part) => (sum << width) | BigInt(part), 0n);

export function ipv4Value(text: string): bigint {
  const parts = text.split('.').map(Number);
  return joinParts([...parts, 0, 0, 0].slice(0, 4), 8n);
}

function ipv6Value(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const groups = (side: string | undefined) => (side ? side.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [front, back] = [groups(head), groups(tail)];
  return joinParts([...front, ...Array(8 - front.length - back.length).fill(0), ...back], 16n);
}

function rangeOf(text: string, bits: 32 | 128): Range {
  const [base = '', length = '0'] = text.split('/');
  const free = BigInt(bits - Number(length));
  const first = ((bits === 32 ? ipv4Value(base) : ipv6Value(base)) >> free) << free;
  return { text, bits, first, last: first + (1n << free) - 1n };
}

const rangesOf = (list: string, bits: 32 | 128): Range[] => list.split(/\s+/).map((text) => rangeOf(text, bits));

export const specialIpv4 = rangesOf(SPECIAL_IPV4, 32);
export const globalIpv6 = rangesOf(GLOBAL_IPV6, 128);
export const specialIpv6 = rangesOf(SPECIAL_IPV6, 128);

const isIn = (ranges: readonly Range[], value: bigint): boolean =>
  ranges.some(({ first, last }) => first <= value && value <= last);

export const isPublic = (value: bigint, bits: 32 | 128): boolean =>
  bits === 32 ? !isIn(specialIpv4, value) : isIn(globalIpv6, value) && !isIn(specialIpv6, value);

export const isPublicText = (ip: string): boolean =>
  ip.includes(':') ? isPublic(ipv6Value(ip), 128) : isPublic(ipv4Value(ip), 32);

export function textOf(value: bigint, bits: 32 | 128): string {
  const width = bits === 32 ? 8n : 16n;
  const parts = Array.from({ length: bits === 32 ? 4 : 8 }, (_, at) => {
    const shift = BigInt(bits) - width * BigInt(at + 1);
    return (value >> shift) & ((1n << width) - 1n);
  });
  return bits === 32 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':');
}
