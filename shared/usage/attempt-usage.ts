/**
 * What the attempts of a task spent. An attempt counts its calls in memory and writes at its checkpoints, with its
 * heartbeat and at its end: the counters of the day, and a row of its own. A call is counted where it was made, never from
 * a result, so work that is done again counts again. A killed process loses at most the calls since its last write.
 */
import type { Log } from '../core/log.ts';
import type { Clock, Key, Row, Table } from '../ports.ts';
import { isOpen, type Task } from '../tasks/task.ts';
import { detailsExpireAt, type TaskAddress, taskPartition } from '../tasks/task-rows.ts';
import { type CallMeter, createMeter } from './meter.ts';
import { countTokens, isSpent, sumTokens, type Usage } from './tokens.ts';

type AttemptUsagePorts = { table: Table; clock: Clock; log: Log };

export type AttemptUsage = {
  meter: CallMeter;
  /** Of the attempts before as well; `undefined` before a model was asked. */
  total(): Usage | undefined;
  /** Writes what was counted since the last write. Does not reject: failing to count is no reason to repeat the work. */
  write(): Promise<void>;
  /** The last write, which also counts calls that are still open. A result holds the usage itself and needs no row. */
  close(o: { hasResult: boolean }): Promise<void>;
};

/** The newest attempts that are added up: as many rows as one read takes. A run has a few. */
const MAX_ATTEMPTS = 100;

/** Attempts of a recurring task are numbered over all runs, so the run is part of the key. */
const keyOf = (address: TaskAddress, { run, recurs }: Task, attempt: number): Key => ({
  pk: taskPartition(address),
  sk: `USAGE#${run?.number ?? recurs?.run ?? 0}#${attempt}`,
});

export function attemptUsage(
  ports: AttemptUsagePorts,
  address: TaskAddress,
  task: Task,
  before: Usage | undefined,
): AttemptUsage {
  const { table, clock, log } = ports;
  const meter = createMeter();
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

  /** One after the other. */
  function write(needsRow: boolean): Promise<void> {
    lastWrite = lastWrite
      .then(() => writeTokens(needsRow))
      .catch((error) => log.warn('the tokens of a task were not counted', { ...address, error }));
    return lastWrite;
  }

  return {
    meter,
    total() {
      const own = meter.total();
      return before && own ? { ...own, ...sumTokens(before, own) } : (own ?? before);
    },
    async write() {
      if (meter.hasUntaken()) await write(true);
    },
    async close({ hasResult }) {
      meter.closeCalls();
      await write(!hasResult);
    },
  };
}

/** Of all attempts of the task, or of its run, as far as they are written. Reads by key: attempt numbers are known, and a batch read is cheaper than a query. */
export async function spentBefore(table: Table, address: TaskAddress, task: Task): Promise<Usage | undefined> {
  const first = Math.max(1, task.attempt - MAX_ATTEMPTS + 1);
  const keys = Array.from({ length: task.attempt - first + 1 }, (_, at) => keyOf(address, task, first + at));
  const rows = await table.getMany<Usage>(keys);
  const all = rows.flatMap((row) => row?.value ?? []);
  const last = all.at(-1);
  return last && { model: last.model, ...sumTokens(...all) };
}

/**
 * `known` is what the result, or the last checkpoint, says. It is everything unless the task ended without a result, as by
 * a time-out or a forced cancel, or an attempt has ended since: only then are the attempts' own rows read.
 */
export async function usageOf(
  table: Table,
  address: TaskAddress,
  task: Task,
  known: Usage | undefined,
): Promise<Usage | undefined> {
  const isKnown = isOpen(task) ? task.past === undefined : task.resultOf !== undefined || task.attempt === 0;
  return isKnown ? known : ((await spentBefore(table, address, task)) ?? known);
}
