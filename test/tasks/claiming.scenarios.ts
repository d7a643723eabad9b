/** How a task is made, and how workers come to have it. */
import { expect } from 'vitest';
import {
  BEGIN,
  CANCEL,
  CLAIM,
  fault,
  HINT,
  HOUR,
  MINUTE,
  type Promised,
  PUSH,
  REMINDER,
  RESTART,
  running,
  SECOND,
  story,
  succeeds,
  yields,
} from './story.ts';

const isStale = { ignore: 'stale' };

export const CLAIMING: readonly Promised[] = [
  {
    promise: 'is made waiting, hinted again after a minute, and waits a day at most',
    hold(rule) {
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
      expect(story(rule, { hasHook: true }).task().hook).toEqual({ state: 'awaiting', tries: 0, nextAt: 0 });
      expect(story(rule, { timeoutMs: 5 }).task().timeoutMs).toBe(5);
    },
  },
  {
    promise: 'is claimed for a minute, and its time to work begins with the first claim',
    hold(rule) {
      const told = story(rule);
      expect(told.after(SECOND, CLAIM)).toStrictEqual({
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
    promise: 'belongs to one of two workers while the first one lives',
    hold(rule) {
      const told = running(rule);
      expect(told.meets(CLAIM)).toEqual({ ignore: 'leased' });
      expect(told.after(61 * SECOND - 1, CLAIM)).toEqual({ ignore: 'leased' });
    },
  },
  {
    promise: 'is taken over from the very moment a lease lapses, and its watchers hear of no second start',
    hold(rule) {
      const told = running(rule);
      expect(told.after(61 * SECOND, CLAIM)).toStrictEqual({
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
    promise: 'keeps out a worker that lost it, whatever that worker says',
    hold(rule) {
      const told = running(rule);
      told.after(61 * SECOND, CLAIM);
      for (const late of [succeeds(1), yields(1), fault(1), { type: 'beat', attempt: 1 } as const]) {
        expect(told.meets(late)).toEqual(isStale);
      }
      expect(told.meets(succeeds(3))).toEqual(isStale);
      expect(told.meets(succeeds(2))).toMatchObject({ changed: { state: 'succeeded', resultOf: 2 } });
    },
  },
  {
    promise: 'keeps out the worker that handed it over, also while it waits',
    hold(rule) {
      const told = running(rule);
      told.meets(yields(1));
      for (const late of [succeeds(1), yields(1), fault(1), { type: 'beat', attempt: 1 } as const]) {
        expect(told.meets(late)).toEqual(isStale);
      }
    },
  },
  {
    promise: 'takes what a worker brings late while nobody else has it',
    hold(rule) {
      const told = running(rule);
      expect(told.after(50 * MINUTE, succeeds(1))).toMatchObject({ changed: { state: 'succeeded', resultOf: 1 } });
    },
  },
  {
    promise: 'is not claimed while a failed attempt backs off',
    hold(rule) {
      const told = running(rule);
      told.meets(fault(1));
      expect(told.after(6 * SECOND - 1, CLAIM)).toEqual({ ignore: 'notDue' });
      expect(told.after(6 * SECOND, CLAIM)).toMatchObject({ changed: { state: 'running', attempt: 2 } });
    },
  },
  {
    promise: 'has its time to work from the first claim, not from a later one',
    hold(rule) {
      const told = running(rule, { timeoutMs: 10 * MINUTE });
      told.meets(yields(1));
      told.after(9 * MINUTE, CLAIM);
      expect(told.task()).toMatchObject({ startedAt: BEGIN + SECOND, deadlineAt: BEGIN + SECOND + 10 * MINUTE });
    },
  },
  {
    promise: 'ends instead of being claimed when its time is over',
    hold(rule) {
      const waiting = story(rule);
      expect(waiting.after(24 * HOUR, CLAIM)).toStrictEqual({
        changed: { state: 'failed', code: 'TASK_TIMEOUT', endedAt: BEGIN + 24 * HOUR, seq: 1 },
        effects: [PUSH('failed')],
      });
      const held = running(rule, { timeoutMs: 30 * SECOND });
      expect(held.after(31 * SECOND - 1, CLAIM)).toEqual({ ignore: 'leased' });
      expect(held.after(31 * SECOND, CLAIM)).toMatchObject({ changed: { state: 'failed', code: 'TASK_TIMEOUT' } });
    },
  },
  {
    promise: 'is not taken by a second worker while the first one is asked to stop, but ends when that one is gone',
    hold(rule) {
      const told = running(rule);
      told.meets(CANCEL);
      expect(told.meets(CLAIM)).toEqual({ ignore: 'leased' });
      expect(told.after(61 * SECOND, CLAIM)).toMatchObject({ changed: { state: 'cancelled', code: 'TASK_CANCELLED' } });
      expect(told.task().attempt).toBe(1);
    },
  },
  {
    promise: 'ends at the fifth attempt in a row that vanished, also when a claim finds it so',
    hold(rule) {
      const told = running(rule);
      for (let lost = 1; lost < 5; lost++) {
        told.pass(MINUTE);
        expect(told.meets(CLAIM)).toMatchObject({ changed: { attempt: lost + 1, vanished: lost } });
      }
      told.pass(MINUTE);
      expect(told.meets(CLAIM)).toStrictEqual({
        changed: {
          state: 'failed',
          code: 'PROCESSING_FAILED',
          vanished: 5,
          endedAt: told.now(),
          leaseUntil: undefined,
          seq: 6,
        },
        effects: [PUSH('failed')],
      });
    },
  },
  {
    promise: 'is free at once when the one process that held it has begun anew',
    hold(rule) {
      const told = running(rule);
      expect(told.after(2 * SECOND, RESTART)).toStrictEqual({
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
      expect(told.meets(RESTART)).toStrictEqual({
        changed: { hints: 1, hintAt: told.now() + 2 * MINUTE },
        effects: [REMINDER()],
      });
    },
  },
  {
    promise: 'waits longer after each restart that strikes it, so that a row of restarts does not use up its attempts',
    hold(rule) {
      const told = running(rule);
      for (const [at, wait] of [0, 5, 30, 60].entries()) {
        expect(told.meets(RESTART)).toMatchObject({
          changed: { state: 'queued', queuedAt: told.now() + wait * SECOND, vanished: at + 1 },
          effects: [HINT(wait)],
        });
        if (wait > 0) expect(told.meets(CLAIM)).toEqual({ ignore: 'notDue' });
        told.pass(wait * SECOND);
        expect(told.meets(CLAIM)).toMatchObject({ changed: { state: 'running' } });
      }
      expect(told.meets(RESTART)).toMatchObject({ changed: { state: 'failed', vanished: 5 } });
    },
  },
];
