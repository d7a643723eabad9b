/** Limits of concurrency: messages of a queue, and tasks on one machine. */
import { expect, test, vi } from 'vitest';
import { startConsumer } from '../../../adapters/local/consumer.ts';
import { memoryQueue } from '../../../adapters/local/memory-queue.ts';
import { tasksAtOnce } from '../../../bin/local/workers.ts';
import { ids } from '../../../shared/core/ids.ts';
import { systemClock } from '../../../shared/core/time.ts';

const MESSAGES = 30;

async function consuming(atOnce: () => number) {
  const queue = memoryQueue({ clock: systemClock, ids: ids(systemClock), visibilitySeconds: 60, maxReceives: 3 });
  const running: (() => void)[] = [];
  const consumer = startConsumer({ queue, atOnce, consume: () => new Promise((resolve) => running.push(resolve)) });
  for (let n = 0; n < MESSAGES; n++) await queue.send([{ body: `${n}` }]);
  return { running, consumer };
}

test('runs the maximum of tasks at once, and another one for each that ends', async () => {
  const { running, consumer } = await consuming(() => 12);
  await vi.waitFor(() => expect(running.length).toBe(12));
  running.shift()?.();
  running.shift()?.();
  await vi.waitFor(() => expect(running.length).toBe(12));
  const stopped = consumer.stop();
  for (const end of running) end();
  await stopped;
});

test('takes no task after the maximum is lowered until enough have ended', async () => {
  let most = 12;
  const { running, consumer } = await consuming(() => most);
  await vi.waitFor(() => expect(running.length).toBe(12));
  most = 3;
  for (let left = 11; left >= 3; left--) {
    running.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(running.length).toBe(left);
  }
  running.shift()?.();
  await vi.waitFor(() => expect(running.length).toBe(3));
  const stopped = consumer.stop();
  for (const end of running) end();
  await stopped;
});

test('gives an organization only its slots, and runs the task of another one despite the backlog of the first', async () => {
  const queue = memoryQueue({ clock: systemClock, ids: ids(systemClock), visibilitySeconds: 60, maxReceives: 3 });
  const running = new Map<string, () => void>();
  const consumer = startConsumer({
    queue,
    atOnce: () => 12,
    ofOrganization: { atOnce: () => 9, organizationIn: (body) => body.slice(0, 1) },
    consume: (body) => new Promise((resolve) => running.set(body, resolve)),
  });
  for (let n = 0; n < MESSAGES; n++) await queue.send([{ body: `a${n}`, group: 'a' }]);
  await vi.waitFor(() => expect(running.size).toBe(9));
  await queue.send([{ body: 'b', group: 'b' }]);
  await vi.waitFor(() => expect([...running.keys()].at(-1)).toBe('b'));
  expect(running.size).toBe(10);
  // A freed slot goes to the message that waits for it.
  running.get('a0')?.();
  await vi.waitFor(() => expect([...running.keys()].at(-1)).toBe('a9'));
  const stopped = consumer.stop();
  for (const end of running.values()) end();
  await stopped;
});

test('runs fewer tasks at once while half of the memory is reserved', () => {
  const limit = { heap_size_limit: 4_000 };
  expect(tasksAtOnce({ ...limit, used_heap_size: 1_999 })).toBe(200);
  expect(tasksAtOnce({ ...limit, used_heap_size: 2_000 })).toBe(50);
  expect(tasksAtOnce()).toBe(200);
});
