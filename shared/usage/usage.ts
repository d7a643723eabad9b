/** Counts tokens at the model call and sums them by attempt and by day. */

import type { Log } from '../core/log.ts';
import { DAY_MS } from '../core/time.ts';
import type { Clock, Counts, Key, Row, Table } from '../ports.ts';
import { detailsExpireAt, type TaskAddress, taskPartition } from '../tasks/rows.ts';
import { isOpen, type Task } from '../tasks/task.ts';

/** Tokens of a call, an attempt or a task, and of an organization by day: one counter row each. */
const USAGE_DAYS = 30;

/** All fields but `microUsd` count tokens; those after the first two count a part of them. */
export type Tokens = {
  inputTokens: number;
  outputTokens: number;
  /** Part of the input: read from the provider's prompt cache, if reported. */
  cachedInputTokens: number;
  /** Part of the output: spent on reasoning, if reported. */
  reasoningTokens: number;
  /** Part of input and output: estimated, because the provider reported nothing. */
  estimatedInputTokens: number;
  estimatedOutputTokens: number;
  /** Part of input and output: from models with a known price. */
  pricedTokens: number;
  /** The cost of `pricedTokens` in millionths of a US dollar. */
  microUsd: number;
};

/** The tokens spent on the calls of one model. */
export type Usage = { model: string } & Tokens;

/** The usage of a task up to a checkpoint. `before`: the part of the attempts before the one that stored it. */
export type ReachedUsage = Usage & { before?: Tokens };

export type Day = { date: string; costUsd: number | null } & Omit<Tokens, 'pricedTokens' | 'microUsd'>;

export const NO_TOKENS: Tokens = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  estimatedInputTokens: 0,
  estimatedOutputTokens: 0,
  pricedTokens: 0,
  microUsd: 0,
};

/** Millionths of a dollar in a dollar. */
export const MICRO = 1_000_000;

const NAMES = Object.keys(NO_TOKENS) as (keyof Tokens)[];

/** Absent figures count as zero: a counter holds only what was spent. */
export function sumTokens(...all: readonly Partial<Tokens>[]): Tokens {
  const sum = { ...NO_TOKENS };
  for (const tokens of all) for (const name of NAMES) sum[name] += tokens[name] ?? 0;
  return sum;
}

const difference = (total: Tokens, part: Tokens): Tokens => {
  const left = { ...NO_TOKENS };
  for (const name of NAMES) left[name] = total[name] - part[name];
  return left;
};

const bothIn = ({ inputTokens, outputTokens }: Tokens): number => inputTokens + outputTokens;

const isSpent = (tokens: Tokens): boolean => bothIn(tokens) > 0;

export const isEstimated = ({ estimatedInputTokens = 0, estimatedOutputTokens = 0 }: Partial<Tokens>): boolean =>
  estimatedInputTokens + estimatedOutputTokens > 0;

/** Null if the price of a part is unknown: models without a price, and tokens counted before prices existed. */
export function costUsd({ inputTokens = 0, outputTokens = 0, pricedTokens = 0, microUsd = 0 }: Partial<Tokens>) {
  return pricedTokens < inputTokens + outputTokens ? null : microUsd / MICRO;
}

/** Dollars per million tokens equal millionths of a dollar per token. */
export const microUsdOf = (
  { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 }: Partial<Tokens>,
  price: TokenPrice | undefined,
): number => {
  if (!price) return 0;
  const { input, output, cachedInput = input } = price;
  const cached = Math.min(cachedInputTokens, inputTokens);
  return Math.ceil((inputTokens - cached) * input + cached * cachedInput + outputTokens * output);
};

export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Newest first; today is included. */
const datesUpTo = (now: number): string[] =>
  Array.from({ length: USAGE_DAYS }, (_, back) => dateOf(now - back * DAY_MS));

const dayKey = (organization: string, date: string): Key => ({ pk: `O#${organization}#USAGE`, sk: `DAY#${date}` });

/** Adds to the counters of the day. Zero tokens, as without a language model, cost no write. */
export async function countTokens(
  table: Table,
  organization: string,
  { tokens, now }: { tokens: Tokens; now: number },
): Promise<void> {
  if (!isSpent(tokens)) return;
  const by = Object.fromEntries(NAMES.filter((name) => tokens[name] > 0).map((name) => [name, tokens[name]]));
  const expiresAt = now + (USAGE_DAYS + 1) * DAY_MS;
  await table.spend(dayKey(organization, dateOf(now)), { by, atMost: {}, expiresAt });
}

export async function tokensByDay(table: Table, organization: string, now: number): Promise<Day[]> {
  const dates = datesUpTo(now);
  const rows = await table.getMany<Counts>(dates.map((date) => dayKey(organization, date)));
  return dates.map((date, at) => {
    const { pricedTokens, microUsd, ...tokens } = tokensIn(rows[at]);
    return { date, ...tokens, costUsd: costUsd({ ...tokens, pricedTokens, microUsd }) };
  });
}

const tokensIn = (row: Row<Counts> | undefined): Tokens => sumTokens(row?.value ?? {});

// Counts the tokens of the model calls of one attempt, including calls that fail later.

/** In US dollars per million tokens. `cachedInput`: of input that the provider read from its cache; absent: as any other. */
export type TokenPrice = { input: number; output: number; cachedInput?: number };

/** A call about to be made: its estimated input, and the limit of its output. */
export type PlannedCall = { model: string; inputTokens: number; outputTokens: number; price?: TokenPrice | undefined };

/** Reserves the most that a call may cost, or throws. The returned function gives back the unspent part. */
export type Reserve = (call: PlannedCall) => Promise<(spent: Partial<Tokens>) => Promise<void>>;

/** The part of a meter that callers of models need. */
export type CallMeter = {
  reserve: Reserve;
  /** Names the model of the next call. */
  use(model: string): void;
  /** A call has started. Call the returned function once with its tokens; otherwise `estimate` counts. */
  begin(estimate: () => Partial<Tokens>, price?: TokenPrice): (spent: Partial<Tokens>) => void;
};

/** Without a budget nothing is reserved. */
const reserveNothing: Reserve = async () => async () => undefined;

export type Meter = CallMeter & {
  /** Counts open calls by their estimates, because the worker stops waiting for them. */
  closeCalls(): void;
  /** Input plus output, including estimates of open calls. */
  soFar(): number;
  /** `undefined` before a model was named. */
  total(): Usage | undefined;
  hasUntaken(): boolean;
  /** The tokens counted since the last `take`. */
  take(): Tokens;
  /** Adds back tokens that could not be written. */
  restore(tokens: Tokens): void;
};

function withCost(spent: Partial<Tokens>, price: TokenPrice | undefined): Partial<Tokens> {
  if (!price) return spent;
  const { inputTokens = 0, outputTokens = 0 } = spent;
  return { ...spent, pricedTokens: inputTokens + outputTokens, microUsd: microUsdOf(spent, price) };
}

export function createMeter(reserve: Reserve = reserveNothing): Meter {
  const openCalls = new Map<() => void, () => Partial<Tokens>>();
  let model: string | undefined;
  let counted = NO_TOKENS;
  let untaken = NO_TOKENS;

  return {
    reserve,
    use(id) {
      model = id;
    },
    begin(estimate, price) {
      const end = (tokens: Partial<Tokens>): void => {
        if (!openCalls.delete(close)) return; // counted already
        const spent = withCost(tokens, price);
        counted = sumTokens(counted, spent);
        untaken = sumTokens(untaken, spent);
      };
      const close = () => end(estimate());
      openCalls.set(close, estimate);
      return end;
    },
    closeCalls() {
      for (const close of [...openCalls.keys()]) close();
    },
    soFar: () => bothIn(sumTokens(counted, ...[...openCalls.values()].map((estimate) => estimate()))),
    total: () => (model === undefined ? undefined : { model, ...counted }),
    hasUntaken: () => isSpent(untaken),
    take() {
      const taken = untaken;
      untaken = NO_TOKENS;
      return taken;
    },
    restore(tokens) {
      untaken = sumTokens(untaken, tokens);
    },
  };
}

/**
 * What the attempts of a task spent. An attempt counts calls in memory and writes with heartbeats and at its end: to the
 * counters of the day and to a row of its own. Its checkpoints have the sum as well. A call is counted where it is made,
 * never from a result, so repeated work counts again. A killed process loses at most the calls since its last heartbeat,
 * and for the task only those since its last checkpoint.
 */
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
  function settledBeforeEnd(own: Reserve): Reserve {
    return async (call) => {
      const settle = await own(call);
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

/**
 * `known` is the usage in the result or the last checkpoint. It is complete unless the task ended without a result, such as
 * by a timeout or a forced cancel, or an attempt has ended since: only then are the attempts' own rows read.
 */
export async function usageOf(
  table: Table,
  address: TaskAddress,
  task: Task,
  known: ReachedUsage | undefined,
): Promise<Usage | undefined> {
  const isKnown = isOpen(task) ? task.past === undefined : task.resultOf !== undefined || task.attempt === 0;
  return isKnown ? known : spentBefore(table, address, task, known);
}
