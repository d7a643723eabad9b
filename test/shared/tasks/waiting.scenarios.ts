/** What becomes of a task whose model is busy or away: it waits until it may be tried again, and has not failed. */
import { expect } from 'vitest';
import {
  BEGIN,
  beat,
  CANCEL,
  CLAIM,
  fails,
  fault,
  HINT,
  HOUR,
  MINUTE,
  PUSH,
  REDRIVE,
  type RuleScenario,
  running,
  SECOND,
  succeeds,
  TICK,
  waits,
  yields,
} from './task-scenario.ts';

const WAITS_FOR = 'openai/m: 429';

export const WAITING: readonly RuleScenario[] = [
  {
    promise: 'waits until the given time, counts no failure, and says to watchers what it waits for',
    check(rule) {
      const subject = running(rule);
      expect(subject.applyAt(2 * SECOND, waits(1, BEGIN + 32 * SECOND))).toStrictEqual({
        changed: {
          state: 'queued',
          queuedAt: BEGIN + 32 * SECOND,
          hintAt: BEGIN + 32 * SECOND + MINUTE,
          claimedAt: undefined,
          leaseUntil: undefined,
          past: [[1, SECOND, 2 * SECOND, 'waited']],
          waitsFor: WAITS_FOR,
          seq: 2,
        },
        effects: [HINT(30), PUSH('progress')],
      });
      expect(subject.applyAt(31 * SECOND, CLAIM)).toStrictEqual({ ignore: 'notDue' });
      expect(subject.applyAt(32 * SECOND, CLAIM)).toMatchObject({ changed: { state: 'running', attempt: 2 } });
    },
  },
  {
    promise: 'may wait more often than attempts may fail, and keeps one of these waits beside what happened before',
    check(rule) {
      const subject = running(rule);
      subject.meets(beat(1, { checkpoint: 2 }));
      subject.meets(fault(1));
      for (let attempt = 2; attempt <= 12; attempt++) {
        subject.pass(MINUTE);
        subject.meets(CLAIM);
        subject.meets(waits(attempt, subject.now()));
      }
      expect(subject.task()).toMatchObject({ state: 'queued', failures: 1, checkpoint: 2 });
      expect(subject.task().past?.map(([attempt, , , how]) => [attempt, how])).toEqual([
        [1, 'MODEL_UNAVAILABLE'],
        [12, 'waited'],
      ]);
    },
  },
  {
    promise: 'keeps each of its other interruptions',
    check(rule) {
      const subject = running(rule);
      subject.meets(yields(1));
      subject.meets(CLAIM);
      subject.meets(yields(2));
      expect(subject.task().past?.map(([, , , how]) => how)).toEqual(['yielded', 'yielded']);
    },
  },
  {
    promise: 'is queued at once if the time is over already',
    check(rule) {
      const subject = running(rule);
      expect(subject.applyAt(2 * SECOND, waits(1, BEGIN))).toMatchObject({
        changed: { queuedAt: BEGIN + 2 * SECOND },
        effects: [HINT(0), PUSH('progress')],
      });
    },
  },
  {
    promise: 'waits no longer than until its deadline, then fails, and keeps what it waited for',
    check(rule) {
      const subject = running(rule, { timeoutMs: 30 * SECOND });
      const deadline = 31 * SECOND;
      subject.applyAt(2 * SECOND, waits(1, BEGIN + HOUR));
      expect(subject.task().queuedAt).toBe(BEGIN + deadline);
      expect(subject.wakesBy()).toBe(BEGIN + deadline);
      subject.applyAt(deadline, TICK);
      expect(subject.task()).toMatchObject({ state: 'failed', code: 'TASK_TIMEOUT', waitsFor: WAITS_FOR });
    },
  },
  {
    promise: 'remembers only the two newest attempts of a wait that its deadline ended, so that the item stays small',
    check(rule) {
      const subject = running(rule);
      for (const event of [yields(1), CLAIM, fault(2)]) subject.meets(event);
      subject.pass(MINUTE);
      subject.meets(CLAIM);
      subject.meets(waits(3, subject.now() + 2 * HOUR));
      expect(subject.task().past?.map(([, , , how]) => how)).toEqual(['yielded', 'MODEL_UNAVAILABLE', 'waited']);
      subject.pass(2 * HOUR);
      subject.meets(TICK);
      expect(subject.task().past?.map(([, , , how]) => how)).toEqual(['MODEL_UNAVAILABLE', 'waited']);
    },
  },
  {
    promise: 'gets its hint no later than a queue can, however long it waits',
    check(rule) {
      const subject = running(rule);
      subject.meets(waits(1, subject.now() + 900 * SECOND));
      expect(subject.task().queuedAt).toBe(BEGIN + 901 * SECOND);
      const later = running(rule);
      expect(later.meets(waits(1, later.now() + 901 * SECOND))).toMatchObject({
        changed: { queuedAt: BEGIN + 902 * SECOND },
        effects: [HINT(900), PUSH('progress')],
      });
    },
  },
  {
    promise: 'no longer says what it waited for once it works again, or ends in another way than by its deadline',
    check(rule) {
      const waited = () => {
        const subject = running(rule);
        subject.meets(waits(1, subject.now()));
        subject.meets(CLAIM);
        expect(subject.task().waitsFor).toBe(WAITS_FOR);
        return subject;
      };
      for (const event of [beat(2), yields(2), fault(2), succeeds(2), fails(2)]) {
        const subject = waited();
        subject.meets(event);
        expect(subject.task()).not.toHaveProperty('waitsFor');
      }
      const lapsed = waited();
      lapsed.pass(MINUTE);
      lapsed.meets(TICK);
      expect(lapsed.task()).not.toHaveProperty('waitsFor');
    },
  },
  {
    promise: 'ends by a cancel, whether it was accepted before the wait or comes within it',
    check(rule) {
      const before = running(rule);
      before.meets(CANCEL);
      before.meets(waits(1, before.now() + MINUTE));
      expect(before.task()).toMatchObject({ state: 'cancelled', code: 'TASK_CANCELLED' });
      const within = running(rule);
      within.meets(waits(1, within.now() + MINUTE));
      within.meets(CANCEL);
      expect(within.task()).toMatchObject({ state: 'cancelled', code: 'TASK_CANCELLED' });
      expect(within.task()).not.toHaveProperty('waitsFor');
    },
  },
  {
    promise: 'may be tried at once if the operator says so',
    check(rule) {
      const subject = running(rule);
      subject.meets(waits(1, subject.now() + HOUR));
      subject.meets(REDRIVE);
      expect(subject.meets(CLAIM)).toMatchObject({ changed: { state: 'running', attempt: 2 } });
    },
  },
];
