/**
 * Spaces out what an organization sends to an origin that keeps failing. Nothing is dropped: a delivery that comes too
 * soon is given a later place, once, and is sent when its place has come.
 */
import { createHash } from 'node:crypto';
import type { Log } from '../core/log.ts';
import type { Clock, Getting, Key, Posted, Row, Table } from '../ports.ts';
import type { Notice, Notify } from '../sockets/news.ts';
import type { Receiver } from './receiver.ts';

/** `nextAt` is the first place that nobody has. */
export type Health = { origin: string; failures: number; nextAt: number };

type Ports = { table: Table; clock: Clock; log: Log; random: () => number; notify?: Notify };

/** Failures in a row. */
export const OPENS_AT = 5;
const LEAST_SPACE_MS = 1_000;
const MOST_SPACE_MS = 30_000;
/** Further ahead no place is given away: then they lie at random within this time. A queue can hold a hint for so long. */
export const MOST_AHEAD_MS = 600_000;
/** What has not failed for so long is taken for well. */
const KEPT_MS = 3_600_000;
const MOST_TRIES = 5;

const keyOf = ({ organization, origin }: Receiver): Key => ({
  pk: `O#${organization}#BREAKERS`,
  sk: createHash('sha256').update(origin).digest('base64url'),
});

export const healthOf = (table: Table, receiver: Receiver, how: Getting = {}): Promise<Row<Health> | undefined> =>
  table.get<Health>(keyOf(receiver), how);

export const spaceAfter = (failures: number): number =>
  failures < OPENS_AT ? 0 : Math.min(MOST_SPACE_MS, LEAST_SPACE_MS * 2 ** (failures - OPENS_AT));

/** Undefined = it may be sent now. Else until when it has to wait. */
export async function placeFor(
  { table, clock, random }: Ports,
  receiver: Receiver,
  known: Row<Health> | undefined,
): Promise<number | undefined> {
  const now = clock.now();
  let row = known;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (!row || row.value.failures < OPENS_AT) return undefined;
    const at = Math.max(now, row.value.nextAt);
    if (at - now > MOST_AHEAD_MS) break;
    const nextAt = at + spaceAfter(row.value.failures);
    // Whoever replaces the row first has the place.
    const taken = await table.replace(row, { value: { ...row.value, nextAt }, expiresAt: now + KEPT_MS });
    if (taken) return at === now ? undefined : at;
    row = await healthOf(table, receiver);
  }
  return now + Math.ceil(random() * MOST_AHEAD_MS);
}

/** No answer, or one that says that the other side is not well. */
export const isUnwell = (posted: Posted): boolean =>
  'fault' in posted ? posted.fault !== 'blocked_target' : posted.status >= 500 || posted.status === 429;

/** `known` is what was there before the attempt. */
export async function noteHealth(
  ports: Ports,
  receiver: Receiver,
  { posted, known }: { posted: Posted; known: Row<Health> | undefined },
): Promise<void> {
  if (isUnwell(posted)) await noteFailure(ports, receiver);
  else if (known && known.value.failures > 0) await noteAnswer(ports, receiver);
}

async function noteFailure({ table, clock, log, notify }: Ports, receiver: Receiver): Promise<void> {
  const now = clock.now();
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const row = await healthOf(table, receiver);
    const failures = (row?.value.failures ?? 0) + 1;
    const nextAt = Math.max(row?.value.nextAt ?? 0, now + spaceAfter(failures));
    const next = { value: { origin: receiver.origin, failures, nextAt }, expiresAt: now + KEPT_MS };
    const written = await (row ? table.replace(row, next) : table.insert({ ...keyOf(receiver), ...next }));
    if (written && failures === OPENS_AT) {
      log.warn('a receiver of webhooks keeps failing', receiver);
      notify?.(receiver.organization, keepsFailing(receiver, failures));
    }
    if (written) return;
  }
  // Others who count the same failure have changed it meanwhile.
}

const keepsFailing = ({ origin }: Receiver, failures: number): Notice => ({
  level: 'warning',
  message: `The webhook receiver ${origin} has failed ${failures} times in a row: what is sent to it is spaced out until it answers.`,
});

async function noteAnswer({ table, clock }: Ports, receiver: Receiver): Promise<void> {
  const row = await healthOf(table, receiver);
  if (!row) return;
  const well: Health = { origin: receiver.origin, failures: 0, nextAt: 0 };
  await table.replace(row, { value: well, expiresAt: clock.now() + KEPT_MS });
}
