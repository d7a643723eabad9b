/** Due rows on AWS: the deployed reconciler finds them and the deployed worker finishes them. */
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../shared/core/time.ts';
import { fileDraft, uploadKey } from '../../../shared/files/file.ts';
import { sweepKey } from '../../../shared/files/sweep-uploads.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { call } from '../../functions/over-http/call.ts';
import { putText } from '../../shared/files/setup.ts';
import {
  blobs,
  callTask,
  ids,
  leave,
  MINUTE,
  organization,
  PATIENCE,
  resultsOf,
  rowOf,
  table,
  waitForEnd,
} from './beside.ts';

const past = () => Date.now() - 5 * MINUTE;

describe('a task that waits', () => {
  it.each([
    ['high', 9],
    ['normal', 5],
    ['low', 2],
  ])('in the %s lane is hinted again when its hint was lost, and done once', async (_lane, priority) => {
    const address = await leave({ priority, createdAt: past(), queuedAt: past(), hintAt: past() });
    expect(await waitForEnd(address)).toMatchObject({ state: 'succeeded', attempt: 1, hints: 1, failures: 0 });
    expect(await resultsOf(address)).toEqual(['RESULT#1#00']);
    expect((await callTask(address.taskId)).body).toMatchObject({
      status: 'success',
      output: { text: expect.any(String) },
    });
  });

  it('fails when no worker could start it in time', async () => {
    const address = await leave({ createdAt: past(), queuedAt: past(), hintAt: past(), deadlineAt: past() });
    expect(await waitForEnd(address)).toMatchObject({ state: 'failed', code: 'TASK_TIMEOUT', attempt: 0 });
    expect((await callTask(address.taskId)).body).toMatchObject({ status: 'failure', error: { code: 'TASK_TIMEOUT' } });
  });
});

describe('a task that a worker runs', () => {
  const working = (leaseUntil: number) => {
    const at = past();
    return {
      state: 'running',
      attempt: 1,
      createdAt: at,
      queuedAt: at,
      startedAt: at,
      claimedAt: at,
      leaseUntil,
    } as const;
  };

  it('moves from a worker that vanished to another, which finishes it', async () => {
    const address = await leave(working(past() + MINUTE));
    const task = await waitForEnd(address);
    expect(task).toMatchObject({ state: 'succeeded', attempt: 2, vanished: 1, failures: 0 });
    expect(task.past?.map(([attempt, , , how]) => [attempt, how])).toEqual([[1, 'vanished']]);
    expect(await resultsOf(address)).toEqual(['RESULT#2#00']);
  });

  it('is left alone while its lease holds', async () => {
    const held = await leave(working(Date.now() + 10 * MINUTE));
    const lost = await leave(working(past() + MINUTE));
    await waitForEnd(lost);
    expect((await rowOf(held)).value).toMatchObject({ state: 'running', attempt: 1 });
  });
});

it('hints the sender again when the hint of a webhook was lost', async () => {
  const [createdAt, endedAt] = [past(), past()];
  const hook = { state: 'due', tries: 0, nextAt: endedAt } as const;
  const address = await leave({ state: 'cancelled', code: 'TASK_CANCELLED', createdAt, endedAt, hook });
  await expect.poll(async () => (await rowOf(address)).value.hook?.nextAt, PATIENCE).toBeGreaterThan(endedAt);
  expect((await rowOf(address)).value).toMatchObject({ state: 'cancelled', endedAt });
});

it('removes uncompleted uploads with every version, and no file of the same hour', async () => {
  const askedAt = Date.now() - 30 * 60 * MINUTE;
  const [fileId, lostId] = [ids.uuid(), ids.uuid()];
  const [place, lost] = [fileId, lostId].map((id) => uploadKey(organization, id, askedAt)) as [string, string];
  for (const [key, text] of [...Array(2).fill([lost, 'lost']), [place, 'kept']]) await putText(blobs, key, text);
  const bytesAt = (await blobs.arrived(place, 4))?.at ?? '';
  const about = { fileName: 'a.txt', mimeType: 'text/plain', size: 4, createdAt: askedAt, goneAt: Date.now() + 1e9 };
  await table.insert(fileDraft(organization, fileId, { state: 'stored', bytesAt, ...about }));
  const back = { value: { hourAt: askedAt - (askedAt % (60 * MINUTE)) } };
  const goBack = async () => {
    const row = await table.get(sweepKey);
    return row && table.replace(row, back);
  };
  await expect.poll(goBack, PATIENCE).toBeDefined();

  await expect.poll(() => blobs.arrived(lost, 10), PATIENCE).toBeUndefined();
  const { body } = await call('files', `/files/${fileId}`, { as: 'engine' });
  expect(await (await fetch(String(body.url))).text()).toBe('kept');
});

describe('a task that recurs', () => {
  const schedules = new SchedulerClient();
  const isScheduled = async ({ organization: of, taskId }: TaskAddress) => {
    const { Schedules = [] } = await schedules.send(new ListSchedulesCommand({}));
    return Schedules.some(({ Name }) => Name === (of + taskId).replaceAll('-', ''));
  };

  it('runs its slot without a hint, gets a schedule, and loses the schedule when it is cancelled', async () => {
    const slotAt = Math.floor(past() / 1_000) * 1_000;
    const by = `d ${new Date(slotAt).toISOString().slice(11, 19).replaceAll(':', '')} UTC`;
    const recurs = { by, slotAt, run: 1, seq: 0 };
    const address = await leave({ createdAt: past(), queuedAt: slotAt, hintAt: slotAt, recurs });
    await expect.poll(async () => (await rowOf(address)).value.recurs?.run, PATIENCE).toBe(2);
    expect((await rowOf(address)).value).toMatchObject({ state: 'queued', queuedAt: slotAt + 24 * 60 * MINUTE });
    const run = await table.get<Task>(taskKey({ ...address, run: 1 }));
    expect(run?.value).toMatchObject({ state: 'succeeded', run: { number: 1, slotAt } });
    expect(await isScheduled(address)).toBe(true);

    await moveTask({ table, clock: systemClock, hints: async () => undefined }, address, {
      type: 'cancel',
      force: false,
    });
    await expect.poll(async () => (await rowOf(address)).value.recurs?.isOff, PATIENCE).toBe(true);
    expect(await isScheduled(address)).toBe(false);
  });
});
