import { it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { killTasks } from './kill-tasks.ts';

it('loses none of 200 tasks over 5 kills, and ends each of them once', { timeout: 120_000 }, async ({ task }) =>
  proves(task, await killTasks(5)),
);
