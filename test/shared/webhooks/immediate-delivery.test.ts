/** The first attempt to deliver an event, by the worker that ends the task. */
import { describe, expect, it } from 'vitest';
import type { Post, Table } from '../../../shared/ports.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { immediateDelivery } from '../../../shared/webhooks/immediate-delivery.ts';
import { receiverOf } from '../../../shared/webhooks/receiver.ts';
import { BREAKER_LIMITS } from '../../../shared/webhooks/receiver-health.ts';
import { type SenderSlots, senderSlots } from '../../../shared/webhooks/sender-slots.ts';
import { worker } from '../tasks/setup.ts';
import { OK, recordingPost, status, useWebhooks } from './setup.ts';

const { its, hinted } = useWebhooks();

const answers: Stage = { name: 'answering', run: async () => ({ text: 'Grüße' }) };
const fails: Stage = {
  name: 'failing',
  run: () => Promise.reject(new TaskFailure('FILE_UNAVAILABLE', 'A file is gone.')),
};

/** A stage that cancels its own task and then returns a result. */
const cancelled = (address: TaskAddress, force: boolean): Stage => ({
  name: 'answering',
  run: async () => {
    await moveTask(its.opened, address, { type: 'cancel', force });
    return { text: 'too late' };
  },
});

/** A worker that sends by this client, and its outcomes. */
function sending(post: Post, { slots = senderSlots({ ofOrganization: 10, toReceiver: 10 }), stages = [answers] } = {}) {
  const stopController = new AbortController();
  const ports = its.opened.sender(post, { slots });
  const immediate = immediateDelivery(ports, stopController.signal);
  const { run } = worker({ ...its.opened, immediateDelivery: immediate }, stages);
  return { ports, stopController, run, settled: immediate.settled };
}

const acceptTask = async (options: Parameters<typeof its.opened.accept>[0] = {}): Promise<TaskAddress> =>
  (await its.opened.accept(options)).address;
const deliveryOf = async (address: TaskAddress) => (await its.opened.task(address)).hook;

/** A receiver that answers when the test says so. */
function hangingReceiver() {
  const open = Promise.withResolvers<void>();
  const post = recordingPost();
  const slow: Post = async (...request) => {
    await open.promise;
    return post(...request);
  };
  return { slow, sent: post.sent, open: open.resolve };
}

describe('an event', () => {
  it('is sent by the worker that ended the task, without a queue message', async () => {
    const address = await acceptTask();
    const post = recordingPost();
    const { run, settled } = sending(post);
    await run(address);
    await settled();
    expect(post.sent).toHaveLength(1);
    expect(await hinted()).toEqual([]);
    const { state, attempts } = await its.opened.delivery(address);
    expect([state, attempts]).toMatchObject(['delivered', [{ number: 1, status: 200 }]]);
  });

  it.each([
    ['success', answers],
    ['failure', fails],
  ])('of a %s has exactly the bytes that a sender would send later', async (_, stage) => {
    for (const api of ['files-and-tasks', 'agents'] as const) {
      const address = await acceptTask({ face: api });
      const post = recordingPost();
      const { run, settled } = sending(post, { stages: [stage] });
      await run(address);
      await settled();
      await moveTask(its.opened, address, { type: 'redeliver' });
      await its.opened.send(address, post);
      const [first, again] = post.sent;
      expect(again?.body).toBe(first?.body);
      expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      await hinted();
    }
  });

  it('of a task that was being cancelled reports the cancel', async () => {
    const address = await acceptTask();
    const post = recordingPost();
    const { run, settled } = sending(post, { stages: [cancelled(address, false)] });
    await run(address);
    await settled();
    expect(JSON.parse(post.sent[0]?.body ?? '')).toMatchObject({ error: { code: 'TASK_CANCELLED' } });
  });

  it('that was refused is sent again by its retry plan', async () => {
    const address = await acceptTask();
    const { run, settled } = sending(recordingPost(() => status(503)));
    await run(address);
    await settled();
    expect(await deliveryOf(address)).toMatchObject({ state: 'due', tries: 1 });
    its.opened.clock.pass(6_000);
    expect(await hinted()).toEqual([address.taskId]);
    const { attempts } = await its.opened.delivery(address);
    expect(attempts).toMatchObject([{ number: 1, status: 503 }]);
  });

  it('whose sending throws is sent once the lease has expired', async () => {
    const address = await acceptTask();
    const { run, settled } = sending(() => Promise.reject(new Error('broken')));
    await run(address);
    await settled();
    expect(its.opened.lines.some((line) => line.includes('a webhook could not be sent'))).toBe(true);
    its.opened.clock.pass(60_000);
    await moveTask(its.opened, address, { type: 'tick' });
    expect(await hinted()).toEqual([address.taskId]);
  });

  it('does not keep its worker waiting', async () => {
    const { slow, sent: requests, open } = hangingReceiver();
    const { run, settled } = sending(slow);
    await run(await acceptTask());
    expect(requests).toEqual([]);
    open();
    await settled();
    expect(requests).toHaveLength(1);
  });
});

describe('is left to the senders', () => {
  async function isLeft(address: TaskAddress): Promise<void> {
    expect(await deliveryOf(address)).toMatchObject({ state: 'due', tries: 0 });
    expect(await hinted()).toContain(address.taskId);
  }

  it('an event for a receiver that keeps failing', async () => {
    const { run, settled } = sending(recordingPost(() => status(503)));
    for (let attempt = 0; attempt <= BREAKER_LIMITS.opensAt; attempt++) {
      if (attempt === BREAKER_LIMITS.opensAt) its.opened.clock.pass(BREAKER_LIMITS.opensAfterMs);
      await run(await acceptTask());
      await settled();
    }
    await hinted();
    const address = await acceptTask();
    await run(address);
    await isLeft(address);
  });

  it('an event for a receiver that was slow, for a while', async () => {
    let takes = 2_001;
    const { run, settled } = sending(async () => {
      its.opened.clock.pass(takes);
      return OK;
    });
    await run(await acceptTask());
    await settled();
    const address = await acceptTask();
    await run(address);
    await isLeft(address);
    its.opened.clock.pass(600_000);
    takes = 2_000;
    for (let times = 0; times < 2; times++) {
      const next = await acceptTask();
      await run(next);
      await settled();
      expect(await deliveryOf(next)).toMatchObject({ state: 'delivered' });
    }
  });

  it('an event while a receiver, or all receivers of an organization together, are at their limit', async () => {
    const { slow, open } = hangingReceiver();
    const slots = senderSlots({ ofOrganization: 12, toReceiver: 10 });
    const { run, settled } = sending(slow, { slots });
    for (let busy = 0; busy < 10; busy++) await run(await acceptTask());
    const address = await acceptTask();
    await run(address);
    await isLeft(address);
    const endpoint = 'https://hooks.customer-b.com/';
    for (let busy = 0; busy < 2; busy++) await run(await acceptTask({ endpoint }));
    const thirdAddress = await acceptTask({ endpoint });
    await run(thirdAddress);
    await isLeft(thirdAddress);
    open();
    await settled();
    expect(slots.tryAcquire(receiverOf('another', endpoint))).toBeDefined();
    const later = await acceptTask();
    await run(later);
    await settled();
    expect(await deliveryOf(later)).toMatchObject({ state: 'delivered' });
  });

  it('an event during shutdown; a started one is aborted and sent again', async () => {
    const begun = await acceptTask();
    const cut: Post = (_address, _message, signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const { run, settled, stopController } = sending(cut);
    await run(begun);
    stopController.abort();
    await settled();
    expect(its.opened.lines.filter((line) => line.includes('could not be sent'))).toEqual([]);
    await moveTask(its.opened, begun, { type: 'restart' });
    expect(await hinted()).toEqual([begun.taskId]);
    const address = await acceptTask();
    await run(address);
    await isLeft(address);
  });

  it('an event whose state the table cannot return', async () => {
    const post = recordingPost();
    const opened = its.opened;
    const recalled = { ...opened.sender(post).recalled, healthOf: () => Promise.reject(new Error('throttled')) };
    const sendFirst = immediateDelivery(opened.sender(post, { recalled }), new AbortController().signal);
    const address = await acceptTask();
    await worker({ ...opened, immediateDelivery: sendFirst }, [answers]).run(address);
    await isLeft(address);
  });
});

it('releases its slot if the task belongs to another worker or could not be written', async () => {
  const address = await acceptTask();
  const post = recordingPost();
  const ports = its.opened.sender(post);
  let [acquired, released] = [0, 0];
  const slots: SenderSlots = {
    ...ports.slots,
    tryAcquire(receiver) {
      const slot = ports.slots.tryAcquire(receiver);
      acquired++;
      const release = () => {
        released++;
        slot?.release();
      };
      return slot && { release };
    },
  };
  const sendFirst = immediateDelivery({ ...ports, slots }, new AbortController().signal);
  await worker({ ...its.opened, immediateDelivery: sendFirst }, [cancelled(address, true)]).run(address);
  expect([acquired, released, post.sent]).toEqual([1, 1, []]);

  const table: Table = { ...its.opened.table };
  const fails: Stage = {
    name: 'full',
    run: async () => {
      table.replace = () => Promise.reject(new Error('no room'));
      return { text: 'lost' };
    },
  };
  const full = worker({ ...its.opened, table, immediateDelivery: sendFirst }, [fails]);
  await expect(full.run(await acceptTask())).rejects.toThrow('no room');
  expect([acquired, released, post.sent]).toEqual([2, 2, []]);
});
