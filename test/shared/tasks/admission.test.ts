/** Admission of new tasks: limits of unfinished tasks, and of the time that tasks wait in a lane. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { admission } from '../../../shared/lanes/admission.ts';
import { laneWatch } from '../../../shared/lanes/lane-ages.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

let opened: TaskSetup;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

const ORGANIZATION = { name: 'Acme', createdAt: 0, models: [] };
const FULL = { code: 'atCapacity', retryAfterSeconds: 60 };
const admissionRequest = () => ({ organization: opened.organization, priority: 5 });
const admissionOf = (maxTasks: number) =>
  admission({
    ...opened,
    organizationOf: async (id) => ({ ...ORGANIZATION, id, limits: { 'unfinished-tasks': { most: maxTasks } } }),
  });
const refusals = (outcomes: PromiseSettledResult<void>[]) =>
  outcomes.filter(({ status }) => status === 'rejected').length;

async function end(...addresses: Awaited<ReturnType<TaskSetup['submit']>>[]): Promise<void> {
  const { run } = worker(opened, [{ name: 'answering', run: async () => ({ text: '' }) }]);
  for (const address of addresses) await run(address);
}

it('admits tasks up to the limit, and then answers with a retry time', async () => {
  const admit = admissionOf(3);
  for (let n = 0; n < 3; n++) {
    await admit(admissionRequest());
    await opened.submit();
  }
  await expect(admit(admissionRequest())).rejects.toMatchObject(FULL);
  await admit({ ...admissionRequest(), organization: opened.ids.uuid() });
});

it('admits again soon after tasks have ended', async () => {
  const admit = admissionOf(1);
  await admit(admissionRequest());
  const address = await opened.submit();
  await expect(admit(admissionRequest())).rejects.toMatchObject(FULL);
  await end(address);
  opened.clock.pass(250);
  await admit(admissionRequest());
});

it('does not count tasks that have ended meanwhile, even at a high submit rate', async () => {
  const admit = admissionOf(5);
  for (let n = 0; n < 40; n++) {
    await admit(admissionRequest());
    await end(await opened.submit());
  }
});

it('admits no more than the limit when many submits share one count', async () => {
  const admit = admissionOf(4);
  const submitted: Awaited<ReturnType<TaskSetup['submit']>>[] = [];
  const come = async () => {
    await admit(admissionRequest());
    submitted.push(await opened.submit());
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, come));
  expect(refusals(outcomes)).toBe(0);
  await expect(admit(admissionRequest())).rejects.toMatchObject(FULL);
  expect(submitted).toHaveLength(4);
});

it('rejects an organization whose tasks wait in the lane for more than ten minutes', async () => {
  const address = await opened.submit();
  opened.clock.pass(600_001);
  const watch = laneWatch(opened);
  watch.note(taskKey(address), await opened.task(address));
  // The alarm reads the same value by which submits are rejected.
  expect(await watch.write()).toEqual({ normal: 600_001 });
  const admit = admissionOf(10);
  await expect(admit(admissionRequest())).rejects.toMatchObject(FULL);
  await admit({ ...admissionRequest(), priority: 10 });
});

it('admits other organizations while the tasks of one wait, and none while those of two do', async () => {
  const ownAddress = await opened.submit();
  opened.clock.pass(1);
  const otherAddress = { organization: opened.ids.uuid(), taskId: ownAddress.taskId };
  const notice = async (...addresses: (typeof ownAddress)[]) => {
    const watch = laneWatch(opened);
    for (const address of addresses) watch.note(taskKey(address), await opened.task(ownAddress));
    await watch.write();
  };
  opened.clock.pass(600_001);
  await notice(ownAddress);
  const stranger = { ...admissionRequest(), organization: opened.ids.uuid() };
  await admissionOf(10)(stranger);
  await expect(admissionOf(10)(admissionRequest())).rejects.toMatchObject(FULL);
  await notice(ownAddress, otherAddress);
  await expect(admissionOf(10)(stranger)).rejects.toMatchObject(FULL);
});

it("measures the lane by an organization's oldest task, in any order of observation", async () => {
  const older = await opened.submit();
  opened.clock.pass(5_000);
  const newer = await opened.submit();
  opened.clock.pass(1_000);
  const watch = laneWatch(opened);
  for (const address of [newer, older, newer]) watch.note(taskKey(address), await opened.task(address));
  expect(await watch.write()).toEqual({ normal: 6_000 });
});
