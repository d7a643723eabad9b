/** What becomes of a run of a task that recurs when it has ended, and of the task behind it. */
import { expect } from 'vitest';
import type { TaskEvent } from '../../shared/tasks/decide.ts';
import { behindRun, inRun, NOT_DUE, RENEWED, SLOT, waitingFor } from './recurring-story.ts';
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
  sent,
  succeeds,
  TICK,
  yields,
} from './story.ts';

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

export const RUNS: readonly Promised[] = [
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
