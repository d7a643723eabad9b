/** A release that changed the stages of an agent meets tasks that the release before left at a checkpoint. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Stage } from '../../../shared/tasks/agent.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

let opened: TaskSetup;
let address: TaskAddress;
beforeEach(async () => {
  opened = openTasks();
  address = await opened.submit();
});
afterEach(() => opened.close());

/** Runs three stages in the given version. The worker must go at the stage `stopsAt`, if there is one. */
async function attempt(checkpointVersion: number, stopsAt?: number): Promise<[stage: number, carried: unknown][]> {
  const ran: [number, unknown][] = [];
  const stages = [1, 2, 3].map(
    (number): Stage => ({
      name: `stage ${number}`,
      async run({ signal }, carried) {
        ran.push([number, carried]);
        if (number === stopsAt) run.stopController.abort();
        signal.throwIfAborted();
        return { text: `${number} of version ${checkpointVersion}` };
      },
    }),
  );
  const run = worker(opened, stages, { checkpointVersion });
  await run.run(address);
  return ran;
}

const task = () => opened.task(address);

it('goes on at a checkpoint of its own version', async () => {
  await attempt(1, 3);
  expect(await attempt(1)).toEqual([[3, { text: '2 of version 1' }]]);
  expect((await task()).state).toBe('succeeded');
});

it.each([2, 0])('begins anew at a checkpoint of another version, and does not fail: version %i', async (version) => {
  await attempt(1, 3);
  expect(await attempt(version)).toEqual([
    [1, undefined],
    [2, { text: `1 of version ${version}` }],
    [3, { text: `2 of version ${version}` }],
  ]);
  expect(await task()).toMatchObject({ state: 'succeeded', failures: 0 });
});

it('goes on at the checkpoint of an attempt that had begun anew, though it completed fewer stages', async () => {
  await attempt(1, 3);
  await attempt(2, 2);
  expect(await attempt(2)).toEqual([
    [2, { text: '1 of version 2' }],
    [3, { text: '2 of version 2' }],
  ]);
  expect((await task()).state).toBe('succeeded');
});
