/** Delivery of the webhook of a task's end. */

import { expect } from 'vitest';
import type { TaskDelivery } from '../../../shared/tasks/task.ts';
import { MAX_ATTEMPTS } from '../../../shared/tasks/webhook-plan.ts';
import {
  BEGIN,
  CLAIM,
  delivering,
  deliveryOf,
  HINT_SENDER,
  MINUTE,
  PUSH,
  RESTART,
  type RuleScenario,
  running,
  SECOND,
  SEND,
  type Story,
  sentEvent,
  succeeds,
  succeedsAndSends,
  TICK,
} from './task-scenario.ts';

const NOT_DUE = { ignore: 'notDue' };
const STALE = { ignore: 'stale' };
const ENDED = BEGIN + 2 * SECOND;

const deliveryChange = (delivery: TaskDelivery, ...effects: ReturnType<typeof HINT_SENDER>[]) => ({
  changed: { hook: delivery },
  effects,
});

/** Fails that many delivery attempts; each next attempt is due when the last one ends. */
function failAttempts(subject: Story, times: number): void {
  for (let tries = 1; tries <= times; tries++) {
    subject.pass(SECOND);
    subject.meets(SEND);
    subject.meets(sentEvent(tries, { retryAt: subject.now() }));
  }
}

export const DELIVERING: readonly RuleScenario[] = [
  {
    promise: 'has no delivery before its end, or without a webhook',
    check(rule) {
      const open = running(rule, { hasWebhook: true });
      expect([open.meets(SEND), open.meets(sentEvent(0))]).toEqual([NOT_DUE, NOT_DUE]);
      const silent = running(rule);
      silent.meets(succeeds(1));
      for (const event of [SEND, sentEvent(0), TICK, RESTART]) expect(silent.meets(event)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'is leased by one of two senders for a minute',
    check(rule) {
      const subject = delivering(rule);
      expect(subject.meets(SEND)).toStrictEqual(
        deliveryChange({ state: 'sending', tries: 1, nextAt: ENDED, leaseUntil: ENDED + MINUTE }),
      );
      subject.pass(MINUTE);
      expect(subject.meets(SEND)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'is claimed by the write that ends the task when the worker sends it itself',
    check(rule) {
      const subject = running(rule, { hasWebhook: true });
      subject.pass(SECOND);
      expect(subject.meets(succeedsAndSends(1))).toStrictEqual({
        changed: {
          state: 'succeeded',
          leaseUntil: undefined,
          endedAt: ENDED,
          progress: 100,
          resultOf: 1,
          seq: 2,
          hook: { state: 'sending', tries: 1, nextAt: ENDED, leaseUntil: ENDED + MINUTE },
        },
        effects: [PUSH('completed')],
      });
      expect(subject.meets(SEND)).toEqual(NOT_DUE);
      expect(subject.meets(sentEvent(1))).toStrictEqual(
        deliveryChange({ state: 'delivered', tries: 1, nextAt: ENDED }),
      );
    },
  },
  {
    promise: 'is hinted to a sender when the lease of the sending worker has expired',
    check(rule) {
      const subject = running(rule, { hasWebhook: true });
      subject.pass(SECOND);
      subject.meets(succeedsAndSends(1));
      subject.pass(MINUTE - 1);
      expect(subject.meets(TICK)).toEqual(NOT_DUE);
      subject.pass(1);
      expect(subject.meets(TICK)).toMatchObject({ effects: [HINT_SENDER()] });
      expect(subject.meets(sentEvent(1))).toEqual(STALE);
    },
  },
  {
    promise: 'cannot be claimed by a sender or the worker when there is no webhook',
    check(rule) {
      const subject = running(rule);
      expect(subject.meets(succeedsAndSends(1))).toMatchObject({ effects: [PUSH('completed')] });
      expect(deliveryOf(subject)).toBeUndefined();
    },
  },
  {
    promise: 'of a run is hinted when the run is moved to its own rows, also if the worker would send it',
    check(rule) {
      const subject = running(rule, { hasWebhook: true, recurs: 'd 120000 UTC', firstAt: BEGIN });
      expect(subject.meets(succeedsAndSends(1))).toMatchObject({ effects: [PUSH('completed')] });
      expect(deliveryOf(subject)).toMatchObject({ state: 'due', tries: 0 });
    },
  },
  {
    promise: 'keeps the attempt number it was created with, also when it is redelivered',
    check(rule) {
      const subject = delivering(rule);
      subject.meets(SEND);
      subject.meets({ type: 'sent', tries: 1, outcome: 'delivered', inlineAttempt: [ENDED, 6, 200] });
      expect(deliveryOf(subject)).toStrictEqual({
        state: 'delivered',
        tries: 1,
        nextAt: ENDED,
        taken: [ENDED, 6, 200],
      });
      subject.meets({ type: 'redeliver' });
      expect(deliveryOf(subject)).toMatchObject({ state: 'due', taken: [ENDED, 6, 200] });
    },
  },
  {
    promise: 'is final when it was delivered',
    check(rule) {
      const subject = delivering(rule);
      subject.meets(SEND);
      expect(subject.meets(sentEvent(1))).toStrictEqual(
        deliveryChange({ state: 'delivered', tries: 1, nextAt: ENDED }),
      );
      subject.pass(MINUTE);
      for (const event of [SEND, TICK, RESTART]) expect(subject.meets(event)).toEqual(NOT_DUE);
      expect(subject.meets(sentEvent(1))).toEqual(STALE);
    },
  },
  {
    promise: 'is given up when the URL is refused',
    check(rule) {
      const subject = delivering(rule);
      subject.meets(SEND);
      expect(subject.meets(sentEvent(1, 'refused'))).toStrictEqual(
        deliveryChange({ state: 'exhausted', tries: 1, nextAt: ENDED }),
      );
      subject.pass(MINUTE);
      for (const event of [SEND, TICK, RESTART]) expect(subject.meets(event)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'is retried when it is due, by a message that the queue delays for 15 minutes at most',
    check(rule) {
      const waits: [number, number[]][] = [
        [-SECOND, [0]],
        [5 * SECOND + 1, [6]],
        [15 * MINUTE, [900]],
        [15 * MINUTE + 1, []],
      ];
      for (const [wait, seconds] of waits) {
        const subject = delivering(rule);
        subject.meets(SEND);
        const retryAt = subject.now() + wait;
        expect(subject.meets(sentEvent(1, { retryAt })), String(wait)).toStrictEqual(
          deliveryChange({ state: 'due', tries: 1, nextAt: retryAt }, ...seconds.map(HINT_SENDER)),
        );
      }
    },
  },
  {
    promise: 'is not sent before it is due, despite hints and looks',
    check(rule) {
      const subject = delivering(rule);
      subject.meets(SEND);
      subject.meets(sentEvent(1, { retryAt: ENDED + 5 * MINUTE }));
      subject.pass(5 * MINUTE - 1);
      for (const event of [SEND, TICK]) expect(subject.meets(event)).toEqual(NOT_DUE);
      subject.pass(1);
      expect(subject.meets(SEND)).toMatchObject({ changed: { hook: { state: 'sending', tries: 2 } } });
    },
  },
  {
    promise: 'is hinted again for its due time when the only process that held all hints restarts',
    check(rule) {
      const waits: [number, number[]][] = [
        [5 * MINUTE, [300]],
        [15 * MINUTE, [900]],
      ];
      for (const [wait, seconds] of waits) {
        const subject = delivering(rule);
        subject.meets(SEND);
        subject.meets(sentEvent(1, { retryAt: subject.now() + wait }));
        expect(subject.meets(RESTART)).toStrictEqual({ changed: {}, effects: seconds.map(HINT_SENDER) });
      }
      const subject = delivering(rule);
      subject.meets(SEND);
      subject.meets(sentEvent(1, { retryAt: subject.now() + 15 * MINUTE + 1 }));
      expect(subject.meets(RESTART)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'is hinted again by each look and each restart from its due time on',
    check(rule) {
      for (const event of [TICK, RESTART]) {
        const subject = delivering(rule);
        subject.pass(MINUTE);
        expect(subject.meets(event)).toStrictEqual(
          deliveryChange({ state: 'due', tries: 0, nextAt: ENDED + MINUTE }, HINT_SENDER()),
        );
      }
    },
  },
  {
    promise: "is due again when its sender's lease expires, and ignores that sender from then on",
    check(rule) {
      const subject = delivering(rule);
      subject.meets(SEND);
      subject.pass(MINUTE - 1);
      expect(subject.meets(TICK)).toEqual(NOT_DUE);
      subject.pass(1);
      expect(subject.meets(TICK)).toStrictEqual(
        deliveryChange({ state: 'due', tries: 1, nextAt: ENDED + MINUTE }, HINT_SENDER()),
      );
      expect(subject.meets(sentEvent(1))).toEqual(STALE);
      subject.meets(SEND);
      expect(subject.meets(sentEvent(1, 'refused'))).toEqual(STALE);
      expect(subject.meets(sentEvent(2))).toMatchObject({ changed: { hook: { state: 'delivered', tries: 2 } } });
    },
  },
  {
    promise: 'is due again immediately when the only process that sent it restarts',
    check(rule) {
      const subject = delivering(rule);
      subject.meets(SEND);
      subject.pass(1);
      expect(subject.meets(RESTART)).toStrictEqual(
        deliveryChange({ state: 'due', tries: 1, nextAt: ENDED + 1 }, HINT_SENDER()),
      );
    },
  },
  {
    promise: 'is tried as often as planned and then given up',
    check(rule) {
      const subject = delivering(rule);
      failAttempts(subject, MAX_ATTEMPTS - 1);
      expect(deliveryOf(subject)).toMatchObject({ state: 'due', tries: MAX_ATTEMPTS - 1 });
      subject.meets(SEND);
      expect(subject.meets(sentEvent(MAX_ATTEMPTS, { retryAt: subject.now() }))).toMatchObject({
        changed: { hook: { state: 'exhausted', tries: MAX_ATTEMPTS } },
        effects: [],
      });
      const delivered = delivering(rule);
      failAttempts(delivered, MAX_ATTEMPTS - 1);
      delivered.meets(SEND);
      expect(delivered.meets(sentEvent(MAX_ATTEMPTS))).toMatchObject({
        changed: { hook: { state: 'delivered', tries: MAX_ATTEMPTS } },
      });
    },
  },
  {
    promise: 'is also given up when the last sender vanishes, and not before',
    check(rule) {
      for (const event of [TICK, RESTART]) {
        const subject = delivering(rule);
        failAttempts(subject, MAX_ATTEMPTS - 2);
        subject.meets(SEND);
        subject.pass(MINUTE);
        expect(subject.meets(event)).toMatchObject({ changed: { hook: { state: 'due', tries: MAX_ATTEMPTS - 1 } } });
        subject.meets(SEND);
        const { nextAt } = deliveryOf(subject) as TaskDelivery;
        subject.pass(MINUTE);
        expect(subject.meets(event)).toStrictEqual(deliveryChange({ state: 'exhausted', tries: MAX_ATTEMPTS, nextAt }));
      }
    },
  },
  {
    promise: 'never changes the state of its task',
    check(rule) {
      const subject = delivering(rule);
      const { hook: _, ...before } = subject.task();
      failAttempts(subject, MAX_ATTEMPTS);
      subject.meets(CLAIM);
      const { hook, ...after } = subject.task();
      expect(after).toEqual(before);
      expect(hook?.state).toBe('exhausted');
    },
  },
];
