import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isPublicIp } from '../../../engines/outbound/public-ip.ts';
import { checkUrl, publicPolicy } from '../../../engines/outbound/ssrf-policy.ts';
import { edges, RANGES } from './judging.ts';
import { globalIpv6, ipv4Value, isPublic, type Range, textOf } from './oracle.ts';

const policy = publicPolicy({ ownHosts: [] });
const literal = (ip: string) => `https://${ip.includes(':') ? `[${ip}]` : ip}/`;
const everything = (bits: 32 | 128): Range => ({
  text: `all of ${bits}`,
  bits,
  first: 0n,
  last: (1n << BigInt(bits)) - 1n,
});

function* inside({ bits, first, last }: Range, many: number) {
  for (let n = 0; n < many; n++) {
    const value = first + (BigInt(`0x${randomBytes(17).toString('hex')}`) % (last - first + 1n));
    yield { ip: textOf(value, bits), wanted: isPublic(value, bits) };
  }
}

/** Counts the checks, and lists the wrong answers. */
function checkAll(addresses: Iterable<{ ip: string; wanted: boolean }>) {
  const wrong: string[] = [];
  let asked = 0;
  for (const { ip, wanted } of addresses) {
    asked++;
    const isByText = asked % 10 !== 0 || checkUrl(literal(ip), policy).ok === wanted;
    if (isPublicIp(ip) !== wanted || !isByText) wrong.push(ip);
  }
  return { asked, wrong };
}

describe('an address is public or not as the registries say:', () => {
  it.each(RANGES)('$text, its first, last, neighbours and 2,000 from inside', (range) => {
    expect(checkAll([...edges(range), ...inside(range, 2000)]).wrong).toEqual([]);
  });

  it('any other, and 50,000 in all', () => {
    const { asked, wrong } = checkAll([
      ...inside(everything(32), 30_000),
      ...globalIpv6.flatMap((range) => [...inside(range, 15_000)]),
      ...inside(everything(128), 5000),
    ]);
    expect({ asked, wrong }).toEqual({ asked: 50_000, wrong: [] });
  });
});

/** The ways to write an IPv4 address into an IPv6 one. */
const EMBEDDINGS: Record<string, (ipv4: bigint) => bigint> = {
  'mapped ::ffff:0:0/96': (ip) => (0xffffn << 32n) | ip,
  'compatible ::/96': (ip) => ip,
  'translated ::ffff:0:0:0/96': (ip) => (0xffff0000n << 32n) | ip,
  'NAT64 64:ff9b::/96': (ip) => (0x64ff9bn << 96n) | ip,
  'local NAT64 64:ff9b:1::/48': (ip) => (0x64ff9b0001n << 80n) | ip,
  '6to4 2002::/16': (ip) => (0x2002n << 112n) | (ip << 80n),
  'Teredo 2001::/32': (ip) => (0x20010000n << 96n) | (ip ^ 0xffffffffn),
  'ISATAP fe80::5efe:0:0/96': (ip) => (0xfe80n << 112n) | (0x5efen << 32n) | ip,
};

describe('IPv4 inside IPv6 is never public:', () => {
  it.each(Object.entries(EMBEDDINGS))('%s', (_, embedded) => {
    for (const ip of [
      '127.0.0.1',
      '169.254.169.254',
      '10.0.0.1',
      '192.168.1.1',
      '8.8.8.8',
      '0.0.0.0',
      '255.255.255.255',
    ]) {
      const text = textOf(embedded(ipv4Value(ip)), 128);
      expect([text, isPublicIp(text), checkUrl(literal(text), policy).ok]).toEqual([text, false, false]);
    }
  });

  it('also in the spelling that ends in four numbers', () => {
    for (const head of ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '2001::', 'fe80::5efe:']) {
      expect(isPublicIp(`${head}8.8.8.8`)).toBe(false);
      expect(checkUrl(`https://[${head}8.8.8.8]/`, policy)).toEqual({ ok: false, reason: 'address' });
    }
  });
});

it('takes nothing for public that is not an address', () => {
  for (const text of [
    '',
    'localhost',
    '8.8.8',
    '8.8.8.8 ',
    '08.8.8.8',
    '2606:4700::1%eth0',
    '[2606:4700::1]',
    '8.8.8.8/32',
  ]) {
    expect([text, isPublicIp(text)]).toEqual([text, false]);
  }
});
