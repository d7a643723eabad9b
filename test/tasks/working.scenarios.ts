/** What a worker that has a task may do with it. */
import { expect } from 'vitest';
import {
  BEGIN,
  beat,
  CANCEL,
  CLAIM,
  FORCE,
  fails,
  fault,
  HINT,
  HINT_SENDER,
  HOUR,
  MINUTE,
  type Promised,
  PUSH,
  running,
  SECOND,
  succeeds,
  TICK,
  yields,
} from './story.ts';

export const WORKING: readonly Promised[] = [
  {
    promise: 'does not end before it was made when the clock is set back while it runs',
    hold(rule) {
      for (const end of [succeeds(1), fails(1), FORCE]) {
        const told = running(rule);
        told.after(-HOUR, end);
        expect(told.task()).toMatchObject({ createdAt: BEGIN, endedAt: BEGIN });
      }
    },
  },
  {
    promise: 'keeps its worker for another minute with each beat, and tells its watchers',
    hold(rule) {
      const told = running(rule);
      expect(told.after(21 * SECOND, beat(1, { progress: 12.9, tokens: 700, stage: 'reading' }))).toStrictEqual({
        changed: { leaseUntil: BEGIN + 81 * SECOND, progress: 12, tokens: 700, stage: 'reading', seq: 2 },
        effects: [PUSH('progress')],
      });
      expect(told.after(41 * SECOND, beat(1))).toStrictEqual({
        changed: { leaseUntil: BEGIN + 101 * SECOND, seq: 3 },
        effects: [PUSH('progress')],
      });
    },
  },
  {
    promise: 'never shows less progress than before, and 100 only when it succeeds',
    hold(rule) {
      const told = running(rule);
      told.meets(beat(1));
      expect(told.task().progress).toBe(0);
      told.meets(beat(1, { progress: 40 }));
      told.meets(beat(1, { progress: 30 }));
      expect(told.task().progress).toBe(40);
      told.meets(beat(1, { progress: 250 }));
      expect(told.task().progress).toBe(99);
      told.meets(succeeds(1));
      expect(told.task().progress).toBe(100);
    },
  },
  {
    promise: 'notes a checkpoint with the attempt that kept it, and none that lies behind it',
    hold(rule) {
      const told = running(rule);
      expect(told.meets(beat(1, { checkpoint: 2 }))).toMatchObject({ changed: { checkpoint: 2, checkpointOf: 1 } });
      told.meets(yields(1));
      told.meets(CLAIM);
      for (const checkpoint of [2, 1]) {
        told.meets(beat(2, { checkpoint }));
        expect(told.task()).toMatchObject({ checkpoint: 2, checkpointOf: 1 });
      }
      expect(told.meets(beat(2, { checkpoint: 3 }))).toMatchObject({ changed: { checkpoint: 3, checkpointOf: 2 } });
    },
  },
  {
    promise: 'counts attempts that vanished anew from each new checkpoint on, not from a mere beat',
    hold(rule) {
      const told = running(rule);
      told.pass(MINUTE);
      told.meets(CLAIM);
      told.meets(beat(2));
      expect(told.task().vanished).toBe(1);
      told.meets(beat(2, { checkpoint: 1 }));
      expect(told.task().vanished).toBe(0);
    },
  },
  {
    promise: 'ends at a beat that comes when its time is over',
    hold(rule) {
      const told = running(rule, { timeoutMs: 30 * SECOND });
      expect(told.after(31 * SECOND - 1, beat(1))).toMatchObject({ effects: [PUSH('progress')] });
      expect(told.after(31 * SECOND, beat(1))).toStrictEqual({
        changed: {
          state: 'failed',
          code: 'TASK_TIMEOUT',
          endedAt: BEGIN + 31 * SECOND,
          leaseUntil: undefined,
          seq: 3,
        },
        effects: [PUSH('failed')],
      });
    },
  },
  {
    promise: 'goes back to the queue without a failure when its worker hands it over',
    hold(rule) {
      const told = running(rule);
      expect(told.after(10 * SECOND, yields(1))).toStrictEqual({
        changed: {
          state: 'queued',
          queuedAt: BEGIN + 10 * SECOND,
          hintAt: BEGIN + 70 * SECOND,
          leaseUntil: undefined,
          claimedAt: undefined,
          past: [[1, SECOND, 10 * SECOND, 'yielded']],
        },
        effects: [HINT()],
      });
    },
  },
  {
    promise: 'waits 5 and then 30 seconds after an attempt that ended in an error, and ends at the third',
    hold(rule) {
      const told = running(rule);
      expect(told.meets(fault(1))).toStrictEqual({
        changed: {
          state: 'queued',
          failures: 1,
          queuedAt: BEGIN + 6 * SECOND,
          hintAt: BEGIN + 66 * SECOND,
          leaseUntil: undefined,
          claimedAt: undefined,
          past: [[1, SECOND, SECOND, 'MODEL_UNAVAILABLE']],
        },
        effects: [HINT(5)],
      });
      told.after(MINUTE, CLAIM);
      expect(told.meets(fault(2))).toMatchObject({
        changed: { failures: 2, queuedAt: BEGIN + 90 * SECOND },
        effects: [HINT(30)],
      });
      told.after(2 * MINUTE, CLAIM);
      expect(told.meets(fault(3))).toStrictEqual({
        changed: {
          state: 'failed',
          code: 'MODEL_UNAVAILABLE',
          failures: 3,
          resultOf: 3,
          endedAt: BEGIN + 2 * MINUTE,
          leaseUntil: undefined,
          seq: 4,
        },
        effects: [PUSH('failed')],
      });
    },
  },
  {
    promise: 'counts attempts that vanished and attempts that failed apart',
    hold(rule) {
      const told = running(rule);
      told.meets(fault(1));
      told.after(MINUTE, CLAIM);
      told.after(2 * MINUTE, TICK);
      told.meets(CLAIM);
      told.meets(fault(3));
      expect(told.task()).toMatchObject({ state: 'queued', failures: 2, vanished: 1 });
    },
  },
  {
    promise: 'ends with the result of the attempt that finished it',
    hold(rule) {
      const told = running(rule, { hasHook: true });
      expect(told.after(2 * SECOND, succeeds(1))).toStrictEqual({
        changed: {
          state: 'succeeded',
          endedAt: BEGIN + 2 * SECOND,
          progress: 100,
          resultOf: 1,
          leaseUntil: undefined,
          seq: 2,
          hook: { state: 'due', tries: 0, nextAt: BEGIN + 2 * SECOND },
        },
        effects: [PUSH('completed'), HINT_SENDER()],
      });
    },
  },
  {
    promise: 'fails at once when its worker says that no repeat would help, and keeps its progress',
    hold(rule) {
      const told = running(rule);
      told.meets(beat(1, { progress: 40 }));
      expect(told.meets(fails(1))).toStrictEqual({
        changed: {
          state: 'failed',
          code: 'FILE_UNAVAILABLE',
          endedAt: BEGIN + SECOND,
          resultOf: 1,
          leaseUntil: undefined,
          seq: 3,
        },
        effects: [PUSH('failed')],
      });
    },
  },
  {
    promise: 'ends cancelled, whatever its worker says, once a wish to cancel was accepted',
    hold(rule) {
      const ways = { yields: yields(1), succeeds: succeeds(1), fails: fails(1), fault: fault(1) };
      for (const [way, event] of Object.entries(ways)) {
        const told = running(rule);
        told.meets(CANCEL);
        const resultOf = way === 'yields' ? {} : { resultOf: 1 };
        expect(told.meets(event), way).toStrictEqual({
          changed: {
            state: 'cancelled',
            code: 'TASK_CANCELLED',
            endedAt: BEGIN + SECOND,
            leaseUntil: undefined,
            seq: 3,
            ...resultOf,
          },
          effects: [PUSH('failed')],
        });
      }
    },
  },
  {
    promise: 'remembers its three newest attempts that did not end it',
    hold(rule) {
      const told = running(rule, { timeoutMs: 4 * HOUR });
      for (let attempt = 1; attempt <= 6; attempt++) {
        told.meets(yields(attempt));
        told.meets(CLAIM);
      }
      expect(told.task().past?.map(([attempt]) => attempt)).toEqual([4, 5, 6]);
    },
  },
];
