import { expect, it } from 'vitest';
import { batchedSends } from '../../../shared/core/batched-sends.ts';
import type { OutgoingMessage } from '../../../shared/ports.ts';

/** A queue whose requests the test ends. */
function heldQueue() {
  const requests: { bodies: string[]; end(error?: Error): void }[] = [];
  const send = (messages: OutgoingMessage[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve());
      requests.push({ bodies: messages.map(({ body }) => body), end });
    });
  return { requests, send };
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
/** Lets everything go on that does not wait for a request. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('sends messages of the same moment together, at most ten in a request, in their order', async () => {
  const { requests, send } = heldQueue();
  const queue = batchedSends({ send });
  const sent = Promise.all(numbered(1, 25).map((body) => queue.send([{ body }])));
  for (let ended = 0; ended < 3; ended++) {
    await settle();
    requests[ended]?.end();
  }
  await sent;
  expect(requests.map(({ bodies }) => bodies)).toEqual([numbered(1, 10), numbered(11, 20), numbered(21, 25)]);
});

it('gathers messages while two requests are on their way', async () => {
  const { requests, send } = heldQueue();
  const queue = batchedSends({ send });
  const sent = [];
  for (const body of numbered(1, 5)) {
    sent.push(queue.send([{ body }]));
    await settle();
  }
  expect(requests.map(({ bodies }) => bodies)).toEqual([['1'], ['2']]);
  requests[0]?.end();
  await settle();
  expect(requests.map(({ bodies }) => bodies)).toEqual([['1'], ['2'], numbered(3, 5)]);
  for (const { end } of requests) end();
  await Promise.all(sent);
});

it('fails the messages of a failed request, and sends the next ones', async () => {
  const { requests, send } = heldQueue();
  const queue = batchedSends({ send });
  const sent = numbered(1, 21).map((body) => queue.send([{ body }]));
  const outcomes = Promise.allSettled(sent);
  await settle();
  requests[0]?.end(new Error('The queue is throttled.'));
  await settle();
  for (const { end } of requests) end();
  const failed = (await outcomes).flatMap(({ status }, at) => (status === 'rejected' ? [String(at + 1)] : []));
  expect(failed).toEqual(numbered(1, 10));
  expect(requests.flatMap(({ bodies }) => bodies)).toEqual(numbered(1, 21));
});
