/** Rate limits of an organization: counting calls, one by one or in blocks, and the calls that are left. */
import { lruCache } from '../core/cache.ts';
import type { Clock, Counts, Key, Table } from '../ports.ts';

/** A rate limit: calls per minute, and optionally per hour, for each organization. Windows are UTC minutes and hours. */
export type Limit = {
  /** The name of the counter; routes with the same name share it. */
  name: string;
  minute: number;
  hour?: number;
  /** Each instance buys calls from the table in blocks: fewer writes for a high limit. */
  inBlocks?: true;
};

/** A limit that does not reset with time. `most` is also the field of the stored override. */
export type Cap = { name: string; most: number };

export type Window = { name: 'minute' | 'hour'; max: number; remaining: number; seconds: number; resetSeconds: number };

export const MINUTE = 60;
export const HOUR = 3_600;

const minuteCounter = (nowSeconds: number): string => `m${Math.floor((nowSeconds % HOUR) / MINUTE)}`;

/** `prepaid` calls are counted as spent in the table, but this instance can still use them. */
export function windowsOf(limit: Limit, nowSeconds: number, counts: Counts, prepaid: number): Window[] {
  const windowOf = (name: Window['name'], max: number, counter: string, seconds: number): Window => ({
    name,
    max,
    remaining: Math.max(0, max - (counts[counter] ?? 0) + prepaid),
    seconds,
    resetSeconds: seconds - (nowSeconds % seconds),
  });
  const minute = windowOf('minute', limit.minute, minuteCounter(nowSeconds), MINUTE);
  return limit.hour ? [minute, windowOf('hour', limit.hour, 'hour', HOUR)] : [minute];
}

type LimitPorts = { table: Table; clock: Clock };
export type LimitResult = { allowed: boolean; windows: Window[] };

/** A block of prepaid calls. Counters only rise, so an exhausted block stays so until its minute ends. */
type Block = { minute: number; limit: Limit; remaining: number; exhausted: boolean; counts: Counts };

/** Spends one call of an organization's limit. One row per hour holds the counters of the hour and of each minute. */
export function limitSpender({ table, clock }: LimitPorts) {
  const blocks = lruCache<string, Block>({ max: MAX_BLOCKS });
  const buying = new Map<string, Promise<void>>();

  return function spendLimit(organization: string, limit: Limit): Promise<LimitResult> {
    const now = Math.floor(clock.now() / 1_000);
    if (!limit.inBlocks) return spendOne(organization, limit, now);
    const name = `${organization} ${limit.name}`;
    const block = blocks.get(name);
    return block && isOpen(block, limit, now)
      ? Promise.resolve(spendFromBlock(block, limit, now))
      : spendBought(name, organization, { limit, now });
  };

  async function spendOne(organization: string, limit: Limit, now: number): Promise<LimitResult> {
    const { spent, now: counts } = await spend(table, organization, { limit, now, amount: 1 });
    return { allowed: spent, windows: windowsOf(limit, now, counts, 0) };
  }

  /** Concurrent callers share one purchase. A caller that finds the block used up waits for the next one. */
  async function spendBought(name: string, organization: string, { limit, now }: Purchase): Promise<LimitResult> {
    for (;;) {
      const shared = buying.get(name) ?? buyBlock(name, organization, { limit, now });
      buying.set(name, shared);
      await shared;
      const block = blocks.get(name);
      if (block && isOpen(block, limit, now)) return spendFromBlock(block, limit, now);
    }
  }

  async function buyBlock(name: string, organization: string, o: Purchase): Promise<void> {
    try {
      const block = await buy(table, organization, o);
      blocks.set(name, block);
    } finally {
      buying.delete(name);
    }
  }
}

/** The counters of a limit at this time, with their maxima. */
export const countersOf = (limit: Limit, now: number): Counts => ({
  [minuteCounter(now)]: limit.minute,
  ...(limit.hour ? { hour: limit.hour } : {}),
});

export const rateKey = (organization: string, limit: Limit, now: number): Key => ({
  pk: `O#${organization}#RATE#${limit.name}`,
  sk: `HOUR#${Math.floor(now / HOUR)}`,
});

/** What is left of an organization's limits. Does not spend any. */
export async function limitsLeft(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  limits: readonly Limit[],
): Promise<Window[][]> {
  const now = Math.floor(clock.now() / 1_000);
  const rows = await table.getMany<Counts>(limits.map((limit) => rateKey(organization, limit, now)));
  return limits.map((limit, at) => windowsOf(limit, now, rows[at]?.value ?? {}, 0));
}

/** The share of a limit at which the organization is warned. */
const WARNING_SHARE = 0.8;

type LimitNotice = { level: 'warning'; message: string };

/** Warns once per window, when an exact counter reaches the share. Limits bought in blocks never warn. `calls`: the public name. */
export function limitNotices(calls: string, { inBlocks }: Limit, windows: readonly Window[]): LimitNotice[] {
  if (inBlocks) return [];
  return windows
    .filter(({ max, remaining }) => max - remaining === Math.ceil(max * WARNING_SHARE) && remaining > 0)
    .map((window) => ({
      level: 'warning',
      message:
        `80 % of the limit of ${calls} is used: ${window.remaining} of ${window.max} calls are left in this ${window.name}, ` +
        `which ends in ${window.resetSeconds} s.`,
    }));
}

function spendFromBlock(block: Block, limit: Limit, now: number): LimitResult {
  const allowed = block.remaining > 0;
  if (allowed) block.remaining--;
  return { allowed, windows: windowsOf(limit, now, block.counts, block.remaining) };
}

const MAX_BLOCKS = 10_000;
const BLOCKS_A_MINUTE = 30;
/** False after the operator changed the limit, so that a new block is bought. */
const isOpen = (block: Block, limit: Limit, now: number): boolean =>
  block.minute === minuteOf(now) &&
  block.limit.minute === limit.minute &&
  block.limit.hour === limit.hour &&
  (block.remaining > 0 || block.exhausted);

const minuteOf = (now: number): number => Math.floor(now / MINUTE);

type Purchase = { limit: Limit; now: number };

async function buy(table: Table, organization: string, { limit, now }: Purchase): Promise<Block> {
  // Near the end of a limit a whole block may no longer fit, but a single call may.
  for (const amount of [Math.ceil(limit.minute / BLOCKS_A_MINUTE), 1]) {
    const { spent, now: counts } = await spend(table, organization, { limit, now, amount });
    if (spent) return { minute: minuteOf(now), limit, remaining: amount, exhausted: false, counts };
    if (amount === 1) return { minute: minuteOf(now), limit, remaining: 0, exhausted: true, counts };
  }
  throw new Error('A block is bought or refused.');
}

function spend(table: Table, organization: string, o: Purchase & { amount: number }) {
  const { limit, now, amount } = o;
  const counters = countersOf(limit, now);
  const by = Object.fromEntries(Object.keys(counters).map((name) => [name, amount]));
  const expiresAt = (Math.floor(now / HOUR) + 2) * HOUR * 1_000;
  return table.spend(rateKey(organization, limit, now), { by, atMost: counters, expiresAt });
}
