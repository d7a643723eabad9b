/** What the reconciler's looks do, and when it must look. */
import { expect } from 'vitest';
import {
  BEGIN,
  beat,
  CANCEL,
  CLAIM,
  delivering,
  FORCE,
  fault,
  HINT,
  HOUR,
  hookOf,
  MINUTE,
  type Promised,
  PUSH,
  REDRIVE,
  REMINDER,
  RESTART,
  running,
  SECOND,
  SEND,
  sent,
  story,
  succeeds,
  TICK,
  yields,
} from './story.ts';

const NOT_DUE = { ignore: 'notDue' };

export const LOOKING: readonly Promised[] = [
  {
    promise: 'is hinted again 1, 2, 4 and then each 10 minutes later while it waits',
    hold(rule) {
      const told = story(rule);
      const waits = [1, 2, 4, 10, 10, 10];
      waits.forEach((minutes, hints) => {
        told.pass(minutes * MINUTE - 1);
        expect(told.meets(TICK)).toEqual(NOT_DUE);
        told.pass(1);
        const next = waits[hints + 1] ?? 10;
        expect(told.meets(TICK)).toStrictEqual({
          changed: { hints: hints + 1, hintAt: told.now() + next * MINUTE },
          effects: [REMINDER()],
        });
      });
    },
  },
  {
    promise: 'counts its hints anew each time it is queued',
    hold(rule) {
      const told = story(rule);
      told.after(MINUTE, TICK);
      told.meets(CLAIM);
      told.meets(yields(1));
      expect(told.task()).toMatchObject({ hints: 0, hintAt: BEGIN + 2 * MINUTE });
    },
  },
  {
    promise: 'is hinted for when its backoff ends, in whole seconds, when it is hinted before',
    hold(rule) {
      const told = running(rule);
      told.meets(fault(1));
      expect(told.after(2 * SECOND + 1, RESTART)).toMatchObject({ effects: [REMINDER(4)] });
      expect(told.after(5 * SECOND - 1, RESTART)).toMatchObject({ effects: [REMINDER(2)] });
      expect(told.after(6 * SECOND, RESTART)).toMatchObject({ effects: [REMINDER(0)] });
      expect(told.after(9 * SECOND, RESTART)).toMatchObject({ effects: [REMINDER(0)] });
    },
  },
  {
    promise: 'is freed by the first look at or after the end of its lease',
    hold(rule) {
      const told = running(rule);
      expect(told.after(61 * SECOND - 1, TICK)).toEqual(NOT_DUE);
      expect(told.after(61 * SECOND, TICK)).toStrictEqual({
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
    promise: 'fails at the first look at or after its deadline, waiting or running',
    hold(rule) {
      const failed = { changed: { state: 'failed', code: 'TASK_TIMEOUT' }, effects: [PUSH('failed')] };
      const waiting = story(rule);
      expect(waiting.after(24 * HOUR - 1, TICK)).toMatchObject({ effects: [REMINDER()] });
      expect(waiting.after(24 * HOUR, TICK)).toMatchObject(failed);
      const held = running(rule, { timeoutMs: 30 * SECOND });
      expect(held.after(31 * SECOND - 1, TICK)).toEqual(NOT_DUE);
      expect(held.after(31 * SECOND, TICK)).toMatchObject(failed);
      const backingOff = running(rule, { timeoutMs: 3 * SECOND });
      backingOff.meets(fault(1));
      expect(backingOff.after(4 * SECOND, TICK)).toMatchObject(failed);
    },
  },
  {
    promise: 'is tried now when the operator wants it: the next look hints it, and nothing counts against it',
    hold(rule) {
      const told = running(rule);
      told.meets(RESTART);
      told.meets(CLAIM);
      told.meets(fault(2));
      told.meets(RESTART);
      expect(told.meets(REDRIVE)).toStrictEqual({
        changed: { queuedAt: BEGIN + SECOND, hintAt: BEGIN + SECOND, hints: 0, vanished: 0 },
        effects: [],
      });
      expect(told.wakesBy()).toBe(BEGIN + SECOND);
      expect(told.answer(CLAIM)).toMatchObject({ next: { attempt: 3 } });
      expect(told.meets(TICK)).toMatchObject({ effects: [REMINDER()] });
    },
  },
  {
    promise: 'is left to a worker that lives when the operator wants it tried, and freed of one that does not',
    hold(rule) {
      const told = running(rule);
      told.pass(MINUTE - 1);
      expect(told.meets(REDRIVE)).toEqual({ ignore: 'leased' });
      told.pass(1);
      expect(told.meets(REDRIVE)).toStrictEqual({
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
    promise: 'must be looked at when its next hint, its lease, its deadline or the grace of its cancel ends',
    hold(rule) {
      const told = story(rule, { timeoutMs: 90 * SECOND });
      expect(told.wakesBy()).toBe(BEGIN + MINUTE);
      told.after(SECOND, CLAIM);
      expect(told.wakesBy()).toBe(BEGIN + 61 * SECOND);
      told.after(25 * SECOND, beat(1));
      expect(told.wakesBy()).toBe(BEGIN + 85 * SECOND);
      told.after(45 * SECOND, beat(1));
      expect(told.wakesBy()).toBe(BEGIN + 91 * SECOND);
      const cancelling = running(rule);
      cancelling.after(2 * SECOND, CANCEL);
      cancelling.after(20 * SECOND, beat(1));
      expect(cancelling.wakesBy()).toBe(BEGIN + 62 * SECOND);
    },
  },
  {
    promise: 'need not be looked at when it has ended and nobody is to be told',
    hold(rule) {
      const silent = running(rule);
      silent.meets(succeeds(1));
      expect(silent.wakesBy()).toBeUndefined();
      const told = delivering(rule);
      told.meets(SEND);
      told.meets(sent(1));
      expect([hookOf(told)?.state, told.wakesBy()]).toEqual(['delivered', undefined]);
      const refused = delivering(rule);
      refused.meets(SEND);
      refused.meets(sent(1, 'refused'));
      expect([hookOf(refused)?.state, refused.wakesBy()]).toEqual(['exhausted', undefined]);
    },
  },
  {
    promise: 'must be looked at a minute after its event is due, and when a sender is late',
    hold(rule) {
      const told = delivering(rule);
      expect(told.wakesBy()).toBe(BEGIN + 62 * SECOND);
      told.after(10 * SECOND, SEND);
      expect(told.wakesBy()).toBe(BEGIN + 70 * SECOND);
      told.meets(sent(1, { retryAt: BEGIN + 5 * MINUTE }));
      expect(told.wakesBy()).toBe(BEGIN + 6 * MINUTE);
    },
  },
  {
    promise: 'keeps the stored moment of its next look while it is ahead, early enough and not a minute too early',
    hold(rule) {
      const told = running(rule);
      const wakeBy = BEGIN + 61 * SECOND;
      const dueAt = (held: number | undefined, now: number) => rule.dueAtFor(told.task(), held, now);
      expect(dueAt(undefined, BEGIN)).toBe(wakeBy);
      expect(dueAt(BEGIN + 50 * SECOND, BEGIN)).toBe(BEGIN + 50 * SECOND);
      expect(dueAt(wakeBy, BEGIN)).toBe(wakeBy);
      expect(dueAt(wakeBy + 1, BEGIN)).toBe(wakeBy);
      expect(dueAt(BEGIN + SECOND, BEGIN)).toBe(BEGIN + SECOND);
      expect(dueAt(BEGIN + SECOND - 1, BEGIN)).toBe(wakeBy);
      expect(dueAt(BEGIN + 50 * SECOND, BEGIN + 50 * SECOND)).toBe(wakeBy);
      expect(dueAt(BEGIN + 50 * SECOND, BEGIN + 50 * SECOND - 1)).toBe(BEGIN + 50 * SECOND);
      told.meets(FORCE);
      expect(dueAt(wakeBy, BEGIN)).toBeUndefined();
    },
  },
];
