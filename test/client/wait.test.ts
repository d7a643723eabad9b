/** Waiting for tasks of agents: those that end, and those that recur. */
import { expect, it } from 'vitest';
import { agents, filesAndTasks } from '../../client/src/index.ts';
import { answering, json, type Reply } from './server.ts';

const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const statusReply = (status: string, nextRunAt?: string): Reply =>
  json(200, { status, output_preview: nextRunAt === undefined ? {} : { next_run_at: nextRunAt } });

async function waitThrough(replies: Reply[], options: object = {}) {
  await using server = await answering(replies);
  const people = agents({ rootUrl: server.url, accessToken: 'token' });
  const outcome = await people.wait('task_a', options).then(
    ({ status, output_preview }) => ({ status, at: output_preview.next_run_at }),
    ({ code, details }) => ({ code, at: details.next_run_at }),
  );
  return { ...outcome, asked: server.got.length };
}

const [soon, later, muchLater] = [at(1), at(5), at(60)];

it.each([
  [
    'a task that ends',
    [statusReply('pending'), statusReply('processing'), statusReply('completed')],
    { status: 'completed' },
  ],
  [
    'a task that begins soon',
    [statusReply('pending', soon), statusReply('processing'), statusReply('failed')],
    { status: 'failed' },
  ],
  [
    'a run in progress',
    [statusReply('processing', soon), statusReply('processing', soon), statusReply('pending', later)],
    { status: 'pending', at: later },
  ],
  [
    'the next run',
    [statusReply('pending', soon), statusReply('processing', later), statusReply('pending', later)],
    { status: 'pending', at: later },
  ],
  [
    'a run between two polls',
    [statusReply('pending', soon), statusReply('pending', later)],
    { status: 'pending', at: later },
  ],
  [
    'an additional run',
    [statusReply('pending', later), statusReply('pending', soon), statusReply('pending', later)],
    { status: 'pending', at: later },
  ],
  ['a cancelled task', [statusReply('pending', soon), statusReply('cancelled')], { status: 'cancelled' }],
])('ends with %s', async (_, replies, outcome) => {
  expect(await waitThrough(replies)).toMatchObject({ ...outcome, asked: replies.length });
});

it('fails at once for a run that begins after the timeout, and states its time', async () => {
  expect(await waitThrough([statusReply('pending', muchLater)])).toEqual({
    code: 'WAIT_TIMEOUT',
    at: muchLater,
    asked: 1,
  });
  const running = await waitThrough([statusReply('processing', muchLater), statusReply('pending', muchLater)]);
  expect(running).toMatchObject({ status: 'pending', asked: 2 });
});

it.each([
  ['a server that hangs', ['hang'] as Reply[]],
  [
    'a limit that asks to come back late',
    [json(429, { error: { code: 'RATE_LIMIT_EXCEEDED' } }, { 'retry-after': '16' })],
  ],
  ['a task that goes on', [json(200, { status: 'processing', output_preview: {} }, { 'retry-after': '16' })]],
])('respects its timeout with %s', async (_, replies) => {
  const begunAt = Date.now();
  expect(await waitThrough(replies, { timeoutMs: 200 })).toMatchObject({ code: 'WAIT_TIMEOUT' });
  expect(Date.now() - begunAt).toBeLessThan(2_500);
});

it('polls once more when its timeout has passed', async () => {
  const late = json(200, { status: 'processing', output_preview: {} }, { 'retry-after': '16' });
  expect(await waitThrough([late, statusReply('completed')], { timeoutMs: 200 })).toMatchObject({
    status: 'completed',
    asked: 2,
  });
});

it('stops when its signal is aborted, and accepts an infinite timeout', async () => {
  const signal = AbortSignal.timeout(50);
  expect(await waitThrough(['hang'], { timeoutMs: 5_000, signal })).toMatchObject({ code: 'ABORTED' });
  expect(await waitThrough([statusReply('completed')], { timeoutMs: Number.POSITIVE_INFINITY })).toMatchObject({
    asked: 1,
  });
});

const error = { code: 'FILE_UNAVAILABLE', message: 'A file is gone.' };

it('returns the results of a task that completed, typed by what was submitted', async () => {
  const results = { merged: [], records: [{ data: { total: 5 } }] };
  const replies = [
    json(202, { task_id: 'task_a', task_type: 'processing_agent' }),
    json(200, { status: 'completed', output_preview: {} }),
    json(200, { status: 'completed', results }),
  ];
  await using server = await answering(replies);
  const api = agents({ rootUrl: server.url, accessToken: 'token' });
  const input = { documents: [{ url: 'https://files.acme.org/a.pdf' }] };
  const { task_id } = await api.submit({ task_type: 'processing_agent', input });
  const { records } = await api.waitForResults(task_id);
  expect(records?.[0]?.data).toEqual({ total: 5 });
});

it('rejects with the reason if an agent task did not complete', async () => {
  await using server = await answering([json(200, { status: 'failed', output_preview: {}, error })]);
  const waiting = agents({ rootUrl: server.url, accessToken: 'token' }).waitForResults('task_a');
  await expect(waiting).rejects.toMatchObject({
    code: 'TASK_FAILED',
    message: 'A file is gone.',
    details: { task_id: 'task_a', status: 'failed', code: 'FILE_UNAVAILABLE' },
  });
});

it.each([
  ['returns the output of a chat task that succeeded', { status: 'success', output: { text: 'x' } }, { text: 'x' }],
  ['rejects with the reason if a chat task did not succeed', { status: 'failure', error }, 'TASK_FAILED'],
])('%s', async (_, task, expected) => {
  await using server = await answering([json(200, task)]);
  const { tasks } = filesAndTasks({ baseUrl: server.url, apiKey: 'errand_a_b' });
  expect(await tasks.waitForOutput('a').catch(({ code }) => code)).toEqual(expected);
});
