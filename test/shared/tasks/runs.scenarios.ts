/** The end of a run of a recurring task, and the task after it. */
import { expect } from 'vitest';
import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import { behindRun, inRun, NOT_DUE, RENEWED, SLOT, waitingFor } from './recurring-scenario.ts';
import type { TaskRules } from './task-rules.ts';
import {
  BEGIN,
  beat,
  CANCEL,
  CLAIM,
  CLAIM_ALONE,
  DAY,
  FORCE,
  fails,
  fault,
  HINT_SENDER,
  HOUR,
  MINUTE,
  PUSH,
  REDRIVE,
  RESTART,
  RUN_NOW,
  type RuleScenario,
  SECOND,
  SEND,
  sentEvent,
  succeeds,
  TICK,
  yields,
} from './task-scenario.ts';

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

export const RUNS: readonly RuleScenario[] = [
  {
    promise: 'reports the end of a run, whose webhook waits until the run is moved to its own rows',
    check(rule) {
      const subject = inRun(rule, { hasWebhook: true });
      expect(subject.applyAt(DAY + 5 * SECOND, succeeds(1))).toMatchObject({
        changed: { state: 'succeeded', endedAt: SLOT + 5 * SECOND, progress: 100 },
        effects: [PUSH('completed')],
      });
      expect(subject.wakesBy()).toBe(SLOT + 5 * SECOND);
      for (const event of [SEND, sentEvent(1), { type: 'redeliver' } as const])
        expect(subject.meets(event)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'moves an ended run to its own rows, and waits for the next slot',
    check(rule) {
      const subject = behindRun(rule);
      subject.pass(SECOND);
      const { ended, effects } = subject.meets(TICK) as { ended?: object; effects: object[] };
      expect(effects).toEqual([]);
      expect(ended).toStrictEqual(ENDED);
      expect(subject.task()).toStrictEqual(RENEWED);
      expect(subject.wakesBy()).toBe(SLOT + DAY + MINUTE);
    },
  },
  {
    promise: 'gives each run its own webhook',
    check(rule) {
      const subject = behindRun(rule, { hasWebhook: true });
      const delivery = { state: 'due', tries: 0, nextAt: SLOT + 5 * SECOND };
      expect(subject.meets(TICK)).toMatchObject({ ended: { hook: delivery }, effects: [{ ...HINT_SENDER(), run: 1 }] });
      expect(subject.task().hook).toStrictEqual({ state: 'awaiting', tries: 0, nextAt: 0 });
    },
  },
  {
    promise: 'moves the run to its own rows before it handles any other event',
    check(rule) {
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
        const subject = behindRun(rule);
        subject.pass(4 * SECOND);
        expect(subject.meets(event), event.type).toMatchObject({ ended: ENDED });
        if (event === RUN_NOW) Object.assign(next, { hintAt: SLOT + 9 * SECOND });
        expect(subject.task(), event.type).toMatchObject(next);
      }
    },
  },
  {
    promise: 'sends two webhooks when it is cancelled after a run: of the run and of the task',
    check(rule) {
      const subject = behindRun(rule, { hasWebhook: true });
      expect(subject.meets(CANCEL)).toMatchObject({
        changed: { state: 'cancelled' },
        effects: [PUSH('failed'), HINT_SENDER(), { ...HINT_SENDER(), run: 1 }],
      });
    },
  },
  {
    promise: 'continues after a failed run, with continued attempt numbers',
    check(rule) {
      const subject = inRun(rule);
      for (const [at, event] of [fault(1), CLAIM, fault(2), CLAIM, fault(3)].entries())
        subject.applyAt(DAY + (at + 1) * MINUTE, event);
      expect(subject.task()).toMatchObject({
        state: 'failed',
        failures: 3,
        past: [[2, expect.any(Number), expect.any(Number), 'MODEL_UNAVAILABLE']],
      });
      expect(subject.meets(TICK)).toMatchObject({ ended: { state: 'failed', code: 'MODEL_UNAVAILABLE', resultOf: 3 } });
      expect(subject.task()).toStrictEqual({ ...RENEWED, attempt: 3, seq: 5, recurs: { ...RENEWED.recurs, seq: 5 } });
      expect(subject.applyAt(2 * DAY, CLAIM)).toMatchObject({
        changed: { attempt: 4, startedAt: SLOT + DAY, deadlineAt: SLOT + DAY + HOUR, seq: 6 },
        effects: [PUSH('started')],
      });
    },
  },
  {
    promise: 'continues after a run that timed out, was refused, or lost every worker',
    check(rule) {
      const late = inRun(rule);
      expect(late.applyAt(DAY + SECOND + HOUR, TICK)).toMatchObject({ changed: { code: 'TASK_TIMEOUT' } });
      const refused = inRun(rule);
      refused.meets(fails(1));
      const lost = inRun(rule);
      for (let times = 1; times < 5; times++) {
        lost.pass(MINUTE);
        lost.meets(CLAIM_ALONE);
      }
      lost.pass(MINUTE);
      lost.meets(TICK);
      for (const subject of [late, refused, lost]) {
        expect(subject.task().state).toBe('failed');
        expect(subject.meets(TICK)).toMatchObject({ ended: { state: 'failed' } });
        expect(subject.task()).toMatchObject({ state: 'queued', queuedAt: SLOT + DAY, vanished: 0 });
        expect(subject.task().alone).toBeUndefined();
      }
    },
  },
  {
    promise: 'keeps only the webhook of a run that was moved to its own rows',
    check(rule) {
      const subject = behindRun(rule, { hasWebhook: true });
      const { ended } = subject.meets(TICK) as { ended: Parameters<TaskRules['decide']>[0] };
      const decided = (event: TaskEvent) => rule.decide(Object.freeze(ended), event, SLOT + MINUTE);
      for (const event of [CLAIM, CANCEL, REDRIVE, RUN_NOW]) expect(decided(event)).toEqual({ ignore: 'final' });
      expect(decided(SEND)).toMatchObject({ next: { hook: { state: 'sending', tries: 1 } } });
      expect(rule.wakeTime(ended)).toBe(SLOT + 5 * SECOND + MINUTE);
    },
  },
];
