/** Limits of concurrent webhooks, in total and for each receiver. */
import { expect, it } from 'vitest';
import type { Receiver } from '../../../shared/webhooks/receiver.ts';
import { senderSlots } from '../../../shared/webhooks/sender-slots.ts';

const never = new AbortController().signal;
const to = (organization: string, at: number): Receiver => ({
  organization,
  origin: `https://hooks${at}.customer.com`,
});

function sending(limits: { ofOrganization: number; toReceiver: number }) {
  const slots = senderSlots(limits);
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const send = (receiver: Receiver, name: string, signal = never) =>
    slots.run(receiver, signal, () => {
      begun.push(name);
      return new Promise<void>((resolve) => gates.set(name, resolve));
    });
  return { slots, begun, send, end: (name: string) => gates.get(name)?.() };
}

it('sends a bounded number at a time to one receiver, in order of arrival, and to others in parallel', async () => {
  const { begun, send, end } = sending({ ofOrganization: 10, toReceiver: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void send(to('a', 1), name);
  void send(to('a', 2), 'a5');
  void send(to('b', 1), 'b1');
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'a5', 'b1']);
  end('a2');
  await expect.poll(() => begun.at(-1)).toBe('a3');
  end('a1');
  await expect.poll(() => begun.at(-1)).toBe('a4');
});

it('leaves slots to the other organizations, however many slow receivers one of them has', async () => {
  const { slots, begun, send } = sending({ ofOrganization: 6, toReceiver: 2 });
  for (let at = 0; at < 20; at++) void send(to('a', at), `a${at}`);
  void send(to('b', 1), 'b1');
  await expect.poll(() => begun).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b1']);
  expect(slots.tryAcquire(to('a', 100))).toBeUndefined();
  expect(slots.tryAcquire(to('c', 1))).toBeDefined();
});

it('holds no slot of a receiver for a delivery that found no slot of its organization', () => {
  const slots = senderSlots({ ofOrganization: 1, toReceiver: 1 });
  const first = slots.tryAcquire(to('a', 1));
  expect(slots.tryAcquire(to('a', 2))).toBeUndefined();
  first?.release();
  expect(slots.tryAcquire(to('a', 2))).toBeDefined();
});

it('releases the slot of a delivery that is aborted while it waits, or that fails', async () => {
  const { begun, send, slots } = sending({ ofOrganization: 1, toReceiver: 1 });
  const control = new AbortController();
  const failing = slots.run(to('a', 1), never, () => Promise.reject(new Error('no')));
  const aborted = send(to('a', 1), 'aborted', control.signal);
  control.abort(new Error('ended'));
  await expect(failing).rejects.toThrow('no');
  await expect(aborted).rejects.toThrow('ended');
  void send(to('a', 1), 'next');
  await expect.poll(() => begun).toEqual(['next']);
});
