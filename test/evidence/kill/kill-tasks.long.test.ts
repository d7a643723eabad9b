import { it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { killTasks } from './kill-tasks.ts';

it('loses none of 2,000 tasks over 50 kills, and ends each of them once', { timeout: 600_000 }, async ({ task }) =>
  proves(task, await killTasks(50)),
);
