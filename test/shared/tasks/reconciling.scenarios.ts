/** Effects of a reconciler's look at a task, and when a look is due. */
import { expect } from 'vitest';
import {
  BEGIN,
  beat,
  CANCEL,
  CLAIM,
  delivering,
  deliveryOf,
  FORCE,
  fault,
  HINT,
  HOUR,
  MINUTE,
  PUSH,
  REDRIVE,
  REMINDER,
  RESTART,
  type RuleScenario,
  running,
  SECOND,
  SEND,
  sentEvent,
  story,
  succeeds,
  TICK,
  yields,
} from './task-scenario.ts';

const NOT_DUE = { ignore: 'notDue' };

export const LOOKING: readonly RuleScenario[] = [
  {
    promise: 'is hinted again after 1, 2, 4 and then every 10 minutes while it waits',
    check(rule) {
      const subject = story(rule);
      const waits = [1, 2, 4, 10, 10, 10];
      waits.forEach((minutes, hints) => {
        subject.pass(minutes * MINUTE - 1);
        expect(subject.meets(TICK)).toEqual(NOT_DUE);
        subject.pass(1);
        const next = waits[hints + 1] ?? 10;
        expect(subject.meets(TICK)).toStrictEqual({
          changed: { hints: hints + 1, hintAt: subject.now() + next * MINUTE },
          effects: [REMINDER()],
        });
      });
    },
  },
  {
    promise: 'resets the count of its hints each time it is queued',
    check(rule) {
      const subject = story(rule);
      subject.applyAt(MINUTE, TICK);
      subject.meets(CLAIM);
      subject.meets(yields(1));
      expect(subject.task()).toMatchObject({ hints: 0, hintAt: BEGIN + 2 * MINUTE });
    },
  },
  {
    promise: 'is hinted for the end of its backoff, in whole seconds, when it is hinted earlier',
    check(rule) {
      const subject = running(rule);
      subject.meets(fault(1));
      expect(subject.applyAt(2 * SECOND + 1, RESTART)).toMatchObject({ effects: [REMINDER(4)] });
      expect(subject.applyAt(5 * SECOND - 1, RESTART)).toMatchObject({ effects: [REMINDER(2)] });
      expect(subject.applyAt(6 * SECOND, RESTART)).toMatchObject({ effects: [REMINDER(0)] });
      expect(subject.applyAt(9 * SECOND, RESTART)).toMatchObject({ effects: [REMINDER(0)] });
    },
  },
  {
    promise: 'is released by the first look at or after the end of its lease',
    check(rule) {
      const subject = running(rule);
      expect(subject.applyAt(61 * SECOND - 1, TICK)).toEqual(NOT_DUE);
      expect(subject.applyAt(61 * SECOND, TICK)).toStrictEqual({
        changed: {
          state: 'queued',
          queuedAt: BEGIN + 61 * SECOND,
          hintAt: BEGIN + 121 * SECOND,
          leaseUntil: undefined,
          claimedAt: undefined,
          vanished: 1,
          past: [[1, SECOND, 61 * SECOND, 'vanished']],
        },
        effects: [HINT()],
      });
    },
  },
  {
    promise: 'fails at the first look at or after its deadline, queued or running',
    check(rule) {
      const failed = { changed: { state: 'failed', code: 'TASK_TIMEOUT' }, effects: [PUSH('failed')] };
      const waiting = story(rule);
      expect(waiting.applyAt(24 * HOUR - 1, TICK)).toMatchObject({ effects: [REMINDER()] });
      expect(waiting.applyAt(24 * HOUR, TICK)).toMatchObject(failed);
      const leased = running(rule, { timeoutMs: 30 * SECOND });
      expect(leased.applyAt(31 * SECOND - 1, TICK)).toEqual(NOT_DUE);
      expect(leased.applyAt(31 * SECOND, TICK)).toMatchObject(failed);
      const backingOff = running(rule, { timeoutMs: 3 * SECOND });
      backingOff.meets(fault(1));
      expect(backingOff.applyAt(4 * SECOND, TICK)).toMatchObject(failed);
    },
  },
  {
    promise: "is retried on the operator's request: the next look hints it, and vanished attempts no longer count",
    check(rule) {
      const subject = running(rule);
      subject.meets(RESTART);
      subject.meets(CLAIM);
      subject.meets(fault(2));
      subject.meets(RESTART);
      expect(subject.meets(REDRIVE)).toStrictEqual({
        changed: { queuedAt: BEGIN + SECOND, hintAt: BEGIN + SECOND, hints: 0, vanished: 0 },
        effects: [],
      });
      expect(subject.wakesBy()).toBe(BEGIN + SECOND);
      expect(subject.answer(CLAIM)).toMatchObject({ next: { attempt: 3 } });
      expect(subject.meets(TICK)).toMatchObject({ effects: [REMINDER()] });
    },
  },
  {
    promise: 'stays with a live worker when the operator requests a retry, and is released from a vanished one',
    check(rule) {
      const subject = running(rule);
      subject.pass(MINUTE - 1);
      expect(subject.meets(REDRIVE)).toEqual({ ignore: 'leased' });
      subject.pass(1);
      expect(subject.meets(REDRIVE)).toStrictEqual({
        changed: {
          state: 'queued',
          queuedAt: BEGIN + 61 * SECOND,
          hintAt: BEGIN + 61 * SECOND,
          leaseUntil: undefined,
          claimedAt: undefined,
          past: [[1, SECOND, 61 * SECOND, 'vanished']],
        },
        effects: [],
      });
      const stopping = running(rule);
      stopping.meets(CANCEL);
      stopping.pass(MINUTE);
      expect(stopping.meets(REDRIVE)).toMatchObject({ changed: { state: 'cancelled' } });
    },
  },
  {
    promise: 'is due when its next hint, its lease, its deadline or the grace period of its cancel ends',
    check(rule) {
      const subject = story(rule, { timeoutMs: 90 * SECOND });
      expect(subject.wakesBy()).toBe(BEGIN + MINUTE);
      subject.applyAt(SECOND, CLAIM);
      expect(subject.wakesBy()).toBe(BEGIN + 61 * SECOND);
      subject.applyAt(25 * SECOND, beat(1));
      expect(subject.wakesBy()).toBe(BEGIN + 85 * SECOND);
      subject.applyAt(45 * SECOND, beat(1));
      expect(subject.wakesBy()).toBe(BEGIN + 91 * SECOND);
      const cancelling = running(rule);
      cancelling.applyAt(2 * SECOND, CANCEL);
      cancelling.applyAt(20 * SECOND, beat(1));
      expect(cancelling.wakesBy()).toBe(BEGIN + 62 * SECOND);
    },
  },
  {
    promise: 'is not due when it has ended without a webhook',
    check(rule) {
      const silent = running(rule);
      silent.meets(succeeds(1));
      expect(silent.wakesBy()).toBeUndefined();
      const subject = delivering(rule);
      subject.meets(SEND);
      subject.meets(sentEvent(1));
      expect([deliveryOf(subject)?.state, subject.wakesBy()]).toEqual(['delivered', undefined]);
      const refused = delivering(rule);
      refused.meets(SEND);
      refused.meets(sentEvent(1, 'refused'));
      expect([deliveryOf(refused)?.state, refused.wakesBy()]).toEqual(['exhausted', undefined]);
    },
  },
  {
    promise: "is due a minute after its webhook is due, and when a sender's lease expires",
    check(rule) {
      const subject = delivering(rule);
      expect(subject.wakesBy()).toBe(BEGIN + 62 * SECOND);
      subject.applyAt(10 * SECOND, SEND);
      expect(subject.wakesBy()).toBe(BEGIN + 70 * SECOND);
      subject.meets(sentEvent(1, { retryAt: BEGIN + 5 * MINUTE }));
      expect(subject.wakesBy()).toBe(BEGIN + 6 * MINUTE);
    },
  },
  {
    promise: 'keeps its stored due time while that is ahead and at most a minute early',
    check(rule) {
      const subject = running(rule);
      const wakeBy = BEGIN + 61 * SECOND;
      const dueAt = (storedDueAt: number | undefined, now: number) => rule.dueAtFor(subject.task(), storedDueAt, now);
      expect(dueAt(undefined, BEGIN)).toBe(wakeBy);
      expect(dueAt(BEGIN + 50 * SECOND, BEGIN)).toBe(BEGIN + 50 * SECOND);
      expect(dueAt(wakeBy, BEGIN)).toBe(wakeBy);
      expect(dueAt(wakeBy + 1, BEGIN)).toBe(wakeBy);
      expect(dueAt(BEGIN + SECOND, BEGIN)).toBe(BEGIN + SECOND);
      expect(dueAt(BEGIN + SECOND - 1, BEGIN)).toBe(wakeBy);
      expect(dueAt(BEGIN + 50 * SECOND, BEGIN + 50 * SECOND)).toBe(wakeBy);
      expect(dueAt(BEGIN + 50 * SECOND, BEGIN + 50 * SECOND - 1)).toBe(BEGIN + 50 * SECOND);
      subject.meets(FORCE);
      expect(dueAt(wakeBy, BEGIN)).toBeUndefined();
    },
  },
];
