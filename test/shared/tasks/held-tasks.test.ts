/** A worker learns immediately of writes of its own process to the task that it has leased. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { leasedTasks } from '../../../shared/tasks/leased-tasks.ts';
import { moveTask, type NotifyTask } from '../../../shared/tasks/transition.ts';
import { type Opened, openTasks, worker } from './setup.ts';

let opened: Opened;
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
  const held = leasedTasks();
  const tell: NotifyTask = (_effects, address, task) => held.notify(address, task);
  const address = await opened.submit();
  const { stage, started } = hanging();
  const running = worker({ ...opened, notifyTask: tell, held }, [stage]).run(address);
  const signal = await started;
  await moveTask({ ...opened, notifyTask: tell }, address, { type: 'cancel', force });
  expect(signal.reason).toBe(reason);
  await running;
  expect((await opened.task(address)).state).toBe(state);
});

it('does not stop the worker when another task is cancelled, or on a tick of its own task', async () => {
  const held = leasedTasks();
  const tell: NotifyTask = (_effects, address, task) => held.notify(address, task);
  const [address, other] = [await opened.submit(), await opened.submit()];
  const { stage, started } = hanging();
  const working = worker({ ...opened, notifyTask: tell, held }, [stage]);
  const running = working.run(address);
  const signal = await started;
  await moveTask({ ...opened, notifyTask: tell }, other, { type: 'cancel', force: true });
  working.beat();
  await expect.poll(async () => (await opened.task(address)).seq).toBe(2);
  expect(signal.aborted).toBe(false);
  working.mustGo.abort();
  await running;
});

it('forgets a worker when it has finished', async () => {
  const held = leasedTasks();
  const heard: string[] = [];
  const address = { organization: 'a', taskId: 't' };
  const task = await opened.task(await opened.submit());
  const stops = ['first', 'second'].map((name) => held.watch(address, () => heard.push(name)));
  stops[0]?.();
  held.notify(address, task);
  held.notify({ ...address, run: 1 }, task);
  stops[1]?.();
  held.notify(address, task);
  expect(heard).toEqual(['second']);
});
