/**
 * Budgets of tasks and organizations: the most that a model call may cost is reserved before it and settled after it.
 */

import { MONTHLY_TOKENS, MONTHLY_USD, TASK_TOKENS } from '../accounts/caps.ts';
import { organizationById } from '../accounts/organizations.ts';
import { DAY_MS } from '../core/time.ts';
import type { Cap } from '../limits/rate-limit.ts';
import type { Clock, Counts, Key, Table } from '../ports.ts';
import type { PlannedCall, Reserve } from '../usage/meter.ts';
import { MICRO, microUsdOf, type TokenPrice } from '../usage/tokens.ts';
import { detailsExpireAt, type TaskAddress, taskPartition } from './rows.ts';
import type { Task } from './task.ts';
import { TaskFailure } from './task-failure.ts';

/** The budget in a submit. Without a value the organization's default applies. */
export type TaskBudget = { maxTokens?: number; maxUsd?: number };

const MONTH_KEPT_MS = 400 * DAY_MS;
const WARNING_SHARE = 0.8;

type Cost = { tokens: number; microUsd: number };
type Bounds = Partial<Cost>;

export type BudgetNotify = (organization: string, notice: { level: 'warning'; message: string }) => void;

type BudgetPorts = { table: Table; clock: Clock; notify?: BudgetNotify };

type BudgetOf = { address: TaskAddress; task: Task; budget: TaskBudget | undefined };

/** A counter row and its limits. */
type BoundedCounter = { of: 'task' | 'organization'; key: Key; expiresAt: number; bounds: Bounds };

/**
 * For one attempt of a task: throws a TaskFailure with the code BUDGET_EXCEEDED if a call could exceed a budget. Reservations
 * of an attempt whose process died stay counted as spent, as the provider may have done the work; an attempt that only lost
 * its task settles its own. An organization and a task without a budget cost one read and no write.
 */
export function budgetGuard(ports: BudgetPorts, budgetOf: BudgetOf): Reserve {
  let opened: Promise<BoundedCounter[]> | undefined;
  return async (call) => {
    opened ??= boundedCounters(ports, budgetOf);
    const counters = await opened;
    if (counters.some(({ bounds }) => bounds.microUsd !== undefined) && call.price === undefined) {
      throw exceeded(`The price of the model ${call.model} is not known, so a budget in dollars cannot be held.`);
    }
    const maxCost = costOf(call, call.price);
    await reserveAll(ports, budgetOf.address.organization, { counters, cost: maxCost });
    return async (spent) => {
      const actualCost = costOf(
        { inputTokens: spent.inputTokens ?? 0, outputTokens: spent.outputTokens ?? 0 },
        call.price,
      );
      const unspent = difference(actualCost, maxCost);
      await Promise.all(counters.map((counter) => addTo(ports.table, counter, unspent)));
    };
  };
}

async function boundedCounters({ table, clock }: BudgetPorts, { address, task, budget = {} }: BudgetOf) {
  const organization = await organizationById(table, address.organization);
  const capOf = (cap: Cap) => organization?.limits[cap.name]?.most;
  const now = clock.now();
  const counters: BoundedCounter[] = [
    {
      of: 'task',
      // Each run of a recurring task has its own budget.
      key: { pk: taskPartition(address), sk: `BUDGET#${task.run?.number ?? task.recurs?.run ?? 0}` },
      expiresAt: detailsExpireAt(task),
      bounds: boundsOf(budget.maxTokens ?? capOf(TASK_TOKENS), budget.maxUsd),
    },
    {
      of: 'organization',
      key: { pk: `O#${address.organization}#USAGE`, sk: `MONTH#${new Date(now).toISOString().slice(0, 7)}` },
      expiresAt: now + MONTH_KEPT_MS,
      bounds: boundsOf(capOf(MONTHLY_TOKENS), capOf(MONTHLY_USD)),
    },
  ];
  return counters.filter(({ bounds }) => Object.keys(bounds).length > 0);
}

type PassedShare = { counter: BoundedCounter; added: Cost; now: Counts };

type Reservation = { counters: readonly BoundedCounter[]; cost: Cost };

/** Each counter takes one conditional write. If one refuses, the reservations before it are returned. */
async function reserveAll(ports: BudgetPorts, organization: string, { counters, cost }: Reservation): Promise<void> {
  for (const [at, counter] of counters.entries()) {
    const { spent, now } = await addTo(ports.table, counter, cost, counter.bounds);
    if (!spent) {
      const back = difference({ tokens: 0, microUsd: 0 }, cost);
      await Promise.all(counters.slice(0, at).map((reserved) => addTo(ports.table, reserved, back)));
      throw exceeded(messageOf(counter, now, cost));
    }
    if (counter.of === 'organization') await warnAtShare(ports, organization, { counter, added: cost, now });
  }
}

function addTo(table: Table, { key, expiresAt }: BoundedCounter, by: Cost, atMost: Bounds = {}) {
  const counts: Counts = Object.fromEntries(Object.entries(by).filter(([, amount]) => amount !== 0));
  return table.spend(key, { by: counts, atMost, expiresAt });
}

const boundsOf = (tokens: number | undefined, dollars: number | undefined): Bounds => ({
  ...(tokens === undefined ? {} : { tokens }),
  ...(dollars === undefined ? {} : { microUsd: Math.round(dollars * MICRO) }),
});

const costOf = (
  { inputTokens, outputTokens }: Pick<PlannedCall, 'inputTokens' | 'outputTokens'>,
  price: TokenPrice | undefined,
): Cost => ({
  tokens: inputTokens + outputTokens,
  microUsd: microUsdOf({ inputTokens, outputTokens }, price),
});

const difference = (a: Cost, b: Cost): Cost => ({
  tokens: a.tokens - b.tokens,
  microUsd: a.microUsd - b.microUsd,
});

const exceeded = (message: string): TaskFailure => new TaskFailure('BUDGET_EXCEEDED', message);

function messageOf({ of, bounds }: BoundedCounter, now: Counts, cost: Cost): string {
  const remedy = of === 'task' ? 'Give the task a larger budget.' : 'Ask your operator for a larger monthly budget.';
  const isTokens = bounds.tokens !== undefined && (now.tokens ?? 0) + cost.tokens > bounds.tokens;
  const used = isTokens
    ? `${now.tokens ?? 0} of ${bounds.tokens} tokens`
    : `$${usd(now.microUsd)} of $${usd(bounds.microUsd)}`;
  const next = isTokens ? `${cost.tokens} tokens` : `$${usd(cost.microUsd)}`;
  return `The budget of the ${of} is used up: ${used} are spent or reserved, and the next call may need ${next}. ${remedy}`;
}

const usd = (microUsd = 0): string => (microUsd / MICRO).toFixed(4);

/**
 * Once a month for each limit: by the first reservation that passes the share. What it gives back may take the sum below the
 * share again, so a counter of its own remembers the warning.
 */
async function warnAtShare({ table, notify }: BudgetPorts, organization: string, o: PassedShare): Promise<void> {
  const { counter, added, now } = o;
  for (const name of ['tokens', 'microUsd'] as const) {
    const bound = counter.bounds[name];
    const after = now[name] ?? 0;
    if (bound === undefined || after < WARNING_SHARE * bound || after - added[name] >= WARNING_SHARE * bound) continue;
    const warned = `${name}Warned`;
    const { key, expiresAt } = counter;
    if (!(await table.spend(key, { by: { [warned]: 1 }, atMost: { [warned]: 1 }, expiresAt })).spent) continue;
    const what = name === 'tokens' ? 'tokens' : 'dollars';
    notify?.(organization, {
      level: 'warning',
      message: `${100 * WARNING_SHARE} % of this month's budget of ${what} is spent or reserved.`,
    });
  }
}
