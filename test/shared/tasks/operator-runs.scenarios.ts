/** Effects of the operator and of a cancel on a recurring task. */
import { expect } from 'vitest';
import { DAILY, inRun, NOT_DUE, recurring, SLOT, waitingFor } from './recurring-scenario.ts';
import {
  BEGIN,
  CANCEL,
  CLAIM,
  DAY,
  FORCE,
  fault,
  HINT_SENDER,
  HOUR,
  MINUTE,
  PUSH,
  REMINDER,
  RESTART,
  RUN_NOW,
  type RuleScenario,
  SEND,
  story,
  succeeds,
  TICK,
  yields,
} from './task-scenario.ts';

export const BESIDES: readonly RuleScenario[] = [
  {
    promise: "runs immediately on the operator's request, and still at its slot",
    check(rule) {
      const subject = recurring(rule, { hasWebhook: true });
      subject.meets(TICK);
      expect(subject.applyAt(HOUR, RUN_NOW)).toStrictEqual({
        changed: {
          queuedAt: BEGIN + HOUR,
          hintAt: BEGIN + HOUR,
          deadlineAt: BEGIN + HOUR + DAY,
          recurs: subject.task().recurs,
        },
        effects: [],
      });
      expect(subject.task().recurs).toStrictEqual({ by: DAILY, slotAt: SLOT, run: 1, seq: 0, extraAt: BEGIN + HOUR });
      expect(subject.meets(TICK)).toMatchObject({ effects: [REMINDER()] });
      subject.meets(CLAIM);
      expect(subject.meets(RUN_NOW)).toEqual({ ignore: 'leased' });
      subject.meets(yields(1));
      expect(subject.meets(RUN_NOW)).toEqual({ ignore: 'leased' });
      subject.meets(CLAIM);
      subject.meets(succeeds(2));
      expect(subject.meets(TICK)).toMatchObject({ ended: { run: { number: 1, slotAt: BEGIN + HOUR, seq: 0 } } });
      expect(subject.task()).toMatchObject({ ...waitingFor(SLOT), recurs: { slotAt: SLOT, run: 2 } });
      expect(subject.task().recurs).not.toHaveProperty('extraAt');
      expect(subject.applyAt(DAY, CLAIM)).toMatchObject({ changed: { state: 'running' } });
    },
  },
  {
    promise: 'keeps its slots during an extra run, and fails that run when no worker claims it for a day',
    check(rule) {
      const subject = recurring(rule);
      subject.applyAt(DAY - HOUR, RUN_NOW);
      expect(subject.applyAt(2 * DAY - 2 * HOUR, CLAIM)).not.toHaveProperty('missed');
      const overdue = recurring(rule);
      overdue.applyAt(2 * DAY - HOUR, RUN_NOW);
      expect(overdue.applyAt(2 * DAY + HOUR, CLAIM)).not.toHaveProperty('missed');
      expect(overdue.task().recurs).toMatchObject({ slotAt: SLOT, run: 1 });
      const alone = recurring(rule);
      alone.applyAt(DAY - HOUR, RUN_NOW);
      expect(alone.applyAt(2 * DAY - HOUR, TICK)).toMatchObject({ changed: { state: 'failed', code: 'TASK_TIMEOUT' } });
      alone.meets(TICK);
      expect(alone.task().recurs).toMatchObject({ slotAt: SLOT, run: 2 });
    },
  },
  {
    promise: 'is the only kind of task that has extra runs',
    check(rule) {
      expect(story(rule).meets(RUN_NOW)).toEqual({ ignore: 'stale' });
      const over = recurring(rule);
      over.meets(CANCEL);
      expect(over.meets(RUN_NOW)).toEqual({ ignore: 'final' });
    },
  },
  {
    promise: 'ends by a cancel, and is due once more to remove its schedule',
    check(rule) {
      const between = recurring(rule, { hasWebhook: true });
      expect(between.applyAt(HOUR, CANCEL)).toMatchObject({
        changed: { state: 'cancelled', code: 'TASK_CANCELLED' },
        effects: [PUSH('failed'), HINT_SENDER()],
      });
      const during = inRun(rule);
      during.meets(FORCE);
      expect(during.task()).toMatchObject({ state: 'cancelled', attempt: 2 });
      const troubled = inRun(rule);
      troubled.meets(fault(1));
      troubled.meets(CANCEL);
      expect(troubled.task()).not.toHaveProperty('past');
      const once = story(rule);
      for (const event of [CLAIM, fault(1), CANCEL]) once.meets(event);
      expect(once.task().past).toHaveLength(1);
      const cancelledInRun = inRun(rule);
      cancelledInRun.meets(CANCEL);
      cancelledInRun.meets(yields(1));
      for (const subject of [between, during, cancelledInRun]) {
        const { endedAt } = subject.task();
        expect(subject.wakesBy()).toBe(endedAt);
        expect(subject.meets(RESTART)).toEqual(
          subject === between ? { changed: expect.anything(), effects: expect.anything() } : NOT_DUE,
        );
        const { recurs } = subject.task();
        expect(subject.meets(TICK)).toStrictEqual({
          changed: { recurs: { ...recurs, isOff: true } },
          effects: [],
        });
        expect(subject.wakesBy()).toBe(subject === between ? (endedAt as number) + MINUTE : undefined);
        expect(subject.meets(CLAIM)).toEqual({ ignore: 'final' });
        if (subject !== between) expect(subject.meets(TICK)).toEqual(NOT_DUE);
      }
      expect(between.meets(SEND)).toMatchObject({ changed: { hook: { state: 'sending' } } });
      between.pass(3 * DAY);
      expect(between.meets(CLAIM)).toEqual({ ignore: 'final' });
    },
  },
];
