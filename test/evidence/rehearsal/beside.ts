/** Access for the rehearsal's tests to the table, the bucket, the lanes' queues and worker instances of their own. */
import { openSync } from 'node:fs';
import { GetQueueAttributesCommand, ListQueuesCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import { blobsFrom, tableFrom } from '../../../adapters/aws/context.ts';
import { ids as makeIds } from '../../../shared/core/ids.ts';
import type { Lane } from '../../../shared/core/lane.ts';
import { systemClock as clock } from '../../../shared/core/time.ts';
import { type ChatInput, detailsDrafts, type TaskDetails } from '../../../shared/tasks/details.ts';
import { detailsExpireAt, namespaceMark, type TaskAddress, taskDraft, taskKey } from '../../../shared/tasks/rows.ts';
import { isOpen, newTask, type Task } from '../../../shared/tasks/task.ts';
import { WORKLOAD_MODEL } from '../../engines/models/workload-model.ts';
import { call, target } from '../../functions/over-http/call.ts';
import { type Instance, type InstancePlan, instance } from './lambda/instance.ts';

export const ids = makeIds(clock);
export const table = tableFrom(process.env);
export const blobs = blobsFrom(process.env);
const sqs = new SQSClient({});

export const MINUTE = 60_000;
export const PATIENCE = { timeout: 25_000, interval: 50 };

const INPUT: ChatInput = { prompt: 'When?', fileIds: [], steps: [], rulesets: [], model: WORKLOAD_MODEL };
const ENDPOINT = 'https://hooks.errand-tests.org/results';

export const organization = target.organizations.engine.id;

/** Inserts the rows of a task as a process that crashed would leave them: no hint and no notification is sent. */
export async function leave(
  change: Partial<Task>,
  input: Partial<ChatInput> = {},
  endpoint = ENDPOINT,
): Promise<TaskAddress> {
  const address = { organization, taskId: ids.uuid() };
  const now = clock.now();
  const made = newTask({ face: 'files-and-tasks', type: namespaceMark('left'), priority: 5, hasWebhook: false, now });
  const task: Task = { ...made, ...change };
  const about: TaskDetails = { namespace: 'left', endpoint, input: { ...INPUT, ...input } };
  await table.insert(taskDraft(address, task, now), detailsDrafts(address, about, detailsExpireAt(task)));
  return address;
}

export async function rowOf(address: TaskAddress) {
  const row = await table.get<Task>(taskKey(address));
  if (!row) throw new Error('There is no such task.');
  return row;
}

export async function waitForEnd(address: TaskAddress): Promise<Task> {
  await expect.poll(async () => isOpen((await rowOf(address)).value), PATIENCE).toBe(false);
  return (await rowOf(address)).value;
}

/** The sort keys of a task's results, one or more for each attempt that stored a result. */
export async function resultsOf({ organization: of, taskId }: TaskAddress): Promise<string[]> {
  const { rows } = await table.rows(`O#${of}#T#${taskId}`, 'RESULT#', { limit: 100 });
  return rows.map(({ sk }) => sk);
}

export const callTask = (taskId: string) => call('files', `/tasks/${taskId}`, { as: 'engine' });

export const hintOf = ({ organization: of, taskId }: TaskAddress): string =>
  JSON.stringify({ organization: of, taskId });

const LANE_NAMES = { high: 'HighLane', normal: 'NormalLane', low: 'LowLane' };

export async function urlOf(lane: Lane, kind: 'Queue' | 'DeadLetters' = 'Queue'): Promise<string> {
  const prefix = `rehearsal-Queues${LANE_NAMES[lane]}${kind}`;
  const { QueueUrls: [url] = [] } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: prefix }));
  if (url === undefined) throw new Error(`There is no queue ${prefix}.`);
  return url;
}

/** Sends up to ten messages in one batch. */
export async function send(lane: Lane, ...bodies: string[]): Promise<void> {
  const Entries = bodies.map((body, at) => ({ Id: String(at), MessageBody: body }));
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: await urlOf(lane), Entries }));
}

/** `hidden` counts messages that are in flight, or that failed and wait for their visibility timeout. */
export async function messagesIn(url: string): Promise<{ waiting: number; hidden: number }> {
  const [waiting, hidden] = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [waiting, hidden] });
  const { Attributes = {} } = await sqs.send(asked);
  return { waiting: Number(Attributes[waiting]), hidden: Number(Attributes[hidden]) };
}

/** The deployed bundle in its own process, with the role and environment of its function. */
export function workerByHand(change: Partial<InstancePlan> = {}): Instance {
  const plans = JSON.parse(process.env.REHEARSAL_INSTANCES ?? '{}') as Record<string, Omit<InstancePlan, 'log'>>;
  const plan = plans['run-task'];
  if (!plan) throw new Error('There is no rehearsal: npm run rehearse sets one up for this project.');
  return instance({ ...plan, log: openSync('.cache/rehearsal/by-hand.log', 'a'), ...change });
}

export const batchOf = (...bodies: string[]) => ({
  Records: bodies.map((body, at) => ({ messageId: `message-${at}`, body })),
});
