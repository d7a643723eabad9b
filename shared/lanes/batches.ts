/** Runs the tasks in a batch of hints while their organizations have seats, and postpones the others. */

import { lruCache } from '../core/cache.ts';
import { type Lane, organizationSlots, TASKS_PER_INSTANCE } from '../core/lane.ts';
import type { Log } from '../core/log.ts';
import { updateRow } from '../core/table-access.ts';
import { SECOND_MS } from '../core/time.ts';
import type { WorkerProcess } from '../core/worker-process.ts';
import { fileIdOfHint } from '../files/reading-hint.ts';
import type { Clock, Every, Key, Queue, Row, Table } from '../ports.ts';
import { addressOfHint, aloneHintOf, laneHintIn, postponedHintOf } from '../tasks/hints.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { type RunOutcome, runTask, type WorkerPorts } from '../tasks/worker.ts';

/** Runs the task that a hint names in the product's only process, on one machine. */
export async function runHint(ports: LanePorts, body: string, mustGo: AbortSignal): Promise<void> {
  const address = addressOfHint(body);
  if (!address) return ports.log.error('a queue message is not a valid hint', { body });
  await runNamedTask({ ...ports, process: 'only' }, address, mustGo);
}

/** `storeReading` reads a file for the API: hints for readings are in the same lanes as hints for tasks. */
type LanePorts = WorkerPorts & {
  storeReading(file: ReadingAddress, signal: AbortSignal, process: WorkerProcess | undefined): Promise<RunOutcome>;
};
type ReadingAddress = { organization: string; fileId: string };

async function runNamedTask(ports: LanePorts, address: TaskAddress, mustGo: AbortSignal): Promise<RunOutcome> {
  const { organization, taskId } = address;
  const fileId = fileIdOfHint(taskId);
  try {
    if (fileId === undefined) return await runTask(ports, address, mustGo);
    return await ports.storeReading({ organization, fileId }, mustGo, ports.process);
  } catch (error) {
    ports.log.error('a task could not be run', { ...address, error });
    throw error;
  }
}

/** Long enough that a waiting backlog costs little, short enough that a free seat is used soon. */
const POSTPONED_SECONDS = 20;

type BatchPorts = LanePorts & { seats: LaneSeats; queue: Queue };

/** Returns the indexes of failed messages, which must be delivered again. */
export async function runBatch(
  ports: BatchPorts,
  bodies: readonly string[],
  mustGo: AbortSignal,
): Promise<ReadonlySet<number>> {
  const named = tasksIn(ports, bodies);
  const isAlone = named.filter(({ hasRoom }) => hasRoom).length === 1;
  const batchPorts: BatchPorts = { ...ports, process: isAlone ? 'own' : undefined };
  const groups = Map.groupBy(named, ({ organization }) => organization);
  const failed = await Promise.all([...groups.values()].map((tasks) => runGroup(batchPorts, tasks, mustGo)));
  return new Set(failed.flat().map(({ position }) => position));
}

type NamedTask = { organization: string; taskId: string; position: number; isReminder: boolean; hasRoom: boolean };

/**
 * A postponed hint names several tasks, so a batch may exceed the limit: new hints go first, postponed ones wait again. A
 * suspect gets the batch for itself, because it would otherwise wait for as long as there are other tasks.
 */
function tasksIn({ log }: BatchPorts, bodies: readonly string[]): NamedTask[] {
  const hints = bodies.flatMap((body, position) => {
    const hint = laneHintIn(body);
    if (!hint) log.error('a lane message is not a valid hint', { body });
    return hint ? [{ ...hint, position }] : [];
  });
  hints.sort((one, other) => one.taskIds.length - other.taskIds.length);
  const tasks = hints.flatMap(({ taskIds, ...hint }) => taskIds.map((taskId) => ({ ...hint, taskId })));
  const alone = tasks.find(({ isAlone }) => isAlone);
  return tasks.map((task, index) => ({ ...task, hasRoom: alone ? task === alone : index < TASKS_PER_INSTANCE }));
}

/** Runs the tasks of one organization. Returns those that failed. */
async function runGroup(ports: BatchPorts, tasks: NamedTask[], mustGo: AbortSignal): Promise<NamedTask[]> {
  const fitting = tasks.filter(({ hasRoom }) => hasRoom);
  const [first] = fitting;
  const seat = first && (await seatFor(ports, first.organization));
  const postponing = postpone(ports, seat ? tasks.filter(({ hasRoom }) => !hasRoom) : tasks);
  if (!seat) return postponing;
  try {
    const signal = AbortSignal.any([mustGo, seat.lost]);
    const running = fitting.map(({ organization, taskId }) => runInBatch(ports, { organization, taskId }, signal));
    const outcomes = await Promise.allSettled(running);
    return [...(await postponing), ...fitting.filter((_, index) => outcomes[index]?.status === 'rejected')];
  } finally {
    await seat.leave();
  }
}

async function runInBatch(ports: BatchPorts, address: TaskAddress, signal: AbortSignal): Promise<void> {
  if ((await runNamedTask(ports, address, signal)) !== 'crowded') return;
  await ports.queue.send([{ body: aloneHintOf(address), group: address.organization }]);
}

/** If the table is too busy to lease a seat, the tasks are postponed as well. */
const seatFor = ({ seats, log }: BatchPorts, organization: string): Promise<Seat | undefined> =>
  seats.take(organization).catch((error) => {
    log.warn('no worker seat could be reserved', { organization, error });
    return undefined;
  });

/**
 * Tasks are sent again before their messages are acknowledged, so none is lost. Reminders are dropped, because the
 * reconciler sends the next one. Returns the tasks that could not be sent.
 */
async function postpone({ queue, log }: BatchPorts, tasks: readonly NamedTask[]): Promise<NamedTask[]> {
  const waiting = tasks.filter(({ isReminder }) => !isReminder);
  const [first] = waiting;
  if (!first) return [];
  const { organization } = first;
  const hints = Array.from({ length: Math.ceil(waiting.length / TASKS_PER_INSTANCE) }, (_, part) => {
    const some = waiting.slice(part * TASKS_PER_INSTANCE, (part + 1) * TASKS_PER_INSTANCE);
    const body = postponedHintOf(
      organization,
      some.map(({ taskId }) => taskId),
    );
    return { body, group: organization, delaySeconds: POSTPONED_SECONDS };
  });
  try {
    await queue.send(hints);
    return [];
  } catch (error) {
    log.warn('tasks could not be postponed', { organization, error });
    return waiting;
  }
}

/** `lost` is aborted when the seat could not be renewed: another instance may take it then. */
type Seat = { lost: AbortSignal; leave(): Promise<void> };
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
export function seatLimits(instances: number): { open: number; own: number } {
  const own = Math.max(1, Math.floor(instances / 4));
  const both = Math.min(organizationSlots(instances), instances - MIN_LEFT_TO_OTHERS);
  return { own, open: Math.max(0, both - own) };
}

const openKey = (lane: Lane): Key => ({ pk: 'LANES', sk: `SEATS#${lane}` });
const ownKey = (organization: string, lane: Lane): Key => ({ pk: `O#${organization}#SEATS`, sk: lane });

export function laneSeats(ports: SeatPorts, { lane, instances, holder }: SeatOptions): LaneSeats {
  const { clock, every, log } = ports;
  const limits = seatLimits(instances);
  const open = seatLease(ports, { key: openKey(lane), max: limits.open, holder });
  const fullUntil = lruCache<Key['pk'], number>({ max: MAX_REMEMBERED });

  async function isTaken(lease: SeatLease, fullMs: number): Promise<boolean> {
    if (lease.isFresh()) return true;
    const { pk } = lease.key;
    if (clock.now() < (fullUntil.get(pk) ?? 0)) return false;
    const taken = await lease.renew();
    if (!taken) fullUntil.set(pk, clock.now() + fullMs);
    return taken;
  }

  function seatOn(lease: SeatLease, isKept: boolean): Seat {
    const lost = new AbortController();
    const stop = every(RENEW_EVERY_MS, () => {
      if (lease.isFresh()) return;
      // A failed renewal is retried by the next one while the lease lasts.
      const renewed = lease.renew().catch(() => false);
      void renewed.then(() => lease.isHeld() || lost.abort());
    });
    return {
      lost: lost.signal,
      async leave() {
        stop();
        // A seat whose release fails lapses.
        if (!isKept)
          await lease.release().catch((error) => log.warn('a worker seat was not released', { lane, error }));
      },
    };
  }

  return {
    async take(organization) {
      if (await isTaken(open, OPEN_FULL_MS)) return seatOn(open, true);
      const own = seatLease(ports, { key: ownKey(organization, lane), max: limits.own, holder });
      return (await isTaken(own, OWN_FULL_MS)) ? seatOn(own, false) : undefined;
    },
  };
}

/** The holders of seats and the instants at which their leases end. */
type Seats = { holders: Record<string, number> };
type SeatLease = ReturnType<typeof seatLease>;

/** One holder's lease on one of at most `max` seats in a row. */
function seatLease({ table, clock }: SeatPorts, { key, max, holder }: { key: Key; max: number; holder: string }) {
  let until = 0;
  let known: Row<Seats> | undefined;
  let renewing: Promise<boolean> | undefined;

  /** Changes the row with optimistic locking; `undefined` from `change` leaves it unchanged. */
  async function update(change: (others: Seats['holders'], now: number) => Seats['holders'] | undefined) {
    const updated = await updateRow<Seats>(
      table,
      key,
      (row) => {
        const now = clock.now();
        const holders = change(othersIn(row, now), now);
        if (!holders) return { stop: undefined };
        return { write: { value: { holders }, expiresAt: Math.max(now, ...Object.values(holders)) } };
      },
      { known, isCurrent: true, maxTries: MAX_TRIES },
    );
    known = 'written' in updated ? updated.written : undefined;
    return known !== undefined;
  }

  const othersIn = (row: Row<Seats> | undefined, now: number): Seats['holders'] =>
    Object.fromEntries(Object.entries(row?.value.holders ?? {}).filter(([name, end]) => name !== holder && end > now));

  async function hold(): Promise<boolean> {
    let end = 0;
    known = undefined;
    const isHeld = await update((others, now) => {
      if (Object.keys(others).length >= max) return undefined;
      end = now + LEASE_MS;
      return { ...others, [holder]: end };
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
      renewing ??= hold().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
    async release(): Promise<void> {
      until = 0;
      await update((others) => others);
    },
  };
}
