/** The budget in a submit, and why one in dollars cannot be enforced. */

import { MONTHLY_USD } from '../accounts/caps.ts';
import type { Organization } from '../accounts/organizations.ts';
import type { TaskBudget } from './budget.ts';
import type { TaskDetails } from './details.ts';

/** The limits of the budget in a submit. */
export const BUDGET_LIMITS = { maxTokens: 1_000_000_000, minUsd: 0.01, maxUsd: 10_000 } as const;

type BudgetFields = { [Name in keyof TaskBudget]?: number | null | undefined };

/** Absent or null values set no budget. */
export function withBudget({ maxTokens, maxUsd }: BudgetFields): Pick<TaskDetails, 'budget'> {
  if (!maxTokens && !maxUsd) return {};
  return { budget: { ...(maxTokens ? { maxTokens } : {}), ...(maxUsd ? { maxUsd } : {}) } };
}

/** Whether the price of a model is known. */
export type HasPrice = (model: string) => boolean;

/** Why a budget in dollars cannot be enforced, as the text of a field error; `undefined` if it can. */
export function faultOfDollars(
  maxUsd: number | null | undefined,
  models: readonly string[],
  hasPrice: HasPrice,
): string | undefined {
  const unpriced = maxUsd ? models.find((model) => !hasPrice(model)) : undefined;
  if (unpriced === undefined) return undefined;
  return `cannot be held, as the price of the model ${unpriced} is not known; limit the tokens, or name another model`;
}

/** The same for an organization's monthly budget, which the operator sets. */
export function faultOfMonthlyDollars(
  { limits }: Pick<Organization, 'limits'>,
  models: readonly string[],
  hasPrice: HasPrice,
): string | undefined {
  const unpriced = limits[MONTHLY_USD.name] ? models.find((model) => !hasPrice(model)) : undefined;
  if (unpriced === undefined) return undefined;
  return `cannot be ${unpriced}: its price is not known, and your organization has a monthly budget in dollars; name another model, or ask your operator for the price`;
}
