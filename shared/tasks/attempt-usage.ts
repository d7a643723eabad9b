/** What the attempts of a task spent, counted at the model call. */

import type { Log } from '../core/log.ts';
import type { Clock, Key, Row, Table } from '../ports.ts';
import { countTokens } from '../usage/daily-usage.ts';
import { type CallMeter, createMeter, type Reserve } from '../usage/meter.ts';
import { bothIn, difference, isSpent, sumTokens, type Tokens, type Usage } from '../usage/tokens.ts';
import { detailsExpireAt, type TaskAddress, taskPartition } from './rows.ts';
import { isOpen, type Task } from './task.ts';

/** The usage of a task up to a checkpoint. `before`: the part of the attempts before the one that stored it. */
export type ReachedUsage = Usage & { before?: Tokens };

type AttemptUsagePorts = { table: Table; clock: Clock; log: Log };

export type AttemptUsage = {
  meter: CallMeter;
  /** Including earlier attempts. `undefined`: no model was called yet. */
  total(): Usage | undefined;
  /** The same for a checkpoint, with the part of earlier attempts. */
  reached(): ReachedUsage | undefined;
  /** Input plus output, including earlier attempts and open calls. `undefined`: nothing was spent. */
  soFar(): number | undefined;
  /** Writes the tokens counted since the last write. Never rejects, because a failure to count must not repeat the work. */
  write(): Promise<void>;
  /** The last write, which also counts open calls. A result contains the usage itself and needs no row. */
  close(o: { hasResult: boolean }): Promise<void>;
};

/** So many attempts are read by their keys, which costs less than a query. */
const FEW_ATTEMPTS = 4;
/** The rows of a query. A task that waited for its model has many attempts, of which few spent anything. */
const MAX_ROWS = 1_000;

/** Attempts of a recurring task are numbered over all runs, so the run is part of the key. */
const keyOf = (address: TaskAddress, { run, recurs }: Task, attempt: number): Key => ({
  pk: taskPartition(address),
  sk: `USAGE#${run?.number ?? recurs?.run ?? 0}#${attempt}`,
});

type Attempt = { task: Task; before: Usage | undefined; reserve?: Reserve };

/**
 * What the attempts of a task spent. An attempt counts calls in memory and writes with heartbeats and at its end: to the
 * counters of the day and to a row of its own. Its checkpoints have the sum as well. A call is counted where it is made,
 * never from a result, so repeated work counts again. A killed process loses at most the calls since its last heartbeat,
 * and for the task only those since its last checkpoint.
 */
export function attemptUsage(
  ports: AttemptUsagePorts,
  address: TaskAddress,
  { task, before, reserve }: Attempt,
): AttemptUsage {
  const { table, clock, log } = ports;
  const settling = new Set<Promise<void>>();
  const meter = createMeter(reserve && settledBeforeEnd(reserve));
  const key = keyOf(address, task, task.attempt);
  let row: Row<Usage> | undefined;
  let lastWrite: Promise<void> = Promise.resolve();

  async function writeTokens(needsRow: boolean): Promise<void> {
    const tokens = meter.take();
    try {
      await countTokens(table, address.organization, { tokens, now: clock.now() });
    } catch (error) {
      meter.restore(tokens);
      throw error;
    }
    const value = meter.total();
    if (!needsRow || !value || !isSpent(value)) return;
    const draft = { value, expiresAt: detailsExpireAt(task) };
    row = (await (row ? table.replace<Usage>(row, draft) : table.insert<Usage>({ ...key, ...draft }))) ?? row;
  }

  /** Writes are serialized. */
  function write(needsRow: boolean): Promise<void> {
    lastWrite = lastWrite
      .then(() => writeTokens(needsRow))
      .catch((error) => log.warn('the tokens of a task were not recorded', { ...address, error }));
    return lastWrite;
  }

  /** A failure to settle leaves a budget too high, but must not fail the work. */
  function settledBeforeEnd(innerReserve: Reserve): Reserve {
    return async (call) => {
      const settle = await innerReserve(call);
      return (spent) => {
        const settled: Promise<void> = settle(spent)
          .catch((error) => log.warn('a budget was not settled', { ...address, error }))
          .finally(() => settling.delete(settled));
        settling.add(settled);
        return settled;
      };
    };
  }

  function total(): Usage | undefined {
    const metered = meter.total();
    return before && metered ? { ...metered, ...sumTokens(before, metered) } : (metered ?? before);
  }

  return {
    meter,
    total,
    reached() {
      const spent = total();
      return spent && before ? { ...spent, before: sumTokens(before) } : spent;
    },
    soFar: () => bothIn(sumTokens(before ?? {})) + meter.soFar() || undefined,
    async write() {
      if (meter.hasUntaken()) await write(true);
    },
    async close({ hasResult }) {
      meter.closeCalls();
      await Promise.all([...settling, write(!hasResult)]);
      // No later write would count what this one could not.
      if (meter.hasUntaken()) await write(!hasResult);
    },
  };
}

/**
 * The stored usage of all attempts of the task or run. `reached` is that of the last checkpoint: an attempt that was killed
 * soon after it may have written no row yet, or one that lacks its last calls.
 */
export async function spentBefore(
  table: Table,
  address: TaskAddress,
  task: Task,
  reached: ReachedUsage | undefined,
): Promise<Usage | undefined> {
  const rows = await (task.attempt <= FEW_ATTEMPTS ? rowsByKey : rowsByQuery)(table, address, task);
  const { checkpointOf = 0 } = task;
  const later = rows.filter((row) => attemptOf(row) > checkpointOf);
  const upToCheckpoint = rows.filter((row) => attemptOf(row) <= checkpointOf);
  const last = rows.at(-1)?.value ?? reached;
  return (
    last && { model: last.model, ...sumTokens(...spentUpTo(checkpointOf, upToCheckpoint, reached), tokensOf(later)) }
  );
}

/**
 * `storedUsage` is the usage in the result or the last checkpoint. It is complete unless the task ended without a result, such as
 * by a timeout or a forced cancel, or an attempt has ended since: only then are the attempts' own rows read.
 */
export async function usageOf(
  table: Table,
  address: TaskAddress,
  task: Task,
  storedUsage: ReachedUsage | undefined,
): Promise<Usage | undefined> {
  const isKnown = isOpen(task) ? task.past === undefined : task.resultOf !== undefined || task.attempt === 0;
  return isKnown ? storedUsage : spentBefore(table, address, task, storedUsage);
}

/**
 * The attempt of the checkpoint and those before it are compared each for itself, because either may have spent more than
 * the other source knows. A checkpoint without `before` is of the first attempt, or of an older release.
 */
function spentUpTo(attempt: number, rows: Row<Usage>[], reached: ReachedUsage | undefined): Tokens[] {
  if (!reached?.before) return [larger(tokensOf(rows), reached)];
  const { before } = reached;
  const ofAttempt = rows.filter((row) => attemptOf(row) === attempt);
  const ofEarlier = rows.filter((row) => attemptOf(row) < attempt);
  return [larger(tokensOf(ofEarlier), before), larger(tokensOf(ofAttempt), difference(reached, before))];
}

const tokensOf = (rows: Row<Usage>[]): Tokens => sumTokens(...rows.map(({ value }) => value));

const larger = (stored: Tokens, reached: Tokens | undefined): Tokens =>
  reached && bothIn(reached) > bothIn(stored) ? reached : stored;

const attemptOf = ({ sk }: Row<Usage>): number => Number(sk.slice(sk.lastIndexOf('#') + 1));

async function rowsByKey(table: Table, address: TaskAddress, task: Task): Promise<Row<Usage>[]> {
  const keys = Array.from({ length: task.attempt }, (_, at) => keyOf(address, task, at + 1));
  return (await table.getMany<Usage>(keys)).filter((row) => row !== undefined);
}

async function rowsByQuery(table: Table, address: TaskAddress, task: Task): Promise<Row<Usage>[]> {
  const { pk, sk } = keyOf(address, task, 0);
  const prefix = sk.slice(0, sk.lastIndexOf('#') + 1);
  const { rows } = await table.rows<Usage>(pk, prefix, { limit: MAX_ROWS });
  return rows.toSorted((a, b) => attemptOf(a) - attemptOf(b));
}
