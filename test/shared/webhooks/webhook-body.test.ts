/** The webhook body of the background-agent API, stored with the task. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { worker } from '../tasks/setup.ts';
import { openWebhooks, recordingPost, type WebhookSetup } from './setup.ts';

let opened: WebhookSetup;
beforeEach(async () => {
  opened = openWebhooks();
  await opened.rotate();
});
afterEach(() => opened.close());

async function sendBody(address: Awaited<ReturnType<WebhookSetup['ended']>>): Promise<Record<string, unknown>> {
  const post = recordingPost();
  await opened.send(address, post);
  return JSON.parse(post.sent[0]?.body ?? '') as Record<string, unknown>;
}

const at = (ms = 0) => new Date(opened.clock.now() + ms).toISOString();

it('reports a completed task', async () => {
  const { address } = await opened.accept({ face: 'agents', about: { metadata: { order: '7' } } });
  await moveTask(opened, address, { type: 'claim' });
  opened.clock.pass(45_300);
  await moveTask(opened, address, { type: 'finish', attempt: 1, as: 'succeeded' });
  const timestamp = at();
  opened.clock.pass(20_000);
  expect(await sendBody(address)).toEqual({
    event_type: 'task_completed',
    task_id: `task_${address.taskId}`,
    timestamp,
    data: {
      status: 'completed',
      duration_minutes: 0.76,
      results_available: true,
      results_url: `/api/v1/tasks/task_${address.taskId}/results`,
    },
    metadata: { order: '7' },
  });
});

it('reports why a task failed, and the results of its finished stages', async () => {
  const { address } = await opened.accept({ face: 'agents' });
  const failure = new TaskFailure('FILE_UNAVAILABLE', 'The file a.txt is gone.');
  await worker(opened, [
    { name: 'reading', run: async () => ({ pages: 1 }) },
    { name: 'writing', run: () => Promise.reject(failure) },
  ]).run(address);
  expect(await sendBody(address)).toMatchObject({
    event_type: 'task_failed',
    data: {
      status: 'failed',
      results_available: true,
      error: { code: 'FILE_UNAVAILABLE', message: 'The file a.txt is gone.' },
    },
    metadata: {},
  });
});

it('promises no results of a task that failed with nothing in them', async () => {
  const { address } = await opened.accept({ face: 'agents' });
  const report = { results: { values: [] }, preview: {}, sources: 0, queries: 1, hasContent: false };
  await worker(opened, [
    { name: 'reading', run: async () => ({ report }) },
    { name: 'writing', run: () => Promise.reject(new TaskFailure('PROCESSING_FAILED', 'Nothing could be read.')) },
  ]).run(address);
  expect(await sendBody(address)).toMatchObject({ data: { status: 'failed', results_available: false } });
});

it('reports a task that was cancelled before it began', async () => {
  const { address } = await opened.accept({ face: 'agents' });
  await moveTask(opened, address, { type: 'cancel', force: true });
  expect(await sendBody(address)).toEqual({
    event_type: 'task_cancelled',
    task_id: `task_${address.taskId}`,
    timestamp: at(),
    data: {
      status: 'cancelled',
      duration_minutes: 0,
      results_available: false,
      results_url: `/api/v1/tasks/task_${address.taskId}/results`,
    },
    metadata: {},
  });
});

it('does not exist for a task without a webhook', async () => {
  const address = await opened.silent();
  await moveTask(opened, address, { type: 'cancel', force: true });
  const post = recordingPost();
  await opened.send(address, post);
  expect(post.sent).toEqual([]);
  await expect(opened.delivery(address)).rejects.toThrow('no delivery');
});
