/** Creating a task, and claiming it by workers. */
import { expect } from 'vitest';
import {
  BEGIN,
  beat,
  CANCEL,
  CLAIM,
  CLAIM_ALONE,
  CLAIM_ON_ONE_MACHINE,
  DAY,
  fault,
  HINT,
  HOUR,
  MINUTE,
  PUSH,
  REMINDER,
  RESTART,
  type RuleScenario,
  running,
  SECOND,
  story,
  succeeds,
  suspect,
  TICK,
  yields,
} from './task-scenario.ts';

const isStale = { ignore: 'stale' };

export const CLAIMING: readonly RuleScenario[] = [
  {
    promise: 'is created as queued, hinted again after a minute, and waits for a day at most',
    check(rule) {
      expect(story(rule).task()).toStrictEqual({
        face: 'agents',
        type: 'made',
        priority: 5,
        createdAt: BEGIN,
        state: 'queued',
        queuedAt: BEGIN,
        hintAt: BEGIN + MINUTE,
        hints: 0,
        timeoutMs: HOUR,
        deadlineAt: BEGIN + 24 * HOUR,
        attempt: 0,
        failures: 0,
        vanished: 0,
        checkpoint: 0,
        progress: 0,
        seq: 0,
      });
      expect(story(rule, { hasWebhook: true }).task().hook).toEqual({ state: 'awaiting', tries: 0, nextAt: 0 });
      expect(story(rule, { timeoutMs: 5 }).task().timeoutMs).toBe(5);
    },
  },
  {
    promise: 'is leased for a minute, and its timeout begins with the first claim',
    check(rule) {
      const subject = story(rule);
      expect(subject.applyAt(SECOND, CLAIM)).toStrictEqual({
        changed: {
          state: 'running',
          attempt: 1,
          claimedAt: BEGIN + SECOND,
          leaseUntil: BEGIN + 61 * SECOND,
          startedAt: BEGIN + SECOND,
          deadlineAt: BEGIN + SECOND + HOUR,
          seq: 1,
        },
        effects: [PUSH('started')],
      });
    },
  },
  {
    promise: 'belongs to the first of two workers while its lease holds',
    check(rule) {
      const subject = running(rule);
      expect(subject.meets(CLAIM)).toEqual({ ignore: 'leased' });
      expect(subject.applyAt(61 * SECOND - 1, CLAIM)).toEqual({ ignore: 'leased' });
    },
  },
  {
    promise: 'can be taken over as soon as its lease expires, without a second start message',
    check(rule) {
      const subject = running(rule);
      expect(subject.applyAt(61 * SECOND, CLAIM)).toStrictEqual({
        changed: {
          attempt: 2,
          claimedAt: BEGIN + 61 * SECOND,
          leaseUntil: BEGIN + 121 * SECOND,
          queuedAt: BEGIN + 61 * SECOND,
          hintAt: BEGIN + 121 * SECOND,
          vanished: 1,
          past: [[1, SECOND, 61 * SECOND, 'vanished']],
          seq: 2,
        },
        effects: [],
      });
    },
  },
  {
    promise: 'ignores every event of a worker that lost it',
    check(rule) {
      const subject = running(rule);
      subject.applyAt(61 * SECOND, CLAIM);
      for (const late of [succeeds(1), yields(1), fault(1), { type: 'beat', attempt: 1 } as const]) {
        expect(subject.meets(late)).toEqual(isStale);
      }
      expect(subject.meets(succeeds(3))).toEqual(isStale);
      expect(subject.meets(succeeds(2))).toMatchObject({ changed: { state: 'succeeded', resultOf: 2 } });
    },
  },
  {
    promise: 'ignores the worker that handed it over, also while it is queued',
    check(rule) {
      const subject = running(rule);
      subject.meets(yields(1));
      for (const late of [succeeds(1), yields(1), fault(1), { type: 'beat', attempt: 1 } as const]) {
        expect(subject.meets(late)).toEqual(isStale);
      }
    },
  },
  {
    promise: 'accepts a late result while no other worker has claimed it',
    check(rule) {
      const subject = running(rule);
      expect(subject.applyAt(50 * MINUTE, succeeds(1))).toMatchObject({ changed: { state: 'succeeded', resultOf: 1 } });
    },
  },
  {
    promise: 'is not claimed while a failed attempt backs off',
    check(rule) {
      const subject = running(rule);
      subject.meets(fault(1));
      expect(subject.applyAt(6 * SECOND - 1, CLAIM)).toEqual({ ignore: 'notDue' });
      expect(subject.applyAt(6 * SECOND, CLAIM)).toMatchObject({ changed: { state: 'running', attempt: 2 } });
    },
  },
  {
    promise: 'counts its timeout from the first claim, not from a later one',
    check(rule) {
      const subject = running(rule, { timeoutMs: 10 * MINUTE });
      subject.meets(yields(1));
      subject.applyAt(9 * MINUTE, CLAIM);
      expect(subject.task()).toMatchObject({ startedAt: BEGIN + SECOND, deadlineAt: BEGIN + SECOND + 10 * MINUTE });
    },
  },
  {
    promise: 'ends instead of being claimed after its deadline',
    check(rule) {
      const waiting = story(rule);
      expect(waiting.applyAt(24 * HOUR, CLAIM)).toStrictEqual({
        changed: { state: 'failed', code: 'TASK_TIMEOUT', endedAt: BEGIN + 24 * HOUR, seq: 1 },
        effects: [PUSH('failed')],
      });
      const leased = running(rule, { timeoutMs: 30 * SECOND });
      expect(leased.applyAt(31 * SECOND - 1, CLAIM)).toEqual({ ignore: 'leased' });
      expect(leased.applyAt(31 * SECOND, CLAIM)).toMatchObject({ changed: { state: 'failed', code: 'TASK_TIMEOUT' } });
    },
  },
  {
    promise: 'is not claimed by a second worker while the first is asked to stop, but ends when the first vanishes',
    check(rule) {
      const subject = running(rule);
      subject.meets(CANCEL);
      expect(subject.meets(CLAIM)).toEqual({ ignore: 'leased' });
      expect(subject.applyAt(61 * SECOND, CLAIM)).toMatchObject({
        changed: { state: 'cancelled', code: 'TASK_CANCELLED' },
      });
      expect(subject.task().attempt).toBe(1);
    },
  },
  {
    promise: 'is claimed only by a process that runs nothing else after four vanished attempts in a row',
    check(rule) {
      const subject = running(rule);
      for (let lost = 1; lost < 4; lost++) {
        subject.pass(MINUTE);
        expect(subject.meets(CLAIM)).toMatchObject({ changed: { attempt: lost + 1, vanished: lost } });
        expect(subject.task().alone).toBeUndefined();
      }
      subject.pass(MINUTE);
      expect(subject.meets(CLAIM)).toEqual({ ignore: 'crowded' });
      subject.meets(TICK);
      expect(subject.task()).toMatchObject({ state: 'queued', vanished: 4 });
      expect(subject.meets(CLAIM)).toEqual({ ignore: 'crowded' });
      expect(subject.meets(CLAIM_ALONE)).toStrictEqual({
        changed: {
          state: 'running',
          attempt: 5,
          claimedAt: subject.now(),
          leaseUntil: subject.now() + MINUTE,
          seq: 5,
          alone: true,
        },
        effects: [],
      });
    },
  },
  {
    promise: 'fails when the process ends in which it ran alone, and not when it only shared one again',
    check(rule) {
      const subject = suspect(rule);
      subject.meets(CLAIM_ALONE);
      expect(subject.answer(TICK)).toEqual({ ignore: 'notDue' });
      subject.pass(MINUTE);
      expect(subject.meets(TICK)).toStrictEqual({
        changed: {
          state: 'failed',
          code: 'PROCESSING_FAILED',
          vanished: 5,
          endedAt: subject.now(),
          leaseUntil: undefined,
          alone: undefined,
          seq: 6,
        },
        effects: [PUSH('failed')],
      });
      const claimed = suspect(rule);
      claimed.meets(CLAIM_ALONE);
      claimed.pass(MINUTE);
      expect(claimed.meets(CLAIM)).toMatchObject({ changed: { state: 'failed', code: 'PROCESSING_FAILED' } });
    },
  },
  {
    promise: 'is no suspect for having been alone by chance, nor before its fourth vanished attempt',
    check(rule) {
      const subject = story(rule);
      subject.applyAt(SECOND, CLAIM_ALONE);
      for (let lost = 1; lost < 5; lost++) {
        expect(subject.task().alone).toBeUndefined();
        subject.pass(MINUTE);
        expect(subject.meets(CLAIM_ALONE)).toMatchObject({ changed: { attempt: lost + 1, vanished: lost } });
      }
      expect(subject.task().alone).toBe(true);
    },
  },
  {
    promise: 'stays a suspect when its process hands it over, and is none any more after a new checkpoint',
    check(rule) {
      const subject = suspect(rule);
      subject.meets(CLAIM_ALONE);
      subject.meets(yields(5));
      expect(subject.task()).toMatchObject({ state: 'queued', vanished: 4 });
      expect(subject.task().alone).toBeUndefined();
      expect(subject.meets(CLAIM)).toEqual({ ignore: 'crowded' });
      subject.meets(CLAIM_ALONE);
      subject.meets(beat(6, { checkpoint: 1 }));
      subject.pass(MINUTE);
      expect(subject.meets(TICK)).toMatchObject({ changed: { state: 'queued', vanished: 1, alone: undefined } });
      expect(subject.meets(CLAIM)).toMatchObject({ changed: { state: 'running' } });
    },
  },
  {
    promise: 'ends cancelled, not failed, when its process ends while it runs alone and was asked to stop',
    check(rule) {
      const subject = suspect(rule);
      subject.meets(CLAIM_ALONE);
      subject.meets(CANCEL);
      subject.pass(MINUTE);
      expect(subject.meets(CLAIM)).toMatchObject({ changed: { state: 'cancelled', code: 'TASK_CANCELLED' } });
    },
  },
  {
    promise: 'never fails for lost leases on one machine, where they do not say that a process has ended',
    check(rule) {
      const subject = story(rule);
      subject.pass(SECOND);
      for (let lost = 0; lost < 20; lost++) {
        expect(subject.meets(CLAIM_ON_ONE_MACHINE)).toMatchObject({ changed: { state: 'running' } });
        expect(subject.task().alone).toBeUndefined();
        subject.pass(MINUTE);
        expect(subject.meets(TICK)).toMatchObject({ changed: { state: 'queued', vanished: lost + 1 } });
      }
    },
  },
  {
    promise: 'is released immediately when the only process that held it restarts',
    check(rule) {
      const subject = running(rule);
      expect(subject.applyAt(2 * SECOND, RESTART)).toStrictEqual({
        changed: {
          state: 'queued',
          queuedAt: BEGIN + 2 * SECOND,
          hintAt: BEGIN + 62 * SECOND,
          leaseUntil: undefined,
          claimedAt: undefined,
          vanished: 1,
          past: [[1, SECOND, 2 * SECOND, 'vanished']],
        },
        effects: [HINT()],
      });
      expect(subject.meets(RESTART)).toStrictEqual({
        changed: { hints: 1, hintAt: subject.now() + 2 * MINUTE },
        effects: [REMINDER()],
      });
    },
  },
  {
    promise: 'backs off longer after each restart, and never fails for one',
    check(rule) {
      const subject = story(rule, { timeoutMs: DAY });
      subject.applyAt(SECOND, CLAIM_ON_ONE_MACHINE);
      for (const [at, wait] of [0, 5, 30, 60, 120, 300, 300, 300, 300, 300].entries()) {
        expect(subject.meets(RESTART)).toMatchObject({
          changed: { state: 'queued', queuedAt: subject.now() + wait * SECOND, vanished: at + 1 },
          effects: [HINT(wait)],
        });
        if (wait > 0) expect(subject.meets(CLAIM_ON_ONE_MACHINE)).toEqual({ ignore: 'notDue' });
        subject.pass(wait * SECOND);
        expect(subject.meets(CLAIM_ON_ONE_MACHINE)).toMatchObject({ changed: { state: 'running' } });
      }
    },
  },
  {
    promise: 'is not at fault when it ran alone and its process was restarted',
    check(rule) {
      const subject = suspect(rule);
      subject.meets(CLAIM_ALONE);
      expect(subject.meets(RESTART)).toMatchObject({ changed: { state: 'queued', vanished: 5, alone: undefined } });
    },
  },
];
