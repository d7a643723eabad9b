import { it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { killBudget } from './kill-budget.ts';

it('counts exactly what the provider billed if no process is killed', { timeout: 120_000 }, async () => {
  await killBudget({ kills: 0, cap: 140_000 });
});

it(
  'exceeds no budget over 3 kills, and leaves at most the interrupted calls reserved',
  { timeout: 240_000 },
  async ({ task }) => proves(task, await killBudget({ kills: 3, cap: 450_000 })),
);
