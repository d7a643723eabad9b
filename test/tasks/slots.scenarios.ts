/** When the runs of a task that recurs begin: each slot once, and what comes of those that nobody ran. */
import { expect } from 'vitest';
import { behindRun, DAILY, NOT_DUE, recurring, SLOT, WEEKLY, waitingFor } from './recurring-story.ts';
import {
  BEGIN,
  beat,
  CLAIM,
  DAY,
  HINT,
  HOUR,
  MINUTE,
  type Promised,
  PUSH,
  REDRIVE,
  REMINDER,
  RESTART,
  SECOND,
  story,
  succeeds,
  TICK,
} from './story.ts';

export const SLOTS: readonly Promised[] = [
  {
    promise: 'waits for its first slot, and is looked at once before',
    hold(rule) {
      const told = recurring(rule);
      expect(told.task()).toMatchObject({
        state: 'queued',
        ...waitingFor(SLOT),
        hintAt: BEGIN,
        recurs: { by: DAILY, slotAt: SLOT, run: 1, seq: 0 },
      });
      expect(told.wakesBy()).toBe(BEGIN);
      expect(told.meets(TICK)).toStrictEqual({ changed: { hintAt: SLOT + MINUTE }, effects: [] });
      expect(told.meets(TICK)).toEqual(NOT_DUE);
      expect(told.wakesBy()).toBe(SLOT + MINUTE);
      expect(told.after(DAY + MINUTE, TICK)).toStrictEqual({
        changed: { hints: 1, hintAt: SLOT + 3 * MINUTE },
        effects: [REMINDER()],
      });
    },
  },
  {
    promise: 'is hinted for its time when a queue holds a hint for so long',
    hold(rule) {
      for (const [ms, effects] of [
        [900 * SECOND + 1, []],
        [900 * SECOND, [HINT(900)]],
        [1, [HINT(1)]],
      ] as const) {
        const told = recurring(rule, { firstAt: BEGIN + ms });
        expect(told.meets(TICK)).toStrictEqual({ changed: { hintAt: BEGIN + ms + MINUTE }, effects });
      }
    },
  },
  {
    promise: 'begins at its slot and not before, also one that runs once',
    hold(rule) {
      for (const told of [recurring(rule), story(rule, { firstAt: SLOT })]) {
        for (const early of [CLAIM, REDRIVE, RESTART]) expect(told.after(DAY - 1, early)).toEqual(NOT_DUE);
        expect(told.after(DAY, CLAIM)).toMatchObject({
          changed: { state: 'running', attempt: 1, startedAt: SLOT, deadlineAt: SLOT + HOUR },
          effects: [PUSH('started')],
        });
      }
      const once = story(rule, { firstAt: BEGIN });
      expect(once.task()).toMatchObject({ queuedAt: BEGIN, hintAt: BEGIN + MINUTE });
      expect(once.task().recurs).toBeUndefined();
    },
  },
  {
    promise: 'runs a slot once, however late within a day and however often it is hinted',
    hold(rule) {
      const friday = BEGIN + 7 * DAY;
      const told = recurring(rule, { recurs: WEEKLY, firstAt: friday });
      expect(told.after(8 * DAY - 1, CLAIM)).toMatchObject({ changed: { attempt: 1 } });
      expect(told.task().recurs).toMatchObject({ slotAt: friday, run: 1 });
      told.meets(succeeds(1));
      told.meets(CLAIM);
      for (const late of [0, HOUR, 5 * DAY]) {
        told.pass(late);
        expect(told.meets(CLAIM)).toEqual(NOT_DUE);
      }
    },
  },
  {
    promise: 'misses a slot that nobody ran for a day, and waits for the next one',
    hold(rule) {
      const friday = BEGIN + 7 * DAY;
      const told = recurring(rule, { recurs: WEEKLY, firstAt: friday });
      told.pass(friday - BEGIN + DAY - 1);
      expect(told.answer(CLAIM)).toMatchObject({ next: { state: 'running' } });
      told.pass(1);
      for (const event of [CLAIM, TICK])
        expect(told.answer(event)).toStrictEqual({
          next: {
            ...told.task(),
            ...waitingFor(friday + 7 * DAY),
            recurs: { by: WEEKLY, slotAt: friday + 7 * DAY, run: 1, seq: 0 },
          },
          effects: [],
          missed: { from: friday, to: friday },
        });
      told.pass(7 * DAY);
      expect(told.meets(TICK)).toMatchObject({ missed: { from: friday, to: friday + 7 * DAY } });
    },
  },
  {
    promise: 'runs the newest of slots that came in a standstill, and misses those before it',
    hold(rule) {
      for (const days of [1, 2, 5, 99, 100, 101, 400]) {
        const told = recurring(rule);
        told.pass((days + 1) * DAY);
        const slotAt = SLOT + days * DAY;
        expect(told.meets(CLAIM), `${days}`).toMatchObject({
          changed: { state: 'running', recurs: { slotAt, run: 1 } },
          missed: { from: SLOT, to: slotAt - DAY },
        });
        const looked = recurring(rule);
        looked.pass((days + 1) * DAY + HOUR);
        expect(looked.meets(TICK)).toMatchObject({
          changed: { ...waitingFor(slotAt), hints: 1, hintAt: slotAt + HOUR + 2 * MINUTE },
          effects: [REMINDER()],
        });
      }
      const before = recurring(rule);
      expect(before.after(2 * DAY - 1, CLAIM)).not.toHaveProperty('missed');
      // What runs already is let go on past the next slot.
      expect(before.after(2 * DAY + SECOND, beat(1))).not.toHaveProperty('missed');
      expect(before.task().recurs).toMatchObject({ slotAt: SLOT, run: 1 });
    },
  },
  {
    promise: 'catches up behind a run that ended while nobody looked',
    hold(rule) {
      const told = behindRun(rule);
      expect(told.after(4 * DAY + HOUR, CLAIM)).toMatchObject({
        changed: { state: 'running', recurs: { slotAt: BEGIN + 4 * DAY, run: 2 } },
        ended: { run: { number: 1 } },
        missed: { from: SLOT + DAY, to: SLOT + 2 * DAY },
      });
    },
  },
];
