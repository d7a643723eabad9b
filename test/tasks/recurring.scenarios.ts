/** What becomes of the runs of a task that recurs. */
import { expect } from 'vitest';
import type { TaskEvent } from '../../shared/tasks/decide.ts';
import type { Rule } from './rule.ts';
import {
  BEGIN,
  beat,
  CANCEL,
  CLAIM,
  DAY,
  FORCE,
  fails,
  fault,
  HINT,
  HINT_SENDER,
  HOUR,
  MINUTE,
  type Promised,
  PUSH,
  REDRIVE,
  RESTART,
  RUN_NOW,
  SECOND,
  SEND,
  type Story,
  sent,
  story,
  succeeds,
  TICK,
  yields,
} from './story.ts';

/** As it begins at eight, its slots lie at eight. */
const DAILY = 'd 080000 UTC';
/** Of Fridays, as it begins on one. */
const WEEKLY = 'w5 080000 UTC';
const SLOT = BEGIN + DAY;
const NOT_DUE = { ignore: 'notDue' };

const recurring = (rule: Rule, o: { hasHook?: boolean; recurs?: string; firstAt?: number } = {}) =>
  story(rule, { recurs: DAILY, firstAt: SLOT, ...o });

/** In its first run, since a second after its slot. */
function inRun(rule: Rule, o: Parameters<typeof recurring>[1] = {}): Story {
  const told = recurring(rule, o);
  told.after(DAY + SECOND, CLAIM);
  return told;
}

/** Its first run has ended, and nobody has looked since. */
function behindRun(rule: Rule, o: Parameters<typeof recurring>[1] = {}): Story {
  const told = inRun(rule, o);
  told.after(DAY + 5 * SECOND, succeeds(1));
  return told;
}

const waitingFor = (slotAt: number) => ({
  queuedAt: slotAt,
  hintAt: slotAt + MINUTE,
  hints: 0,
  deadlineAt: slotAt + DAY,
});

/** As it waits for its second run. */
const RENEWED = {
  face: 'agents',
  type: 'made',
  priority: 5,
  createdAt: BEGIN,
  timeoutMs: HOUR,
  attempt: 1,
  seq: 3,
  state: 'queued',
  ...waitingFor(SLOT + DAY),
  failures: 0,
  vanished: 0,
  checkpoint: 0,
  progress: 0,
  recurs: { by: DAILY, slotAt: SLOT + DAY, run: 2, seq: 3 },
};

const ENDED = {
  face: 'agents',
  type: 'made',
  priority: 5,
  createdAt: BEGIN,
  timeoutMs: HOUR,
  state: 'succeeded',
  queuedAt: SLOT,
  hintAt: BEGIN,
  hints: 0,
  startedAt: SLOT + SECOND,
  endedAt: SLOT + 5 * SECOND,
  deadlineAt: SLOT + SECOND + HOUR,
  attempt: 1,
  claimedAt: SLOT + SECOND,
  failures: 0,
  vanished: 0,
  checkpoint: 0,
  progress: 100,
  seq: 2,
  resultOf: 1,
  run: { number: 1, slotAt: SLOT, seq: 0 },
};

export const RECURRING: readonly Promised[] = [
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
        effects: [HINT()],
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
    promise: 'tells of the end of a run, whose event waits until the run is set apart',
    hold(rule) {
      const told = inRun(rule, { hasHook: true });
      expect(told.after(DAY + 5 * SECOND, succeeds(1))).toMatchObject({
        changed: { state: 'succeeded', endedAt: SLOT + 5 * SECOND, progress: 100 },
        effects: [PUSH('completed')],
      });
      expect(told.wakesBy()).toBe(SLOT + 5 * SECOND);
      for (const event of [SEND, sent(1), { type: 'redeliver' } as const]) expect(told.meets(event)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'sets a run that ended apart, and waits for the slot behind it',
    hold(rule) {
      const told = behindRun(rule);
      told.pass(SECOND);
      const { ended, effects } = told.meets(TICK) as { ended?: object; effects: object[] };
      expect(effects).toEqual([]);
      expect(ended).toStrictEqual(ENDED);
      expect(told.task()).toStrictEqual(RENEWED);
      expect(told.wakesBy()).toBe(SLOT + DAY + MINUTE);
    },
  },
  {
    promise: 'gives each run an event of its own',
    hold(rule) {
      const told = behindRun(rule, { hasHook: true });
      const hook = { state: 'due', tries: 0, nextAt: SLOT + 5 * SECOND };
      expect(told.meets(TICK)).toMatchObject({ ended: { hook }, effects: [{ ...HINT_SENDER(), run: 1 }] });
      expect(told.task().hook).toStrictEqual({ state: 'awaiting', tries: 0, nextAt: 0 });
    },
  },
  {
    promise: 'sets the run apart first, whatever else happens',
    hold(rule) {
      const events: [TaskEvent, object][] = [
        [CLAIM, RENEWED],
        [RESTART, RENEWED],
        [REDRIVE, RENEWED],
        [beat(1), RENEWED],
        [succeeds(1), RENEWED],
        [yields(1), RENEWED],
        [RUN_NOW, { ...waitingFor(SLOT + 9 * SECOND), recurs: { run: 2, extraAt: SLOT + 9 * SECOND } }],
        [CANCEL, { state: 'cancelled', seq: 4, recurs: RENEWED.recurs }],
        [FORCE, { state: 'cancelled', attempt: 1, recurs: RENEWED.recurs }],
      ];
      for (const [event, next] of events) {
        const told = behindRun(rule);
        told.pass(4 * SECOND);
        expect(told.meets(event), event.type).toMatchObject({ ended: ENDED });
        if (event === RUN_NOW) Object.assign(next, { hintAt: SLOT + 9 * SECOND });
        expect(told.task(), event.type).toMatchObject(next);
      }
    },
  },
  {
    promise: 'tells both when it is cancelled behind a run: the run and itself',
    hold(rule) {
      const told = behindRun(rule, { hasHook: true });
      expect(told.meets(CANCEL)).toMatchObject({
        changed: { state: 'cancelled' },
        effects: [PUSH('failed'), HINT_SENDER(), { ...HINT_SENDER(), run: 1 }],
      });
    },
  },
  {
    promise: 'goes on behind a run that failed, with attempts that are numbered on',
    hold(rule) {
      const told = inRun(rule);
      for (const [at, event] of [fault(1), CLAIM, fault(2), CLAIM, fault(3)].entries())
        told.after(DAY + (at + 1) * MINUTE, event);
      expect(told.task()).toMatchObject({
        state: 'failed',
        failures: 3,
        past: [[2, expect.any(Number), expect.any(Number), 'MODEL_UNAVAILABLE']],
      });
      expect(told.meets(TICK)).toMatchObject({ ended: { state: 'failed', code: 'MODEL_UNAVAILABLE', resultOf: 3 } });
      expect(told.task()).toStrictEqual({ ...RENEWED, attempt: 3, seq: 5, recurs: { ...RENEWED.recurs, seq: 5 } });
      expect(told.after(2 * DAY, CLAIM)).toMatchObject({
        changed: { attempt: 4, startedAt: SLOT + DAY, deadlineAt: SLOT + DAY + HOUR, seq: 6 },
        effects: [PUSH('started')],
      });
    },
  },
  {
    promise: 'goes on behind a run that took too long, was refused, or lost every worker',
    hold(rule) {
      const late = inRun(rule);
      expect(late.after(DAY + SECOND + HOUR, TICK)).toMatchObject({ changed: { code: 'TASK_TIMEOUT' } });
      const refused = inRun(rule);
      refused.meets(fails(1));
      const lost = inRun(rule);
      for (let times = 1; times < 5; times++) {
        lost.pass(MINUTE);
        lost.meets(CLAIM);
      }
      lost.pass(MINUTE);
      lost.meets(TICK);
      for (const told of [late, refused, lost]) {
        expect(told.task().state).toBe('failed');
        expect(told.meets(TICK)).toMatchObject({ ended: { state: 'failed' } });
        expect(told.task()).toMatchObject({ state: 'queued', queuedAt: SLOT + DAY });
      }
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
          effects: [HINT()],
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
      expect(told.meets(TICK)).toMatchObject({ effects: [HINT()] });
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
  {
    promise: 'has nothing more to say of a run that was set apart than its event',
    hold(rule) {
      const told = behindRun(rule, { hasHook: true });
      const { ended } = told.meets(TICK) as { ended: Parameters<Rule['decide']>[0] };
      const decided = (event: TaskEvent) => rule.decide(Object.freeze(ended), event, SLOT + MINUTE);
      for (const event of [CLAIM, CANCEL, REDRIVE, RUN_NOW]) expect(decided(event)).toEqual({ ignore: 'final' });
      expect(decided(SEND)).toMatchObject({ next: { hook: { state: 'sending', tries: 1 } } });
      expect(rule.mustWakeBy(ended)).toBe(SLOT + 5 * SECOND + MINUTE);
    },
  },
];
