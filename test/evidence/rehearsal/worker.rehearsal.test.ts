/** The deployed worker with hints that are repeated or malformed, or that reach an instance shortly before its timeout. */
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from 'vitest';
import { type File, fileKey } from '../../../shared/files/file.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import { askUpload, call } from '../../functions/over-http/call.ts';
import * as beside from './beside.ts';
import type { Instance } from './lambda/instance.ts';

const {
  waitForEnd: ended,
  hintOf,
  leave,
  messagesIn,
  organization,
  PATIENCE,
  resultsOf,
  rowOf,
  send,
  table,
  urlOf,
} = beside;

/** A lane that the API suites do not use. */
const QUIET = 'low';
const EMPTY = { waiting: 0, hidden: 0 };

const waitForDrain = async (): Promise<void> => {
  const url = await urlOf(QUIET);
  await expect.poll(() => messagesIn(url), PATIENCE).toEqual(EMPTY);
};

let byHand: Instance | undefined;
const worker = (...change: Parameters<typeof beside.workerByHand>): Instance => {
  byHand = beside.workerByHand(...change);
  return byHand;
};
afterEach(() => byHand?.stop());

/** A row that the product never writes: every worker that claims it fails. */
async function addDamaged(): Promise<TaskAddress> {
  const address = { organization, taskId: beside.ids.uuid() };
  await table.insert({ ...taskKey(address), value: null });
  return address;
}

describe('a hint', () => {
  it('that arrives three times makes one attempt, one result and one end', async () => {
    const address = await leave({ priority: 2 });
    await send(QUIET, hintOf(address), hintOf(address), hintOf(address));
    expect(await ended(address)).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0, vanished: 0 });
    await waitForDrain();
    expect(await resultsOf(address)).toEqual(['RESULT#1#00']);
  });

  it('that arrives after the end of the task does not change the row', async () => {
    const address = await leave({ priority: 2 });
    await send(QUIET, hintOf(address));
    await ended(address);
    const { version } = await rowOf(address);
    await send(QUIET, hintOf(address), hintOf(address));
    await waitForDrain();
    expect((await rowOf(address)).version).toBe(version);
  });

  it('that two instances receive at once is handled by one of them', async () => {
    const address = await leave({ priority: 2 });
    const second = beside.workerByHand();
    const event = beside.batchOf(hintOf(address));
    const outcomes = await Promise.all([worker().invoke(event), second.invoke(event)]);
    await second.stop();
    expect(outcomes).toEqual([{ result: { batchItemFailures: [] } }, { result: { batchItemFailures: [] } }]);
    expect(await ended(address)).toMatchObject({ state: 'succeeded', attempt: 1 });
    expect(await resultsOf(address)).toEqual(['RESULT#1#00']);
  });

  it.each([
    ['no JSON', 'not { json'],
    ['no hint', '{"hello":"world"}'],
    ['a hint of a task that is not there', JSON.stringify({ organization: 'nobody', taskId: 'nothing' })],
  ])('that is %s is dropped, and does not become a dead letter', async (_what, body) => {
    await send(QUIET, body);
    await waitForDrain();
    expect(await messagesIn(await urlOf(QUIET, 'DeadLetters'))).toEqual(EMPTY);
  });
});

describe('of several messages', () => {
  it('only the one that failed is named', async () => {
    const [first, broken, last] = [await leave({ priority: 2 }), await addDamaged(), await leave({ priority: 2 })];
    const event = beside.batchOf(hintOf(first), hintOf(broken), hintOf(last));
    expect(await worker().invoke(event)).toEqual({ result: { batchItemFailures: [{ itemIdentifier: 'message-1' }] } });
    for (const address of [first, last]) expect(await ended(address)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });

  it('only the one that failed stays in the queue, hidden until it comes again', async () => {
    const [first, broken, last] = [await leave({ priority: 2 }), await addDamaged(), await leave({ priority: 2 })];
    await send(QUIET, hintOf(first), hintOf(broken), hintOf(last));
    for (const address of [first, last]) expect(await ended(address)).toMatchObject({ state: 'succeeded', attempt: 1 });
    const QueueUrl = await urlOf(QUIET);
    await expect.poll(() => messagesIn(QueueUrl), PATIENCE).toEqual({ waiting: 0, hidden: 1 });
    await new SQSClient({}).send(new PurgeQueueCommand({ QueueUrl }));
  });
});

it.each([
  ['high', 9],
  ['normal', 5],
  ['low', 2],
])(
  'near its time limit a worker hands a task of the %s lane on, and that does not count as a failure',
  async (_lane, priority) => {
    const address = await leave({ priority });
    // Less than the time that a worker reserves for handing over.
    const outcome = await worker({ timeoutSeconds: 25 }).invoke(beside.batchOf(hintOf(address)));
    expect(outcome).toEqual({ result: { batchItemFailures: [] } });
    const task = await ended(address);
    expect(task).toMatchObject({ state: 'succeeded', attempt: 2, failures: 0, vanished: 0 });
    expect(task.past?.map(([attempt, , , how]) => [attempt, how])).toEqual([[1, 'yielded']]);
    expect(await resultsOf(address)).toEqual(['RESULT#2#00']);
  },
);

it('fails a task whose file has no bytes, and names the file', async () => {
  const { body } = await askUpload('engine', {}, 'lost.txt');
  await fetch(String(body.uploadUrl), { method: 'PUT', body: 'here' });
  const { fileId, storagePath } = body as Record<string, string>;
  const json = { fileName: 'lost.txt', mimeType: 'text/plain', size: 4, storagePath };
  expect((await call('files', `/files/${fileId}/complete`, { as: 'engine', json })).status).toBe(201);
  const row = await table.get<File>(fileKey(organization, fileId ?? ''));
  await beside.blobs.remove(row?.value.bytesAt ?? '');

  const address = await leave({ priority: 2 }, { fileIds: [fileId ?? ''] });
  await send(QUIET, hintOf(address));
  expect(await ended(address)).toMatchObject({ state: 'failed', code: 'FILE_UNAVAILABLE' });
  const error = { code: 'FILE_UNAVAILABLE', message: expect.stringContaining('lost.txt') };
  expect((await beside.callTask(address.taskId)).body).toMatchObject({ status: 'failure', error });
});
