/** All labelled addresses on every way out of the running product, and a look at what it connected to. */
import { EGRESS_CASES, type EgressCase } from '../outbound/egress.ts';
import { isPublicText } from '../outbound/oracle.ts';
import { reply } from '../outbound/paper.ts';
import type { Attacked } from './attacked.ts';
import { inBatches, type Outcome, type Part } from './part.ts';
import { type Way, waysOut } from './ways-out.ts';

const VETTED = 'https://vetted.customer-a.com/';
const AT_ONCE = 8;
/** Fewer than a receiver may fail before it is given a rest. */
const CASES_OF_A_TENANT = 3;
const THIS_MACHINE = /^http:\/\/(127\.0\.0\.1|localhost):\d+/i;

/** Names that no server answers for, whenever they are looked up. */
const silent = EGRESS_CASES.flatMap(({ dns = {} }) => Object.keys(dns).filter((name) => dns[name] === 'TIMEOUT'));

/** To be refused without a connection, whatever names are looked up meanwhile: these are tried together. */
const isPlain = ({ expect, dns = {}, redirects }: EgressCase) =>
  expect === 'refuse' && !redirects && Object.values(dns).every((answers) => answers === 'TIMEOUT');

const hostOf = (place: string): string => place.replace(/:\d+$/, '').replace(/[[\]]/g, '');
const isInner = (place: string): boolean => !isPublicText(hostOf(place));

/** A webhook that went there is tried again later, in the middle of other cases. */
const ALLOWED = new Set(
  EGRESS_CASES.filter(({ expect, dns }) => expect === 'allow' && !dns).map(({ url }) => hostOf(new URL(url).host)),
);

async function wrongWith(on: Attacked, way: Way, given: EgressCase): Promise<string | undefined> {
  const { url, dns, redirects = [], forceSecondLookup, afterPooledSocket, expect } = given;
  on.world.answers(...redirects.map(({ status, location }) => reply(status, { location })));
  const known = dns && afterPooledSocket ? { ...dns, 'vetted.customer-a.com': [['93.184.215.14']] } : dns;
  await on.order({ dns: known });
  if (afterPooledSocket) await way.go(VETTED);
  if (forceSecondLookup) await way.go(url);
  const end = await (forceSecondLookup && way.again ? way.again() : way.go(url));
  const { connected } = await on.order({ dns: undefined });
  const inner = connected.filter(isInner);
  if (inner.length > 0) return `connected to ${inner}`;
  // A kept connection may serve it, and one to an address that has no certificate here comes to nothing.
  if (expect === 'allow') return end === 'taken' || connected.length > 0 ? undefined : 'nobody was asked';
  return end === 'taken' ? 'it was taken' : undefined;
}

async function tried(on: Attacked, at: number): Promise<Outcome> {
  const broken: string[] = [];
  let [way] = (await waysOut(on, await on.tenants.found())).slice(at);
  if (!way) throw new Error('There is no such way.');
  const { name, takesLoopback } = way;
  const cases = EGRESS_CASES.filter(({ url }) => !(takesLoopback && THIS_MACHINE.test(url)));
  const told = ({ id, url }: EgressCase, what: string) => broken.push(`${name}, ${id} ${url}: ${what}`);

  const plain = cases.filter(isPlain);
  await on.order({ dns: undefined, silent });
  const oneByOne = name === 'a source of research' ? 1 : AT_ONCE;
  await inBatches(plain, oneByOne, async (given) => {
    if ((await way?.go(given.url)) !== 'refused') told(given, 'it was taken');
  });
  const connected = (await on.order()).connected.filter((place) => !ALLOWED.has(hostOf(place)));
  if (connected.length > 0) broken.push(`${name}, addresses to be refused without a connection: ${connected}`);

  const others = cases.filter((given) => !isPlain(given));
  for (const [nth, given] of others.entries()) {
    if (nth % CASES_OF_A_TENANT === 0) [way] = (await waysOut(on, await on.tenants.found())).slice(at);
    const wrong = way && (await wrongWith(on, way, given));
    if (wrong) told(given, wrong);
  }
  return { what: name, tried: cases.length, broken };
}

export const egress: Part = {
  name: 'egress',
  promise: 'An address that a stranger names never leads inside, on whatever way it comes in',
  async run({ on }) {
    const outcomes: Outcome[] = [];
    const { length } = await waysOut(on, await on.tenants.found());
    for (let at = 0; at < length; at++) outcomes.push(await tried(on, at));
    return outcomes;
  },
};
