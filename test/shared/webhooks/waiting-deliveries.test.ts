/** Deliveries that wait for an unavailable receiver, and how they are brought forward when it is back. */
import { describe, expect, it } from 'vitest';
import type { Blobs, Key, Post, Table } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile/reconcile.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { sentOutcome } from '../../../shared/webhooks/attempt-outcome.ts';
import { circuitBreaker } from '../../../shared/webhooks/circuit-breaker.ts';
import { maintainBreaker } from '../../../shared/webhooks/maintain-breaker.ts';
import { receiverOf } from '../../../shared/webhooks/receiver.ts';
import { BREAKER_LIMITS, breakerPartition } from '../../../shared/webhooks/receiver-health.ts';
import { waitingDeliveries } from '../../../shared/webhooks/waiting-deliveries.ts';
import { ENDPOINT, OK, recordingPost, status, useWebhooks } from './setup.ts';

const { its } = useWebhooks();
const MINUTE = 60_000;

const failing = () => recordingPost(() => status(503));
const receiver = () => receiverOf(its.opened.organization, ENDPOINT);
const breaker = async () => (await circuitBreaker.readHealth(its.opened.table, receiver()))?.value;
const waiting = async () =>
  (await its.opened.table.rows(breakerPartition(receiver()), 'WAIT#', { limit: 100 })).rows.length;
const stateOf = async (address: TaskAddress) => (await its.opened.delivery(address)).state;
const deliveryOf = async (address: TaskAddress) => (await its.opened.task(address)).hook;
const round = () => reconcile({ ...its.opened, blobs: {} as Blobs, sayEnding: async () => 'gone' as const });

/** Sends all deliveries whose message is due, as the queue's consumers do. */
async function sendHinted(post: Post): Promise<string[]> {
  const taskIds: string[] = [];
  for (;;) {
    const messages = await its.opened.queues.webhooks.receive(10, 0);
    if (messages.length === 0) return taskIds;
    for (const { body, receipt } of messages) {
      const address = JSON.parse(body) as TaskAddress;
      taskIds.push(address.taskId);
      await its.opened.send(address, post);
      await its.opened.queues.webhooks.done([receipt]);
    }
  }
}

/** The breaker is open, and these deliveries have failed once or wait behind it. */
async function outage(more = 0): Promise<TaskAddress[]> {
  const addresses: TaskAddress[] = [];
  const failNext = async () => {
    const address = await its.opened.ended();
    addresses.push(address);
    await its.opened.send(address, failing());
  };
  for (let attempt = 0; attempt < BREAKER_LIMITS.opensAt; attempt++) await failNext();
  its.opened.clock.pass(BREAKER_LIMITS.opensAfterMs);
  for (let attempt = 0; attempt <= more; attempt++) await failNext();
  await sendHinted(failing());
  return addresses;
}

async function recover(): Promise<void> {
  its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
  await its.opened.send(await its.opened.ended(), recordingPost());
}

describe('while a receiver is away', () => {
  it('a delivery waits until the end of the longest plan', async () => {
    let at = its.opened.clock.now();
    await outage();
    for (let failed = 1; ; failed++) {
      const outcome = sentOutcome(status(503, '999999999'), { failed, now: at, random: () => 1 });
      if (typeof outcome === 'string') break;
      at = outcome.retryAt + BREAKER_LIMITS.maxWaitMs;
    }
    const { rows } = await its.opened.table.rows(breakerPartition(receiver()), 'WAIT#', { limit: 100 });
    expect(rows.length).toBeGreaterThan(0);
    for (const { expiresAt } of rows) expect(expiresAt).toBeGreaterThanOrEqual(at);
  });

  it('one of the waiting deliveries probes it every 30 s, each in its turn', async () => {
    await outage(10);
    const probed: string[] = [];
    for (let probes = 0; probes < 9; probes++) {
      // Meanwhile the planned retries become due, and wait.
      const post = failing();
      for (const seconds of [10, 20]) {
        its.opened.clock.pass(seconds * 1_000);
        await sendHinted(post);
      }
      expect(post.sent).toHaveLength(1);
      probed.push(post.sent[0]?.headers['webhook-id'] ?? '');
    }
    expect(new Set(probed).size).toBe(9);
  });

  it('a delivery with a stale row does not hold up the probes', async () => {
    const [address] = await outage();
    if (!address) throw new Error('There is no delivery.');
    await moveTask(its.opened, address, { type: 'redeliver' });
    await moveTask(its.opened, address, { type: 'sendClaim' });
    const { tries = 0 } = (await deliveryOf(address)) ?? {};
    await moveTask(its.opened, address, { type: 'sent', tries, outcome: 'refused' });
    const before = await waiting();
    expect(await circuitBreaker.hintNextProbe(its.opened, receiver())).toBe(true);
    expect(await waiting()).toBe(before - 1);
  });

  it('an attempt ahead of the plan does not count and is not kept, and the plan stays as it was', async () => {
    const [address] = await outage();
    if (!address) throw new Error('There is no delivery.');
    its.opened.clock.pass(5_000);
    await moveTask(its.opened, address, { type: 'sendClaim' });
    await moveTask(its.opened, address, {
      type: 'sent',
      tries: 2,
      outcome: { retryAt: its.opened.clock.now() + 30 * MINUTE },
    });
    const before = await its.opened.delivery(address);
    its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
    await its.opened.send(address, failing());
    expect(await its.opened.delivery(address)).toEqual(before);
    expect(await deliveryOf(address)).toMatchObject({ state: 'due', tries: 3, planFrom: 1 });
    expect(its.opened.lines.filter((line) => line.includes('an early webhook attempt failed'))).toHaveLength(1);
  });

  it('the reconciler hints the next probe when one was lost', async () => {
    await outage();
    its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
    // The message is lost with the process that had it.
    await its.opened.queues.webhooks.receive(10, 0);
    its.opened.clock.pass(MINUTE);
    await round();
    const post = recordingPost();
    await sendHinted(post);
    expect(post.sent.length).toBeGreaterThan(0);
    expect((await breaker())?.failures).toBe(0);
  });

  it('a restart of the single process queues all waiting deliveries, without 2 minutes of delay', async () => {
    const [address] = await outage();
    if (!address) throw new Error('There is no delivery.');
    const lost = its.opened.queues.webhooks;
    await sendHinted(failing());
    its.opened.clock.pass(1_000);
    const key: Key | undefined = its.opened.table.dueKeys('BREAKER')[0];
    if (!key) throw new Error('The breaker is not due.');
    await maintainBreaker(its.opened, key);
    its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
    const messages = await lost.receive(10, 0);
    expect(messages.length).toBeGreaterThan(0);
  });
});

describe('when the receiver is back', () => {
  it('all waiting deliveries are made within seconds, without an extra attempt', async () => {
    const addresses = await outage(20);
    expect(await waiting()).toBe(addresses.length);
    await recover();
    expect(await waiting()).toBe(0);
    expect(await breaker()).toEqual({
      origin: receiver().origin,
      failures: 0,
      since: expect.any(Number),
      closedAt: its.opened.clock.now(),
    });
    const post = recordingPost();
    await sendHinted(post);
    expect(post.sent).toHaveLength(addresses.length);
    for (const address of addresses) expect(await stateOf(address)).toBe('delivered');
    expect(its.opened.table.dueKeys('BREAKER')).toEqual([]);
  });

  it('an event that failed twice and was planned for hours later is delivered, too', async () => {
    const [address] = await outage();
    if (!address) throw new Error('There is no delivery.');
    await moveTask(its.opened, address, { type: 'redeliver' });
    await its.opened.send(address, failing());
    await its.opened.send(address, failing());
    await moveTask(its.opened, address, { type: 'sendClaim' });
    const { nextAt = 0 } = await its.opened.delivery(address);
    await recover();
    await sendHinted(recordingPost());
    expect(nextAt).toBeGreaterThan(0);
    expect(await stateOf(address)).toBe('delivered');
  });

  it('the deliveries are paced', async () => {
    const addresses = await outage(BREAKER_LIMITS.perSecond + 10);
    await recover();
    const post = recordingPost();
    await sendHinted(post);
    expect(post.sent).toHaveLength(BREAKER_LIMITS.perSecond);
    its.opened.clock.pass(1_000);
    await sendHinted(post);
    expect(post.sent).toHaveLength(addresses.length);
  });

  it('an explicit Retry-After is respected', async () => {
    const address = await its.opened.ended();
    await its.opened.send(
      address,
      recordingPost(() => status(503, '8')),
    );
    const { nextAt = 0 } = await its.opened.delivery(address);
    for (let attempt = 0; attempt < BREAKER_LIMITS.opensAt; attempt++)
      await its.opened.send(await its.opened.ended(), failing());
    its.opened.clock.pass(BREAKER_LIMITS.opensAfterMs);
    await its.opened.send(await its.opened.ended(), failing());
    await waitingDeliveries.bringAllForward(its.opened, receiver());
    expect((await its.opened.delivery(address)).nextAt).toBe(nextAt);
  });

  it('a delivery that fails again returns to its retry plan, and waits for the next recovery', async () => {
    const [address] = await outage();
    if (!address) throw new Error('There is no delivery.');
    its.opened.clock.pass(10 * MINUTE);
    await moveTask(its.opened, address, { type: 'sendClaim' });
    const planAt = its.opened.clock.now() + 30 * MINUTE;
    const { tries = 0, planFrom = 0 } = (await deliveryOf(address)) ?? {};
    await moveTask(its.opened, address, { type: 'sent', tries, outcome: { retryAt: planAt } });
    await recover();
    await its.opened.send(address, failing());
    expect(await deliveryOf(address)).toEqual({
      state: 'due',
      tries: tries + 1,
      planFrom: planFrom + 1,
      nextAt: planAt,
    });
    expect(await waiting()).toBe(1);
  });

  it('an attempt that began before the recovery and fails after it is repeated at once and not counted', async () => {
    const late = await its.opened.ended();
    await its.opened.send(late, async () => {
      await outage();
      await recover();
      its.opened.clock.pass(1_000);
      return { fault: 'timeout' };
    });
    expect(await breaker()).toMatchObject({ failures: 0 });
    expect((await deliveryOf(late))?.nextAt).toBe(its.opened.clock.now());
  });

  it('the reconciler continues if the process that brings deliveries forward crashes', async () => {
    const addresses = await outage(20);
    let removed = 0;
    const table = {
      ...its.opened.table,
      remove: async (row: Parameters<Table['remove']>[0]) => {
        if (row.sk.startsWith('WAIT#') && ++removed > 5) throw new Error('gone');
        return its.opened.table.remove(row);
      },
    } as Table;
    its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
    await its.opened.send(await its.opened.ended(), recordingPost(), { table });
    expect(await breaker()).toMatchObject({ failures: 0, isReleasing: true });
    expect(await waiting()).toBe(addresses.length - 5);
    its.opened.clock.pass(MINUTE);
    await round();
    expect(await breaker()).not.toHaveProperty('isReleasing');
    expect(await waiting()).toBe(0);
    await sendHinted(recordingPost());
    for (const address of addresses) expect(await stateOf(address)).toBe('delivered');
  });

  it('a delivery that was about to wait at that moment is sent', async () => {
    await outage();
    const address = await its.opened.ended();
    const table = {
      ...its.opened.table,
      insert: async (...args: Parameters<Table['insert']>) => {
        const row = await its.opened.table.insert(...args);
        if (args[0].sk.includes(address.taskId)) await recover();
        return row;
      },
    } as Table;
    its.opened.clock.pass(1_000);
    await its.opened.send(address, failing(), { table });
    expect((await deliveryOf(address))?.nextAt).toBe(its.opened.clock.now());
    await sendHinted(recordingPost(() => OK));
    expect(await stateOf(address)).toBe('delivered');
  });
});

it('the row of a waiting delivery is deleted when it is delivered by its retry plan', async () => {
  const address = await its.opened.ended();
  await its.opened.send(address, failing());
  expect(await waiting()).toBe(1);
  its.opened.clock.pass(6_000);
  await its.opened.send(address, recordingPost());
  expect([await waiting(), await stateOf(address)]).toEqual([0, 'delivered']);
});
