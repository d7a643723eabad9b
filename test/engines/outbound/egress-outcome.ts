/** Sends the request of a labelled case through the guard over a simulated network, and returns the outcome. */
import type { EgressCase } from './egress.ts';
import type { Guard } from './guard.ts';
import { isPublicText } from './oracle.ts';
import { outcomeOf } from './outcome.ts';
import { type Paper, paper, reply } from './paper.ts';

const limits = { resolveMs: 20 };

/** A sentence about the fault, or nothing. */
export async function wrongWith({ outbound, publicPolicy }: Guard, given: EgressCase): Promise<string | undefined> {
  const network = paper(paperOf(given));
  const send = outbound({ ...network, limits });
  const ask = { policy: publicPolicy({ ownHosts: [] }), maxBytes: 1000, redirects: 3, keepAlive: true };
  if (given.afterPooledSocket) await outcomeOf(send, 'https://vetted.customer-a.com/', ask);
  if (given.forceSecondLookup) await outcomeOf(send, given.url, ask);
  const before = network.notes.lookUps.length;
  if (given.forceSecondLookup && before !== 1) return `${before} look-ups in one attempt`;

  const outcome = await outcomeOf(send, given.url, ask);
  const said = 'status' in outcome && outcome.status === 200 ? 'allow' : 'refuse';
  const inner = network.notes.connected.filter((address) => !isPublicText(address));
  if (inner.length > 0) return `connected to ${inner}`;
  if (said !== given.expect) return `${said}: ${JSON.stringify(outcome)}`;
  const kept = given.afterPooledSocket ? 1 : 0;
  if (kept > 0 && network.notes.connected.length !== kept) return 'opened or took a connection';
  return undefined;
}

/** A name without DNS answers in the case resolves to a public address, so that only the policy can refuse it. */
function paperOf({ dns, redirects = [], afterPooledSocket }: EgressCase): Paper {
  const replies = redirects.map(({ status, location }) => reply(status, { location }));
  if (!dns) return { replies };
  return { replies, dns: afterPooledSocket ? { ...dns, 'vetted.customer-a.com': [['93.184.215.14']] } : dns };
}
