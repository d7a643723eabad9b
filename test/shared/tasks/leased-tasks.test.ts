/** A worker learns immediately of writes of its own process to the task that it has leased. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { leasedTasks } from '../../../shared/tasks/leased-tasks.ts';
import { moveTask, type NotifyTask } from '../../../shared/tasks/transition.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

let opened: TaskSetup;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

/** A stage that runs until its signal aborts, like one that waits for a remote server. */
function hanging() {
  const started = Promise.withResolvers<AbortSignal>();
  const stage: Stage = {
    name: 'hanging',
    run({ signal }) {
      started.resolve(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  return { stage, started: started.promise };
}

it.each([
  [true, 'lost', 'cancelled'],
  [false, 'cancelled', 'cancelled'],
])('ends the work of a task that is cancelled (forced: %s) without a heartbeat', async (force, reason, state) => {
  const leases = leasedTasks();
  const notifyTask: NotifyTask = (_effects, address, task) => leases.notify(address, task);
  const address = await opened.submit();
  const { stage, started } = hanging();
  const running = worker({ ...opened, notifyTask, leasedTasks: leases }, [stage]).run(address);
  const signal = await started;
  await moveTask({ ...opened, notifyTask }, address, { type: 'cancel', force });
  expect(signal.reason).toBe(reason);
  await running;
  expect((await opened.task(address)).state).toBe(state);
});

it('does not stop the worker when another task is cancelled, or on a tick of its own task', async () => {
  const leases = leasedTasks();
  const notifyTask: NotifyTask = (_effects, address, task) => leases.notify(address, task);
  const [address, otherAddress] = [await opened.submit(), await opened.submit()];
  const { stage, started } = hanging();
  const working = worker({ ...opened, notifyTask, leasedTasks: leases }, [stage]);
  const running = working.run(address);
  const signal = await started;
  await moveTask({ ...opened, notifyTask }, otherAddress, { type: 'cancel', force: true });
  working.beat();
  await expect.poll(async () => (await opened.task(address)).seq).toBe(2);
  expect(signal.aborted).toBe(false);
  working.stopController.abort();
  await running;
});

it('forgets a worker when it has finished', async () => {
  const leases = leasedTasks();
  const reasons: string[] = [];
  const address = { organization: 'a', taskId: 't' };
  const task = await opened.task(await opened.submit());
  const stops = ['first', 'second'].map((name) => leases.watch(address, () => reasons.push(name)));
  stops[0]?.();
  leases.notify(address, task);
  leases.notify({ ...address, run: 1 }, task);
  stops[1]?.();
  leases.notify(address, task);
  expect(reasons).toEqual(['second']);
});
