/** When the runs of a recurring task begin: each slot once, and the treatment of missed slots. */
import { expect } from 'vitest';
import { behindRun, DAILY, NOT_DUE, recurring, SLOT, WEEKLY, waitingFor } from './recurring-scenario.ts';
import {
  BEGIN,
  beat,
  CLAIM,
  DAY,
  HINT,
  HOUR,
  MINUTE,
  PUSH,
  REDRIVE,
  REMINDER,
  RESTART,
  type RuleScenario,
  SECOND,
  story,
  succeeds,
  TICK,
} from './task-scenario.ts';

export const SLOTS: readonly RuleScenario[] = [
  {
    promise: 'waits for its first slot, and is due once before',
    check(rule) {
      const subject = recurring(rule);
      expect(subject.task()).toMatchObject({
        state: 'queued',
        ...waitingFor(SLOT),
        hintAt: BEGIN,
        recurs: { by: DAILY, slotAt: SLOT, run: 1, seq: 0 },
      });
      expect(subject.wakesBy()).toBe(BEGIN);
      expect(subject.meets(TICK)).toStrictEqual({ changed: { hintAt: SLOT + MINUTE }, effects: [] });
      expect(subject.meets(TICK)).toEqual(NOT_DUE);
      expect(subject.wakesBy()).toBe(SLOT + MINUTE);
      expect(subject.applyAt(DAY + MINUTE, TICK)).toStrictEqual({
        changed: { hints: 1, hintAt: SLOT + 3 * MINUTE },
        effects: [REMINDER()],
      });
    },
  },
  {
    promise: 'is hinted for its slot when a queue can delay the hint that long',
    check(rule) {
      for (const [ms, effects] of [
        [900 * SECOND + 1, []],
        [900 * SECOND, [HINT(900)]],
        [1, [HINT(1)]],
      ] as const) {
        const subject = recurring(rule, { firstAt: BEGIN + ms });
        expect(subject.meets(TICK)).toStrictEqual({ changed: { hintAt: BEGIN + ms + MINUTE }, effects });
      }
    },
  },
  {
    promise: 'begins at its slot and not before, also a task that runs once',
    check(rule) {
      for (const subject of [recurring(rule), story(rule, { firstAt: SLOT })]) {
        for (const early of [CLAIM, REDRIVE, RESTART]) expect(subject.applyAt(DAY - 1, early)).toEqual(NOT_DUE);
        expect(subject.applyAt(DAY, CLAIM)).toMatchObject({
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
    promise: 'runs a slot once, up to a day late and despite repeated hints',
    check(rule) {
      const friday = BEGIN + 7 * DAY;
      const subject = recurring(rule, { recurs: WEEKLY, firstAt: friday });
      expect(subject.applyAt(8 * DAY - 1, CLAIM)).toMatchObject({ changed: { attempt: 1 } });
      expect(subject.task().recurs).toMatchObject({ slotAt: friday, run: 1 });
      subject.meets(succeeds(1));
      subject.meets(CLAIM);
      for (const late of [0, HOUR, 5 * DAY]) {
        subject.pass(late);
        expect(subject.meets(CLAIM)).toEqual(NOT_DUE);
      }
    },
  },
  {
    promise: 'misses a slot that no worker ran for a day, and waits for the next one',
    check(rule) {
      const friday = BEGIN + 7 * DAY;
      const subject = recurring(rule, { recurs: WEEKLY, firstAt: friday });
      subject.pass(friday - BEGIN + DAY - 1);
      expect(subject.answer(CLAIM)).toMatchObject({ next: { state: 'running' } });
      subject.pass(1);
      for (const event of [CLAIM, TICK])
        expect(subject.answer(event)).toStrictEqual({
          next: {
            ...subject.task(),
            ...waitingFor(friday + 7 * DAY),
            recurs: { by: WEEKLY, slotAt: friday + 7 * DAY, run: 1, seq: 0 },
          },
          effects: [],
          missed: { from: friday, to: friday },
        });
      subject.pass(7 * DAY);
      expect(subject.meets(TICK)).toMatchObject({ missed: { from: friday, to: friday + 7 * DAY } });
    },
  },
  {
    promise: 'runs the newest slot of an outage, and misses those before it',
    check(rule) {
      for (const days of [1, 2, 5, 99, 100, 101, 400]) {
        const subject = recurring(rule);
        subject.pass((days + 1) * DAY);
        const slotAt = SLOT + days * DAY;
        expect(subject.meets(CLAIM), `${days}`).toMatchObject({
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
      expect(before.applyAt(2 * DAY - 1, CLAIM)).not.toHaveProperty('missed');
      // A run in progress may continue past the next slot.
      expect(before.applyAt(2 * DAY + SECOND, beat(1))).not.toHaveProperty('missed');
      expect(before.task().recurs).toMatchObject({ slotAt: SLOT, run: 1 });
    },
  },
  {
    promise: 'catches up after a run that ended without a look for a while',
    check(rule) {
      const subject = behindRun(rule);
      expect(subject.applyAt(4 * DAY + HOUR, CLAIM)).toMatchObject({
        changed: { state: 'running', recurs: { slotAt: BEGIN + 4 * DAY, run: 2 } },
        ended: { run: { number: 1 } },
        missed: { from: SLOT + DAY, to: SLOT + 2 * DAY },
      });
    },
  },
];
