/** Events of a recurring task: one for each run, independent of each other. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tickTask } from '../../../shared/reconcile/tick-task.ts';
import { addressOfHint } from '../../../shared/tasks/hints.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { deliveriesOf, redeliver } from '../../../shared/webhooks/deliveries.ts';
import { sendHint } from '../../../shared/webhooks/send.ts';
import { ENDPOINT, openWebhooks, recordingPost, status, type WebhookSetup } from './setup.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let opened: WebhookSetup;
let address: TaskAddress;
let slotAt: number;
beforeEach(async () => {
  opened = openWebhooks();
  await opened.rotate();
  slotAt = Math.ceil(opened.clock.now() / DAY) * DAY;
  address = { organization: opened.organization, taskId: opened.ids.uuid() };
  await submitTask(opened, address, {
    ...{ face: 'agents', type: 'notification_agent', priority: 5 },
    about: { endpoint: ENDPOINT, input: {} },
    ...{ firstAt: slotAt, recurs: 'd 000000 UTC' },
  });
});
afterEach(() => opened.close());

/** The next run. */
async function run(as: 'succeeded' | 'failed'): Promise<void> {
  opened.clock.pass(Math.max(0, slotAt - opened.clock.now()));
  slotAt += DAY;
  const claimed = await moveTask(opened, address, { type: 'claim' });
  const attempt = claimed?.row.value.attempt ?? 0;
  const end = as === 'succeeded' ? { as } : { as, code: 'PROCESSING_FAILED' as const };
  await moveTask(opened, address, { type: 'finish', attempt, ...end });
}

async function sendAll(post: Parameters<WebhookSetup['sender']>[0]): Promise<void> {
  const received = await opened.queues.webhooks.receive(10, 0);
  for (const { body, receipt } of received) {
    await sendHint(opened.sender(post), body, new AbortController().signal);
    await opened.queues.webhooks.done([receipt]);
  }
}

const eventsIn = ({ sent: requests }: ReturnType<typeof recordingPost>) =>
  requests.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body).event_type, JSON.parse(body).data.run]);
const idOf = (number: number) => `evt_${address.taskId}_run${number}`;

it('has a separate event for each run, and for the cancel', async () => {
  const post = recordingPost();
  await run('succeeded');
  await sendAll(post);
  await run('failed');
  await sendAll(post);
  await moveTask(opened, address, { type: 'cancel', force: false });
  await sendAll(post);
  expect(eventsIn(post)).toEqual([
    [idOf(1), 'task_run_completed', 1],
    [idOf(2), 'task_run_failed', 2],
    [`evt_${address.taskId}_cancelled`, 'task_cancelled', undefined],
  ]);
  expect(JSON.parse(post.sent[1]?.body ?? '').data.error.code).toBe('PROCESSING_FAILED');
});

it('is retried while later runs end, and is not lost by any of them', async () => {
  await run('succeeded');
  await sendAll(recordingPost(() => status(500)));
  await run('succeeded');
  const post = recordingPost();
  await sendAll(post);
  expect(
    eventsIn(post)
      .map(([id]) => id)
      .sort(),
  ).toEqual([idOf(1), idOf(2)]);
  const deliveries = await deliveriesOf(opened, address);
  expect(deliveries.map(({ id, state, attempts }) => [id, state, attempts.length])).toEqual([
    [idOf(2), 'delivered', 1],
    [idOf(1), 'delivered', 2],
  ]);
});

it('is queued again by the reconciler if its message was lost', async () => {
  await run('succeeded');
  await opened.queues.webhooks.receive(10, 0);
  opened.clock.pass(2 * MINUTE);
  const run1 = { ...address, run: 1 };
  const [key] = (
    await Promise.all(Array.from({ length: 16 }, (_, shard) => opened.table.due(shard, opened.clock.now(), 10)))
  ).flat();
  expect(key).toEqual(taskKey(run1));
  await tickTask({ ...opened, lanes: { note: () => undefined } }, taskKey(run1));
  const received = await opened.queues.webhooks.receive(10, 0);
  expect(received.map(({ body }) => addressOfHint(body))).toEqual([run1]);
});

it('is redelivered by its id, without the other events', async () => {
  await run('succeeded');
  await run('succeeded');
  await sendAll(recordingPost());
  expect(await redeliver(opened, address, { id: idOf(1) })).toMatchObject({ id: idOf(1), state: 'pending' });
  const post = recordingPost();
  await sendAll(post);
  expect(eventsIn(post).map(([id]) => id)).toEqual([idOf(1)]);
});
