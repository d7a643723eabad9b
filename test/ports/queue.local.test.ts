/** The queue in memory: the contract, and its own guarantees. */
import { describe, expect, it } from 'vitest';
import { memoryQueue } from '../../adapters/local/memory-queue.ts';
import { ids } from '../../shared/core/ids.ts';
import { systemClock } from '../../shared/core/time.ts';
import type { OutgoingMessage, Queue, ReceivedMessage } from '../../shared/ports.ts';
import { setClock } from './clock.ts';
import { queueContract } from './queue.ts';

function open(clock = setClock()) {
  const common = { clock, ids: ids(clock), visibilitySeconds: 30 };
  const dead = memoryQueue({ ...common, maxReceives: 3 });
  const queue = memoryQueue({ ...common, maxReceives: 3, deadLetters: dead });
  return { clock, queue, dead };
}

queueContract('the queue in memory', async () => {
  const { clock, queue, dead } = open();
  return {
    queue,
    dead,
    visibilitySeconds: 30,
    maxReceives: 3,
    patienceSeconds: 0,
    pass: async (ms) => clock.pass(ms),
    close: async () => {
      queue.close();
      dead.close();
    },
  };
});

const sendAll = async (queue: Queue, messages: OutgoingMessage[]) => {
  for (let at = 0; at < messages.length; at += 10) await queue.send(messages.slice(at, at + 10));
};
const many = (count: number, of: (n: number) => OutgoingMessage) => Array.from({ length: count }, (_, n) => of(n));

describe('the queue in memory, fair between groups', () => {
  it('brings a quiet group within the first ten, behind a hundred of a noisy one', async () => {
    const { queue } = open();
    await sendAll(
      queue,
      many(100, (n) => ({ body: `noisy ${n}`, group: 'noisy' })),
    );
    await queue.send([{ body: 'quiet', group: 'quiet' }]);
    expect((await queue.receive(10, 0)).map(({ body }) => body)).toContain('quiet');
  });

  it('serves three groups in turn, and those without a group as one more', async () => {
    const { queue } = open();
    for (const group of ['a', 'b', undefined]) {
      await sendAll(
        queue,
        many(10, (n) => ({ body: `${group} ${n}`, ...(group && { group }) })),
      );
    }
    const received = [...(await queue.receive(6, 0)), ...(await queue.receive(3, 0))].map(({ body }) => body);
    expect(received).toEqual(['a 0', 'b 0', 'undefined 0', 'a 1', 'b 1', 'undefined 1', 'a 2', 'b 2', 'undefined 2']);
  });

  it('keeps the order inside a group', async () => {
    const { queue } = open();
    await sendAll(
      queue,
      many(3_000, (n) => ({ body: String(n), group: 'a' })),
    );
    for (let n = 0; n < 3_000; n++) expect((await queue.receive(1, 0))[0]?.body).toBe(String(n));
  });

  it('keeps the group of a message that comes back', async () => {
    const { queue, clock } = open();
    await queue.send([{ body: 'quiet', group: 'quiet' }]);
    await queue.receive(1, 0);
    await sendAll(
      queue,
      many(50, (n) => ({ body: `noisy ${n}`, group: 'noisy' })),
    );
    clock.pass(30_000);
    expect((await queue.receive(2, 0)).map(({ body }) => body)).toEqual(['noisy 0', 'quiet']);
  });
});

describe('the queue in memory, by the clock', () => {
  it('shows a delayed message at its very time', async () => {
    const { queue, clock } = open();
    await queue.send([{ body: 'late', delaySeconds: 900 }]);
    clock.pass(899_999);
    expect(await queue.receive(1, 0)).toEqual([]);
    clock.pass(1);
    expect(await queue.receive(1, 0)).toMatchObject([{ body: 'late', receives: 1 }]);
  });

  it("shows a silent holder's message at its very time", async () => {
    const { queue, clock } = open();
    await queue.send([{ body: 'held' }]);
    await queue.receive(1, 0);
    clock.pass(29_999);
    expect(await queue.receive(1, 0)).toEqual([]);
    clock.pass(1);
    expect(await queue.receive(1, 0)).toMatchObject([{ receives: 2 }]);
  });

  it('tells when a message was sent, not when it was shown', async () => {
    const { queue, clock } = open();
    const sentAt = clock.now();
    await queue.send([{ body: 'late', delaySeconds: 5 }]);
    clock.pass(9_000);
    expect(await queue.receive(1, 0)).toMatchObject([{ sentAt }]);
  });

  it('accepts a late done while no other receiver holds the message', async () => {
    const { queue, clock } = open();
    await queue.send([{ body: 'a' }, { body: 'b' }]);
    const [, b] = await queue.receive(2, 0);
    clock.pass(30_000);
    expect(await queue.receive(1, 0)).toMatchObject([{ body: 'a', receives: 2 }]);
    await queue.done([b?.receipt ?? '']);
    expect(await queue.receive(10, 0)).toEqual([]);
    clock.pass(30_000);
    expect(await queue.receive(10, 0)).toMatchObject([{ body: 'a', receives: 3 }]);
  });

  it('rejects a late done or release once another receiver holds the message', async () => {
    const { queue, clock } = open();
    await queue.send([{ body: 'a' }]);
    const [late] = await queue.receive(1, 0);
    clock.pass(30_000);
    const [second] = await queue.receive(1, 0);
    await queue.release(late?.receipt ?? '', 0);
    expect(await queue.receive(1, 0)).toEqual([]);
    await queue.done([late?.receipt ?? '']);
    await queue.release(second?.receipt ?? '', 0);
    expect(await queue.receive(1, 0)).toMatchObject([{ body: 'a', receives: 3 }]);
  });

  it('shows a message once, though it is released after it came back by itself', async () => {
    const { queue, clock } = open();
    await queue.send([{ body: 'a' }, { body: 'b' }]);
    const [, b] = await queue.receive(2, 0);
    clock.pass(30_000);
    await queue.receive(1, 0);
    await queue.release(b?.receipt ?? '', 0);
    await queue.release(b?.receipt ?? '', 0);
    expect(await queue.receive(10, 0)).toMatchObject([{ body: 'b', receives: 2 }]);
  });

  it('receives for ever without dead letters', async () => {
    const { dead, clock } = open();
    await dead.send([{ body: 'poison' }]);
    for (let receives = 1; receives < 20; receives++) {
      expect(await dead.receive(1, 0)).toMatchObject([{ receives }]);
      clock.pass(30_000);
    }
  });
});

describe('the queue in memory, waited for', () => {
  const delayed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('brings a delayed message to a receiver that waits already', async () => {
    const queue = memoryQueue({ clock: systemClock, ids: ids(systemClock), visibilitySeconds: 1, maxReceives: 3 });
    const began = performance.now();
    await queue.send([{ body: 'late', delaySeconds: 1 }]);
    expect(await queue.receive(1, 5)).toMatchObject([{ body: 'late' }]);
    expect(await queue.receive(1, 5)).toMatchObject([{ body: 'late', receives: 2 }]);
    expect(performance.now() - began).toBeLessThan(2_500);
  });

  it('notices that its clock was moved', async () => {
    const { queue, clock } = open();
    await queue.send([{ body: 'late', delaySeconds: 600 }]);
    const waiting = queue.receive(1, 20);
    await delayed(20);
    clock.pass(600_000);
    expect(await waiting).toMatchObject([{ body: 'late' }]);
  });

  it('brings what is sent or released to a receiver that waits, at once', async () => {
    const { queue } = open();
    let come: ReceivedMessage[] = [];
    const wait = async () => {
      come = await queue.receive(1, 20);
    };
    void wait();
    await queue.send([{ body: 'a' }]);
    await new Promise(setImmediate);
    expect(come).toMatchObject([{ body: 'a', receives: 1 }]);
    void wait();
    await queue.release(come[0]?.receipt ?? '', 0);
    await new Promise(setImmediate);
    expect(come).toMatchObject([{ body: 'a', receives: 2 }]);
  });

  it('serves those who wait in the order they came', async () => {
    const { queue } = open();
    const order: number[] = [];
    const waiting = [0, 1, 2].map((n) => queue.receive(1, 20).then(() => order.push(n)));
    for (const body of ['a', 'b', 'c']) await queue.send([{ body }]);
    await Promise.all(waiting);
    expect(order).toEqual([0, 1, 2]);
  });

  it('rejects waiting receivers when it is closed, and new ones after that', async () => {
    const { queue } = open();
    const waiting = [queue.receive(1, 20), queue.receive(10, 20)];
    queue.close();
    expect(await Promise.all(waiting)).toEqual([[], []]);
    expect(await queue.receive(1, 20)).toEqual([]);
  });

  it('loses nothing to a receiver whose wait has ended', async () => {
    const { queue } = open();
    expect(await queue.receive(1, 1)).toEqual([]);
    await queue.send([{ body: 'a' }]);
    expect(await queue.receive(1, 0)).toHaveLength(1);
  });
});

describe('the queue in memory, with 100,000 messages', () => {
  const count = 100_000;

  async function drain(queue: Queue): Promise<number> {
    let received = 0;
    for (let batch = await queue.receive(10, 0); batch.length > 0; batch = await queue.receive(10, 0)) {
      received += batch.length;
      await queue.done(batch.map(({ receipt }) => receipt));
    }
    return received;
  }

  it.each([
    ['in one group', () => ({ body: 'x', group: 'a' })],
    ['each in a group of its own', (n: number) => ({ body: 'x', group: `g${n}` })],
    ['with mixed delays', (n: number) => ({ body: 'x', delaySeconds: (n * 7_919) % 900 })],
  ])('stays quick: %s', { timeout: 30_000 }, async (_, of: (n: number) => OutgoingMessage) => {
    const { queue, clock } = open();
    const began = performance.now();
    await sendAll(queue, many(count, of));
    clock.pass(900_000);
    expect(await drain(queue)).toBe(count);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('stays quick while all are in flight and come back', { timeout: 30_000 }, async () => {
    const { queue, clock } = open();
    const began = performance.now();
    await sendAll(
      queue,
      many(count, (n) => ({ body: 'x', group: `g${n % 100}` })),
    );
    for (let taken = 0; taken < count; taken += 10) await queue.receive(10, 0);
    expect(await queue.receive(10, 0)).toEqual([]);
    clock.pass(30_000);
    expect(await drain(queue)).toBe(count);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('keeps nothing of what is done', { timeout: 30_000 }, async () => {
    const { queue } = open();
    const body = 'x'.repeat(10_000);
    await queue.send([{ body: 'held all the while' }]);
    await queue.receive(1, 0);
    const before = process.memoryUsage.rss();
    for (let n = 0; n < count; n++) {
      await queue.send([{ body: `${n} ${body}` }]);
      await queue.done((await queue.receive(1, 0)).map(({ receipt }) => receipt));
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
  });
});
