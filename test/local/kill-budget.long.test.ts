import { it } from 'vitest';
import { proves } from '../proves.ts';
import { killBudget } from './kill-budget.ts';

it(
  'passes no cap over 25 kills, and leaves no more than the calls that they cut off',
  { timeout: 600_000 },
  async ({ task }) => proves(task, await killBudget({ kills: 25, cap: 3_500_000 })),
);
