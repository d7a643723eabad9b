import { it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { killMixed } from './kill-mixed.ts';

it(
  'fails none of the good tasks of all kinds that it acknowledged, over 20 kills',
  { timeout: 1_500_000 },
  async ({ task }) => proves(task, await killMixed(20)),
);
