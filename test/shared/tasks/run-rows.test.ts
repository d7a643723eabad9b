/** Tests the list of the runs of a recurring task. */
import { afterEach, expect, it } from 'vitest';
import { taskKey } from '../../../shared/tasks/rows.ts';
import { runsOf } from '../../../shared/tasks/runs.ts';
import { openTasks } from './setup.ts';

const at = openTasks();
afterEach(() => at.close());

it('lists the newest runs first, and no more than the limit', async () => {
  const address = { organization: at.organization, taskId: at.ids.uuid() };
  for (const run of [1, 2, 3, 10]) await at.table.insert({ ...taskKey({ ...address, run }), value: { run } });
  const runs = await runsOf(at.table, address, 3);
  expect(runs.map(({ value }) => value)).toEqual([{ run: 10 }, { run: 3 }, { run: 2 }]);
});
