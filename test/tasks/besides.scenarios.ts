/** What the operator and a cancel do to a task that recurs. */
import { expect } from 'vitest';
import { DAILY, inRun, NOT_DUE, recurring, SLOT, waitingFor } from './recurring-story.ts';
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
  type Promised,
  PUSH,
  REMINDER,
  RESTART,
  RUN_NOW,
  SEND,
  story,
  succeeds,
  TICK,
  yields,
} from './story.ts';

export const BESIDES: readonly Promised[] = [
  {
    promise: 'runs now when the operator wants it, and at its slot all the same',
    hold(rule) {
      const told = recurring(rule, { hasHook: true });
      told.meets(TICK);
      expect(told.after(HOUR, RUN_NOW)).toStrictEqual({
        changed: {
          queuedAt: BEGIN + HOUR,
          hintAt: BEGIN + HOUR,
          deadlineAt: BEGIN + HOUR + DAY,
          recurs: told.task().recurs,
        },
        effects: [],
      });
      expect(told.task().recurs).toStrictEqual({ by: DAILY, slotAt: SLOT, run: 1, seq: 0, extraAt: BEGIN + HOUR });
      expect(told.meets(TICK)).toMatchObject({ effects: [REMINDER()] });
      told.meets(CLAIM);
      expect(told.meets(RUN_NOW)).toEqual({ ignore: 'leased' });
      told.meets(yields(1));
      expect(told.meets(RUN_NOW)).toEqual({ ignore: 'leased' });
      told.meets(CLAIM);
      told.meets(succeeds(2));
      expect(told.meets(TICK)).toMatchObject({ ended: { run: { number: 1, slotAt: BEGIN + HOUR, seq: 0 } } });
      expect(told.task()).toMatchObject({ ...waitingFor(SLOT), recurs: { slotAt: SLOT, run: 2 } });
      expect(told.task().recurs).not.toHaveProperty('extraAt');
      expect(told.after(DAY, CLAIM)).toMatchObject({ changed: { state: 'running' } });
    },
  },
  {
    promise: 'leaves its slots alone while it is to run besides them, and fails that run when nobody does it for a day',
    hold(rule) {
      const told = recurring(rule);
      told.after(DAY - HOUR, RUN_NOW);
      expect(told.after(2 * DAY - 2 * HOUR, CLAIM)).not.toHaveProperty('missed');
      const overdue = recurring(rule);
      overdue.after(2 * DAY - HOUR, RUN_NOW);
      expect(overdue.after(2 * DAY + HOUR, CLAIM)).not.toHaveProperty('missed');
      expect(overdue.task().recurs).toMatchObject({ slotAt: SLOT, run: 1 });
      const alone = recurring(rule);
      alone.after(DAY - HOUR, RUN_NOW);
      expect(alone.after(2 * DAY - HOUR, TICK)).toMatchObject({ changed: { state: 'failed', code: 'TASK_TIMEOUT' } });
      alone.meets(TICK);
      expect(alone.task().recurs).toMatchObject({ slotAt: SLOT, run: 2 });
    },
  },
  {
    promise: 'alone runs besides its slots',
    hold(rule) {
      expect(story(rule).meets(RUN_NOW)).toEqual({ ignore: 'stale' });
      const over = recurring(rule);
      over.meets(CANCEL);
      expect(over.meets(RUN_NOW)).toEqual({ ignore: 'final' });
    },
  },
  {
    promise: 'ends by a cancel, and is looked at once more to be taken off its schedule',
    hold(rule) {
      const between = recurring(rule, { hasHook: true });
      expect(between.after(HOUR, CANCEL)).toMatchObject({
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
      const asked = inRun(rule);
      asked.meets(CANCEL);
      asked.meets(yields(1));
      for (const told of [between, during, asked]) {
        const { endedAt } = told.task();
        expect(told.wakesBy()).toBe(endedAt);
        expect(told.meets(RESTART)).toEqual(
          told === between ? { changed: expect.anything(), effects: expect.anything() } : NOT_DUE,
        );
        const { recurs } = told.task();
        expect(told.meets(TICK)).toStrictEqual({
          changed: { recurs: { ...recurs, isOff: true } },
          effects: [],
        });
        expect(told.wakesBy()).toBe(told === between ? (endedAt as number) + MINUTE : undefined);
        expect(told.meets(CLAIM)).toEqual({ ignore: 'final' });
        if (told !== between) expect(told.meets(TICK)).toEqual(NOT_DUE);
      }
      expect(between.meets(SEND)).toMatchObject({ changed: { hook: { state: 'sending' } } });
      between.pass(3 * DAY);
      expect(between.meets(CLAIM)).toEqual({ ignore: 'final' });
    },
  },
];
