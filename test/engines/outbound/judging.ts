/** Checks the policy without a network; returns the first wrong answer. */
import { ADDRESS_CASES, OWN_BUCKETS, OWN_HOSTS } from './address-cases.ts';
import { EGRESS_CASES } from './egress.ts';
import type { Judging } from './guard.ts';
import { globalIpv6, isPublic, type Range, specialIpv4, specialIpv6, textOf } from './oracle.ts';
import { POLICY_CASES, policiesOf } from './policy-cases.ts';

export function* wrongAnswers(guard: Judging): Generator<string> {
  const policy = guard.publicPolicy({ ownHosts: OWN_HOSTS, ownBuckets: OWN_BUCKETS });
  for (const [address, wanted] of ADDRESS_CASES) {
    const verdict = guard.checkUrl(address, policy);
    const said = verdict.ok ? 'ok' : verdict.reason;
    if (said !== wanted) yield `${address}: ${said} for ${wanted}`;
  }
  for (const { id, url, expect, dns } of EGRESS_CASES) {
    const { ok } = guard.checkUrl(url, policy);
    if (!dns && ok !== (expect === 'allow')) yield `${id}: ${ok}`;
  }
  yield* wrongPolicies(guard);
  yield* wrongEdges(guard);
  yield* wrongSets(guard);
}

function* wrongPolicies(guard: Judging): Generator<string> {
  const policies = policiesOf(guard);
  for (const [name, address, wanted] of POLICY_CASES) {
    const verdict = guard.checkUrl(address, policies[name]);
    const said = verdict.ok ? verdict.reach : verdict.reason;
    if (said !== wanted) yield `${name} ${address}: ${said} for ${wanted}`;
  }
  for (const origin of NO_ORIGINS) {
    if (isTaken(() => guard.operatorPolicy({ origins: [origin] }))) yield `operator's ${origin}`;
  }
}

const NO_ORIGINS = ['models', 'file:///etc/passwd', 'ftp://files.customer-a.com', 'data:,x'];

function isTaken(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

export const RANGES: readonly Range[] = [...specialIpv4, ...globalIpv6, ...specialIpv6];

export function* edges({ bits, first, last }: Range): Generator<{ ip: string; wanted: boolean }> {
  for (const value of [first - 1n, first, last, last + 1n]) {
    if (value < 0n || value >= 1n << BigInt(bits)) continue;
    yield { ip: textOf(value, bits), wanted: isPublic(value, bits) };
  }
}

function* wrongEdges({ isPublicIp }: Judging): Generator<string> {
  for (const range of RANGES) {
    for (const { ip, wanted } of edges(range)) {
      if (isPublicIp(ip) !== wanted) yield `${ip} of ${range.text}`;
    }
  }
}

const SETS: readonly [answers: string[], reach: 'public' | 'loopback' | 'anywhere', wanted: boolean][] = [
  [[], 'public', false],
  [['8.8.8.8'], 'public', true],
  [['8.8.8.8', '2606:4700:4700::1111'], 'public', true],
  [['10.0.0.1', '8.8.8.8'], 'public', false],
  [['8.8.8.8', '10.0.0.1'], 'public', false],
  [['8.8.8.8', '1.1.1.1', '::1'], 'public', false],
  [['files.customer-a.com'], 'public', false],
  [['2606:4700::1%eth0'], 'public', false],
  [['127.0.0.1', '::1'], 'loopback', true],
  [['127.0.0.1', '8.8.8.8'], 'loopback', false],
  [['192.168.0.1'], 'loopback', false],
  [['::2'], 'loopback', false],
  [['127.example'], 'loopback', false],
  [[], 'loopback', false],
  [['10.0.0.1', 'fd00::1', '8.8.8.8'], 'anywhere', true],
  [['10.0.0.1', '169.254.169.254'], 'anywhere', false],
  [['::ffff:169.254.169.254'], 'anywhere', false],
  [['168.63.129.16'], 'anywhere', false],
  [['100.100.100.200'], 'anywhere', false],
  [['fe80::1%eth0'], 'anywhere', false],
  [['fd00:ec2::254'], 'anywhere', false],
  [['not an address'], 'anywhere', false],
  [[], 'anywhere', false],
];

function* wrongSets({ areAllowedIps }: Judging): Generator<string> {
  for (const [answers, reach, wanted] of SETS) {
    if (areAllowedIps(answers, reach) !== wanted) yield `${answers} ${reach}`;
  }
}
