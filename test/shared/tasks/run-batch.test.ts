/** A batch of a lane's hints: which tasks run, which are postponed, and that none is lost. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FileAddress } from '../../../shared/files/file.ts';
import { hintNameOf } from '../../../shared/files/reading-hint.ts';
import { runBatch, runHint } from '../../../shared/lanes/batches.ts';
import type { LaneSeats } from '../../../shared/lanes/worker-seats.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { aloneHintOf, hintOf, laneHintIn } from '../../../shared/tasks/hints.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { openTasks, type TaskSetup } from './setup.ts';
import { CLAIM, TICK } from './task-scenario.ts';

let opened: TaskSetup;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

const stored: FileAddress[] = [];
const storeReading = async (address: FileAddress) => {
  stored.push(address);
  return undefined;
};
const answer: Stage = { name: 'answering', run: async () => ({ text: 'done' }) };
const free: LaneSeats = { take: async () => ({ lost: new AbortController().signal, release: async () => undefined }) };
const full: LaneSeats = { take: async () => undefined };

async function submitTasks(count: number): Promise<TaskAddress[]> {
  const addresses = await Promise.all(Array.from({ length: count }, () => opened.submit()));
  await opened.hinted();
  return addresses;
}

function run(seats: LaneSeats, bodies: readonly string[], more: Partial<Parameters<typeof runBatch>[0]> = {}) {
  const agents = { made: { stages: () => [answer] } };
  const every = () => () => undefined;
  const ports = { ...opened, every, agents, seats, queue: opened.queues.lanes.normal, storeReading };
  return runBatch({ ...ports, ...more }, bodies, new AbortController().signal);
}

const postponedTasks = async () => {
  const messages = await opened.queues.lanes.normal.receive(10, 0);
  return messages.map(({ body }) => laneHintIn(body)?.taskIds);
};
const states = (addresses: TaskAddress[]) =>
  Promise.all(addresses.map(async (address) => (await opened.task(address)).state));
const reminderOf = (address: TaskAddress): string => JSON.stringify({ ...address, reminder: true });
const idsOf = (addresses: TaskAddress[]) => addresses.map(({ taskId }) => taskId);

it('runs the tasks of an organization that has a seat', async () => {
  const addresses = await submitTasks(3);
  expect(await run(free, addresses.map(hintOf))).toEqual(new Set());
  expect(await states(addresses)).toEqual(['succeeded', 'succeeded', 'succeeded']);
});

it('postpones the tasks of an organization without a seat, packed in one message, and claims none of them', async () => {
  const addresses = await submitTasks(5);
  expect(await run(full, addresses.map(hintOf))).toEqual(new Set());
  expect(await postponedTasks()).toEqual([]);
  opened.clock.pass(20_000);
  expect(await postponedTasks()).toEqual([idsOf(addresses)]);
  expect(await states(addresses)).toEqual(Array(5).fill('queued'));
});

it('runs the tasks of a postponed message', async () => {
  const addresses = await submitTasks(5);
  await run(full, addresses.map(hintOf));
  opened.clock.pass(20_000);
  const [message] = await opened.queues.lanes.normal.receive(10, 0);
  await run(free, [message?.body ?? '']);
  expect(await states(addresses)).toEqual(Array(5).fill('succeeded'));
});

it('runs new tasks before postponed ones, and no more concurrently than an instance has slots', async () => {
  const [fresh, ...waiting] = await submitTasks(6);
  await run(full, waiting.map(hintOf));
  opened.clock.pass(20_000);
  const [message] = await opened.queues.lanes.normal.receive(10, 0);
  await run(free, [message?.body ?? '', hintOf(fresh as TaskAddress)]);
  expect(await states([fresh as TaskAddress, ...waiting])).toEqual([...Array(5).fill('succeeded'), 'queued']);
  opened.clock.pass(20_000);
  expect(await postponedTasks()).toEqual([idsOf(waiting.slice(4))]);
});

it('drops a reminder of the reconciler when there is no seat, because its task will be due again', async () => {
  const [address] = await submitTasks(1);
  expect(await run(full, [reminderOf(address as TaskAddress)])).toEqual(new Set());
  opened.clock.pass(20_000);
  expect(await postponedTasks()).toEqual([]);
  await run(free, [reminderOf(address as TaskAddress)]);
  expect(await states([address as TaskAddress])).toEqual(['succeeded']);
});

it('leaves messages in the queue when their tasks could not be postponed', async () => {
  const addresses = await submitTasks(2);
  opened.queues.lanes.normal.send = async () => {
    throw new Error('The queue does not answer.');
  };
  expect(await run(full, ['no hint', ...addresses.map(hintOf)])).toEqual(new Set([1, 2]));
});

it('postpones the tasks when the table is too busy to lease a seat', async () => {
  const busy: LaneSeats = { take: () => Promise.reject(new Error('The table does not answer.')) };
  const addresses = await submitTasks(1);
  expect(await run(busy, addresses.map(hintOf))).toEqual(new Set());
  opened.clock.pass(20_000);
  expect(await postponedTasks()).toEqual([idsOf(addresses)]);
});

it('hands tasks over when their seat is lost', async () => {
  const lost = new AbortController();
  const [address] = await submitTasks(1);
  const seats: LaneSeats = { take: async () => ({ lost: lost.signal, release: async () => undefined }) };
  const stage: Stage = {
    name: 'waiting',
    run: () => {
      queueMicrotask(() => lost.abort());
      return new Promise(() => undefined);
    },
  };
  const agents = { made: { stages: () => [stage] } };
  const every = () => () => undefined;
  const ports = { ...opened, every, agents, seats, queue: opened.queues.lanes.normal, storeReading };
  await runBatch(ports, [hintOf(address as TaskAddress)], new AbortController().signal);
  expect(await opened.task(address as TaskAddress)).toMatchObject({ state: 'queued', attempt: 1 });
});

/** Its attempts vanished four times, in processes that also ran other tasks. */
async function suspectOf(address: TaskAddress): Promise<void> {
  for (let lost = 1; lost <= 4; lost++) {
    await moveTask(opened, address, CLAIM);
    opened.clock.pass(60_000);
    await moveTask(opened, address, TICK);
  }
  while ((await opened.hinted()).length > 0);
}

it('leaves a suspect beside other tasks alone, and hints it for a batch of its own', async () => {
  const [suspect, otherAddress] = (await submitTasks(2)) as [TaskAddress, TaskAddress];
  await suspectOf(suspect);
  expect(await run(free, [hintOf(suspect), hintOf(otherAddress)])).toEqual(new Set());
  expect(await states([suspect, otherAddress])).toEqual(['queued', 'succeeded']);
  expect((await opened.task(suspect)).attempt).toBe(4);
  const messages = await opened.queues.lanes.normal.receive(10, 0);
  expect(messages.map(({ body }) => laneHintIn(body))).toEqual([
    { organization: suspect.organization, taskIds: [suspect.taskId], isReminder: false, isAlone: true },
  ]);
});

it('runs a suspect alone, and postpones all other tasks of its batch, also those of other organizations', async () => {
  const [suspect, ...otherAddresses] = (await submitTasks(3)) as [TaskAddress, ...TaskAddress[]];
  await suspectOf(suspect);
  const foreign = { organization: 'another', taskId: 'task' };
  const bodies = [...otherAddresses, foreign].map(hintOf);
  let alone: unknown;
  const stage: Stage = {
    name: 'answering',
    run: async () => {
      alone = (await opened.task(suspect)).alone;
      return { text: 'done' };
    },
  };
  const agents = { made: { stages: () => [stage] } };
  expect(await run(free, [...bodies, aloneHintOf(suspect)], { agents })).toEqual(new Set());
  expect(await states([suspect, ...otherAddresses])).toEqual(['succeeded', 'queued', 'queued']);
  expect(alone).toBe(true);
  opened.clock.pass(20_000);
  expect((await postponedTasks()).toSorted()).toEqual([idsOf(otherAddresses), [foreign.taskId]].toSorted());
});

it('hands a suspect that is alone in its batch by chance no second hint', async () => {
  const [suspect] = (await submitTasks(1)) as [TaskAddress];
  await suspectOf(suspect);
  await run(free, [hintOf(suspect)]);
  expect(await states([suspect])).toEqual(['succeeded']);
  expect(await postponedTasks()).toEqual([]);
});

it('redelivers the hint of a suspect that could not be hinted for a batch of its own', async () => {
  const [suspect, otherAddress] = (await submitTasks(2)) as [TaskAddress, TaskAddress];
  await suspectOf(suspect);
  opened.queues.lanes.normal.send = async () => {
    throw new Error('The queue does not answer.');
  };
  expect(await run(free, [hintOf(suspect), hintOf(otherAddress)])).toEqual(new Set([0]));
});

it('reads a file beside other tasks or alone, and hints one that needs a batch of its own', async () => {
  const [otherAddress] = (await submitTasks(1)) as [TaskAddress];
  const file = { organization: otherAddress.organization, taskId: hintNameOf('f') };
  const processes: unknown[] = [];
  const storesAlone: typeof storeReading = async (...args: unknown[]) => {
    processes.push(args[2]);
    return args[2] === 'own' ? undefined : ('crowded' as never);
  };
  await run(free, [hintOf(file), hintOf(otherAddress)], { storeReading: storesAlone });
  expect(processes).toEqual([undefined]);
  const [message] = await opened.queues.lanes.normal.receive(10, 0);
  await run(free, [message?.body ?? ''], { storeReading: storesAlone });
  expect(processes).toEqual([undefined, 'own']);
  expect(await postponedTasks()).toEqual([]);
});

it('claims every task on one machine, where restarts are known, and makes no suspect there', async () => {
  const [suspect] = (await submitTasks(1)) as [TaskAddress];
  await suspectOf(suspect);
  const agents = { made: { stages: () => [answer] } };
  const ports = { ...opened, every: () => () => undefined, agents, storeReading };
  await runHint(ports, hintOf(suspect), new AbortController().signal);
  expect(await states([suspect])).toEqual(['succeeded']);
});
