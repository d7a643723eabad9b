/**
 * The rule that paces the calls of a model that is busy or away: pure functions over what all instances know of it.
 *
 *   a call fails ──▶ nobody asks until a time ──▶ a few calls probe it ──▶ each answer lets one more in ──▶ over
 *                            ▲                            │
 *                            └────────── one fails ───────┘
 */
import { MINUTE_MS, SECOND_MS } from '../../shared/core/time.ts';

export type Outage = {
  /** The last answer, such as `429`. */
  reason: string;
  /** When it last answered, or failed first. */
  since: number;
  /** Consecutive failures. */
  failures: number;
  /** Nobody asks before. */
  until: number;
  /** How many calls may be open at once from then on. */
  allowance: number;
  /** The open calls, by a name of their own. */
  probes: Record<string, { organization: string; until: number }>;
};

/** Without `Retry-After` the waits double from the first to the longest, so that nobody waits long after a short outage. */
const FIRST_WAIT_MS = 5 * SECOND_MS;
const MAX_WAIT_MS = 2 * MINUTE_MS;
const FIRST_PROBES = 2;
/** With this many calls at once the model counts as well again. */
const WELL_AT = 32;
/** A call that has not answered by then leaves its place to another one; it may go on. */
const PROBE_MS = MINUTE_MS;
const MAX_SPREAD_MS = 15 * SECOND_MS;
/** How long a call waits for which there was no place: longer if its organization has one. */
const FIRST_PLACE_MS = 2 * SECOND_MS;
const NEXT_PLACE_MS = 10 * SECOND_MS;

export type Failure = { reason: string; retryAfterMs: number; now: number; chance: number };

/** Calls that were under way when the model failed fail with it, which does not lengthen the wait. */
export function afterFailure(outage: Outage | undefined, { reason, retryAfterMs, now, chance }: Failure): Outage {
  if (outage && now < outage.until)
    return now + retryAfterMs > outage.until ? { ...outage, reason, until: now + retryAfterMs } : outage;
  const { since = now, failures = 0 } = outage ?? {};
  const planned = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.75 + chance / 2);
  const until = now + Math.max(Math.round(planned), retryAfterMs);
  return {
    reason,
    since: failures === 0 ? now : since,
    failures: failures + 1,
    until,
    allowance: FIRST_PROBES,
    probes: {},
  };
}

/** `isPaid`: the attempt has paid for answers, which it would lose. There are no more of these than places for tasks. */
type Probe = { probe: string; organization: string; now: number; isPaid?: boolean };

/** `undefined`: nobody may ask yet, or there is no place. One organization gets half of the places. */
export function withProbe(outage: Outage, { probe, organization, now, isPaid = false }: Probe): Outage | undefined {
  if (now < outage.until) return undefined;
  const open = openProbes(outage, now);
  const ofOrganization = open.filter(([, openProbe]) => openProbe.organization === organization);
  const isFull = open.length >= outage.allowance || ofOrganization.length >= Math.ceil(outage.allowance / 2);
  if (isFull && !isPaid) return undefined;
  const probes = { ...Object.fromEntries(open), [probe]: { organization, until: now + PROBE_MS } };
  return { ...outage, probes };
}

const openProbes = ({ probes }: Outage, now: number) => Object.entries(probes).filter(([, { until }]) => until > now);

/** `undefined`: the model is well again. An answer to a call from before the last failure says nothing. */
export function afterAnswer(
  outage: Outage,
  { probe, begunAt, now }: { probe: string | undefined; begunAt: number; now: number },
): Outage | undefined {
  if (begunAt < outage.until) return outage;
  const allowance = outage.allowance + 1;
  if (allowance > WELL_AT) return undefined;
  return { ...withoutProbe(outage, probe), since: now, failures: 0, allowance };
}

/** The call is over, and says nothing about the model. */
export function withoutProbe(outage: Outage, probe: string | undefined): Outage {
  const probes = Object.entries(outage.probes).filter(([name]) => name !== probe);
  return { ...outage, probes: Object.fromEntries(probes) };
}

type NextTry = Pick<Failure, 'now' | 'chance'> & { organization: string };

/** When a task that may not ask now comes back. All of them together come back spread out. */
export function nextTry(outage: Outage, { organization, now, chance }: NextTry): number {
  const { until } = outage;
  if (until <= now) {
    const hasSlot = openProbes(outage, now).some(([, openProbe]) => openProbe.organization === organization);
    return now + Math.round((hasSlot ? NEXT_PLACE_MS : FIRST_PLACE_MS) * (0.5 + chance));
  }
  return until + Math.round(Math.min(MAX_SPREAD_MS, until - now) * chance);
}
