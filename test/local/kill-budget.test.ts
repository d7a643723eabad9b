import { it } from 'vitest';
import { proves } from '../proves.ts';
import { killBudget } from './kill-budget.ts';

it('counts exactly what the provider billed where no process dies', { timeout: 120_000 }, async () => {
  await killBudget({ kills: 0, cap: 200_000 });
});

it(
  'passes no cap over 3 kills, and leaves no more than the calls that they cut off',
  { timeout: 240_000 },
  async ({ task }) => proves(task, await killBudget({ kills: 3, cap: 450_000 })),
);
