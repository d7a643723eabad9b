/** Sends all labelled URLs through every outbound feature of the running product, and checks its connections. */
import { EGRESS_CASES, type EgressCase } from '../../engines/outbound/egress.ts';
import { isPublicText } from '../../engines/outbound/oracle.ts';
import { reply } from '../../engines/outbound/paper.ts';
import type { Attacked } from './attack-target.ts';
import { inBatches, type Outcome, type Part } from './part.ts';
import { type Way, waysOut } from './ways-out.ts';

const VETTED = 'https://vetted.customer-a.com/';
const AT_ONCE = 8;
/** In the short form each way out takes one case of so many, another one than the way before it. */
const SHORT_OF = 4;
/** Fewer than the failures that open a receiver's circuit breaker. */
const CASES_OF_A_TENANT = 3;
const THIS_MACHINE = /^http:\/\/(127\.0\.0\.1|localhost):\d+/i;

/** Names for which the DNS servers never answer, in all cases. */
const silent = EGRESS_CASES.flatMap(({ dns = {} }) => Object.keys(dns).filter((name) => dns[name] === 'TIMEOUT'));

/** Cases that are refused without a connection for any DNS answer; these run concurrently. */
const isPlain = ({ expect, dns = {}, redirects }: EgressCase) =>
  expect === 'refuse' && !redirects && Object.values(dns).every((answers) => answers === 'TIMEOUT');

const hostOf = (place: string): string => place.replace(/:\d+$/, '').replace(/[[\]]/g, '');
const isInner = (place: string): boolean => !isPublicText(hostOf(place));

async function wrongWith(on: Attacked, way: Way, given: EgressCase): Promise<string | undefined> {
  const { url, dns, redirects = [], forceSecondLookup, afterPooledSocket, expect } = given;
  let hop = url;
  for (const { status, location } of redirects) {
    on.world.answers(hop, reply(status, { location }));
    hop = location;
  }
  const known = dns && afterPooledSocket ? { ...dns, 'vetted.customer-a.com': [['93.184.215.14']] } : dns;
  await on.order({ dns: known ?? null });
  if (afterPooledSocket) await way.go(VETTED);
  if (forceSecondLookup) await way.go(url);
  const end = await (forceSecondLookup && way.again ? way.again() : way.go(url));
  const { connected } = await on.order({ dns: null });
  const inner = connected.filter(isInner);
  if (inner.length > 0) return `connected to ${inner}`;
  // A keep-alive connection may serve the request, and a connection to an IP address without a certificate here fails.
  if (expect === 'allow') return end === 'taken' || connected.length > 0 ? undefined : 'no connection was opened';
  return end === 'taken' ? 'it was taken' : undefined;
}

const sourcesAre = 'a source of research';

/** All cases that must be refused without a connection while every name is public. */
async function tryPlain(on: Attacked, way: Way, cases: readonly EgressCase[]): Promise<string[]> {
  const broken: string[] = [];
  await on.order({ dns: null, silent });
  // There is only one research source whose URL can be set.
  await inBatches(cases, way.name === sourcesAre ? 1 : AT_ONCE, async ({ id, url }) => {
    if ((await way.go(url)) !== 'refused') broken.push(`${way.name}, ${id} ${url}: it was taken`);
  });
  const { connected } = await on.order();
  return connected.length > 0 ? [...broken, `${way.name}: connected to ${connected}`] : broken;
}

/** Tries the other cases one by one, each with its own DNS answers and redirects. */
async function tryOthers(on: Attacked, at: number, cases: readonly EgressCase[]): Promise<string[]> {
  const broken: string[] = [];
  let way: Way | undefined;
  for (const [nth, given] of cases.entries()) {
    if (nth % CASES_OF_A_TENANT === 0) [way] = (await waysOut(on, await on.tenants.found())).slice(at);
    const wrong = way && (await wrongWith(on, way, given));
    if (wrong) broken.push(`${way?.name}, ${given.id} ${given.url}: ${wrong}`);
  }
  return broken;
}

export const egress: Part = {
  name: 'egress',
  promise: 'No user-supplied URL reaches a private network, in any field',
  async run({ on, isShort }) {
    const attempts = (await waysOut(on, await on.tenants.found())).map((way, at) => {
      const cases = EGRESS_CASES.filter(({ url }) => !(way.takesLoopback && THIS_MACHINE.test(url))).filter(
        (given, nth) => !isShort || isPlain(given) || (nth + at) % SHORT_OF === 0,
      );
      return { way, cases, outcome: { what: way.name, tried: cases.length, broken: [] as string[] } };
    });
    // The plain cases come first, so that no webhook retry happens during them.
    for (const { way, cases, outcome } of attempts)
      outcome.broken.push(...(await tryPlain(on, way, cases.filter(isPlain))));
    for (const [at, { cases, outcome }] of attempts.entries()) {
      const others = cases.filter((given) => !isPlain(given));
      outcome.broken.push(...(await tryOthers(on, at, others)));
    }
    return attempts.map(({ outcome }): Outcome => outcome);
  },
};
