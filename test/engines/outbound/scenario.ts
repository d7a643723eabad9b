/** A scenario tests one promise of the guard; it throws if the guard breaks it, so that mutants can be tested too. */
import type { RequestOptions } from '../../../engines/outbound/request.ts';
import type { Guard } from './guard.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { type Notes, type Paper, paper } from './paper.ts';

export type Scenario = { promise: string; check(guard: Guard): Promise<void> };

export const FILE = 'https://files.customer-a.com/a.pdf';

export type Sent = Outcome & { notes: Notes };

/** One request over a new simulated network. */
export async function sendThrough(
  guard: Guard,
  network: Paper,
  ask: Partial<RequestOptions> = {},
  address = FILE,
): Promise<Sent> {
  const drawn = paper(network);
  const send = guard.outbound(drawn);
  return { ...(await outcomeOf(send, address, publicAsk(guard, ask))), notes: drawn.notes };
}

export const publicAsk = ({ publicPolicy }: Guard, ask: Partial<RequestOptions> = {}): RequestOptions => ({
  policy: publicPolicy({ ownHosts: [] }),
  maxBytes: 10_000,
  ...ask,
});
