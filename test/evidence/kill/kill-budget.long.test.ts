import { it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { killBudget } from './kill-budget.ts';

it(
  'exceeds no budget over 25 kills, and leaves at most the interrupted calls reserved',
  { timeout: 600_000 },
  async ({ task }) => proves(task, await killBudget({ kills: 25, cap: 3_500_000 })),
);
