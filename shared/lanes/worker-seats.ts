/**
 * The seats of a lane's worker instances: those that all organizations share, and the additional ones of each
 * organization.
 */

import { lruCache } from '../core/cache.ts';
import { type Lane, organizationSlots } from '../core/lane.ts';
import type { Log } from '../core/log.ts';
import { updateRow } from '../core/table-access.ts';
import { SECOND_MS } from '../core/time.ts';
import type { Clock, Every, Key, Row, Table } from '../ports.ts';

/** `lost` is aborted when the seat could not be renewed: another instance may take it then. */
export type Seat = { lost: AbortSignal; release(): Promise<void> };
export type LaneSeats = { take(organization: string): Promise<Seat | undefined> };

type SeatPorts = { table: Table; clock: Clock; every: Every; log: Log };
type SeatOptions = {
  lane: Lane;
  /** How many instances of the worker the lane has. */
  instances: number;
  /** A unique name of this instance. */
  holder: string;
};

/** How long a killed instance keeps its seat from others. */
const LEASE_MS = 120 * SECOND_MS;
/** A seat is renewed before and during use once it lasts no longer than this. */
const RENEW_MS = 60 * SECOND_MS;
const RENEW_EVERY_MS = 20 * SECOND_MS;
/** How long a full row is not read again. Shared seats become free when they lapse, own seats when a batch ends. */
const OPEN_FULL_MS = 30 * SECOND_MS;
const OWN_FULL_MS = SECOND_MS;
const MAX_REMEMBERED = 1_000;
const MAX_TRIES = 20;

/** This many instances work through a backlog of 1,000 hints within seconds and so reach the hints behind it. */
const MIN_LEFT_TO_OTHERS = 4;

/** The seats that a lane shares, and the additional seats of each organization. */
export function seatLimits(instances: number): { open: number; perOrganization: number } {
  const perOrganization = Math.max(1, Math.floor(instances / 4));
  const total = Math.min(organizationSlots(instances), instances - MIN_LEFT_TO_OTHERS);
  return { perOrganization, open: Math.max(0, total - perOrganization) };
}

export function laneSeats(ports: SeatPorts, { lane, instances, holder }: SeatOptions): LaneSeats {
  const { clock, every, log } = ports;
  const limits = seatLimits(instances);
  const open = seatLease(ports, { key: openKey(lane), max: limits.open, holder });
  const fullUntil = lruCache<Key['pk'], number>({ max: MAX_REMEMBERED });

  async function isTaken(lease: SeatLease, fullMs: number): Promise<boolean> {
    if (lease.isFresh()) return true;
    const { pk } = lease.key;
    if (clock.now() < (fullUntil.get(pk) ?? 0)) return false;
    const isRenewed = await lease.renew();
    if (!isRenewed) fullUntil.set(pk, clock.now() + fullMs);
    return isRenewed;
  }

  function openSeat(lease: SeatLease, isKept: boolean): Seat {
    const lost = new AbortController();
    const stop = every(RENEW_EVERY_MS, () => {
      if (lease.isFresh()) return;
      // A failed renewal is retried by the next one while the lease lasts.
      const renewed = lease.renew().catch(() => false);
      void renewed.then(() => lease.isHeld() || lost.abort());
    });
    return {
      lost: lost.signal,
      async release() {
        stop();
        // A seat whose release fails lapses.
        if (!isKept)
          await lease.release().catch((error) => log.warn('a worker seat was not released', { lane, error }));
      },
    };
  }

  return {
    async take(organization) {
      if (await isTaken(open, OPEN_FULL_MS)) return openSeat(open, true);
      const ownLease = seatLease(ports, { key: ownKey(organization, lane), max: limits.perOrganization, holder });
      return (await isTaken(ownLease, OWN_FULL_MS)) ? openSeat(ownLease, false) : undefined;
    },
  };
}

const openKey = (lane: Lane): Key => ({ pk: 'LANES', sk: `SEATS#${lane}` });
const ownKey = (organization: string, lane: Lane): Key => ({ pk: `O#${organization}#SEATS`, sk: lane });

/** The holders of seats and the instants at which their leases end. */
type Seats = { holders: Record<string, number> };
type SeatLease = ReturnType<typeof seatLease>;

/** One holder's lease on one of at most `max` seats in a row. */
function seatLease({ table, clock }: SeatPorts, { key, max, holder }: { key: Key; max: number; holder: string }) {
  let until = 0;
  let seatRow: Row<Seats> | undefined;
  let renewing: Promise<boolean> | undefined;

  /** Changes the row with optimistic locking; `undefined` from `change` leaves it unchanged. */
  async function update(change: (otherHolders: Seats['holders'], now: number) => Seats['holders'] | undefined) {
    const updated = await updateRow<Seats>(
      table,
      key,
      (row) => {
        const now = clock.now();
        const holders = change(othersIn(row, now), now);
        if (!holders) return { stop: undefined };
        return { write: { value: { holders }, expiresAt: Math.max(now, ...Object.values(holders)) } };
      },
      { cachedRow: seatRow, isCurrent: true, maxTries: MAX_TRIES },
    );
    seatRow = 'written' in updated ? updated.written : undefined;
    return seatRow !== undefined;
  }

  const othersIn = (row: Row<Seats> | undefined, now: number): Seats['holders'] =>
    Object.fromEntries(Object.entries(row?.value.holders ?? {}).filter(([name, end]) => name !== holder && end > now));

  async function acquireSeat(): Promise<boolean> {
    let end = 0;
    seatRow = undefined;
    const isHeld = await update((otherHolders, now) => {
      if (Object.keys(otherHolders).length >= max) return undefined;
      end = now + LEASE_MS;
      return { ...otherHolders, [holder]: end };
    });
    if (isHeld) until = end;
    return isHeld;
  }

  return {
    key,
    isHeld: () => clock.now() < until,
    isFresh: () => clock.now() < until - RENEW_MS,
    /** Takes a seat or extends its lease; false if other holders have all seats. */
    renew(): Promise<boolean> {
      renewing ??= acquireSeat().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
    async release(): Promise<void> {
      until = 0;
      await update((otherHolders) => otherHolders);
    },
  };
}
