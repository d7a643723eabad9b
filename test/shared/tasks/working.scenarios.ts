/** What a worker may do with a task that it has claimed. */
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
  PUSH,
  type RuleScenario,
  running,
  SECOND,
  succeeds,
  TICK,
  yields,
} from './task-scenario.ts';

export const WORKING: readonly RuleScenario[] = [
  {
    promise: 'does not end before its creation when the clock is set back while it runs',
    check(rule) {
      for (const end of [succeeds(1), fails(1), FORCE]) {
        const subject = running(rule);
        subject.applyAt(-HOUR, end);
        expect(subject.task()).toMatchObject({ createdAt: BEGIN, endedAt: BEGIN });
      }
    },
  },
  {
    promise: "renews the worker's lease for a minute with each heartbeat, and pushes to watchers",
    check(rule) {
      const subject = running(rule);
      expect(subject.applyAt(21 * SECOND, beat(1, { progress: 12.9, tokens: 700, stage: 'reading' }))).toStrictEqual({
        changed: { leaseUntil: BEGIN + 81 * SECOND, progress: 12, tokens: 700, stage: 'reading', seq: 2 },
        effects: [PUSH('progress')],
      });
      expect(subject.applyAt(41 * SECOND, beat(1))).toStrictEqual({
        changed: { leaseUntil: BEGIN + 101 * SECOND, seq: 3 },
        effects: [PUSH('progress')],
      });
    },
  },
  {
    promise: 'never shows less progress than before, and 100 only when it succeeds',
    check(rule) {
      const subject = running(rule);
      subject.meets(beat(1));
      expect(subject.task().progress).toBe(0);
      subject.meets(beat(1, { progress: 40 }));
      subject.meets(beat(1, { progress: 30 }));
      expect(subject.task().progress).toBe(40);
      subject.meets(beat(1, { progress: 250 }));
      expect(subject.task().progress).toBe(99);
      subject.meets(succeeds(1));
      expect(subject.task().progress).toBe(100);
    },
  },
  {
    promise: 'records a checkpoint with its attempt, and ignores an older checkpoint',
    check(rule) {
      const subject = running(rule);
      expect(subject.meets(beat(1, { checkpoint: 2 }))).toMatchObject({ changed: { checkpoint: 2, checkpointOf: 1 } });
      subject.meets(yields(1));
      subject.meets(CLAIM);
      for (const checkpoint of [2, 1]) {
        subject.meets(beat(2, { checkpoint }));
        expect(subject.task()).toMatchObject({ checkpoint: 2, checkpointOf: 1 });
      }
      expect(subject.meets(beat(2, { checkpoint: 3 }))).toMatchObject({ changed: { checkpoint: 3, checkpointOf: 2 } });
    },
  },
  {
    promise: 'records where the newest activity is with a checkpoint, and keeps it until a later one',
    check(rule) {
      const subject = running(rule);
      subject.meets(beat(1, { checkpoint: 1, eventsIn: '1#1' }));
      subject.meets(beat(1, { checkpoint: 2 }));
      expect(subject.task()).toMatchObject({ checkpoint: 2, eventsIn: '1#1' });
      subject.meets(beat(1, { checkpoint: 2, eventsIn: '2#1' }));
      expect(subject.task().eventsIn).toBe('1#1');
      subject.meets(beat(1, { checkpoint: 3, eventsIn: '3#1' }));
      expect(subject.task().eventsIn).toBe('3#1');
    },
  },
  {
    promise:
      'replaces the checkpoint by the first one of an attempt that began anew, and by later ones only if they are higher',
    check(rule) {
      const subject = running(rule);
      subject.meets(beat(1, { checkpoint: 2 }));
      subject.meets(yields(1));
      subject.meets(CLAIM);
      subject.meets(beat(2, { beganAnew: true }));
      expect(subject.task()).toMatchObject({ checkpoint: 2, checkpointOf: 1 });
      subject.meets(beat(2, { checkpoint: 1, beganAnew: true }));
      expect(subject.task()).toMatchObject({ checkpoint: 1, checkpointOf: 2 });
      for (const checkpoint of [3, 2]) {
        subject.meets(beat(2, { checkpoint, beganAnew: true }));
        expect(subject.task()).toMatchObject({ checkpoint: 3, checkpointOf: 2 });
      }
    },
  },
  {
    promise: 'resets the count of vanished attempts at each new checkpoint, not at a heartbeat',
    check(rule) {
      const subject = running(rule);
      subject.pass(MINUTE);
      subject.meets(CLAIM);
      subject.meets(beat(2));
      expect(subject.task().vanished).toBe(1);
      subject.meets(beat(2, { checkpoint: 1 }));
      expect(subject.task().vanished).toBe(0);
    },
  },
  {
    promise: 'ends at a heartbeat after its deadline',
    check(rule) {
      const subject = running(rule, { timeoutMs: 30 * SECOND });
      expect(subject.applyAt(31 * SECOND - 1, beat(1))).toMatchObject({ effects: [PUSH('progress')] });
      expect(subject.applyAt(31 * SECOND, beat(1))).toStrictEqual({
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
    promise: 'returns to the queue without a failure when its worker hands it over',
    check(rule) {
      const subject = running(rule);
      expect(subject.applyAt(10 * SECOND, yields(1))).toStrictEqual({
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
    promise: 'backs off 5 and then 30 seconds after a failed attempt, and fails at the third',
    check(rule) {
      const subject = running(rule);
      expect(subject.meets(fault(1))).toStrictEqual({
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
      subject.applyAt(MINUTE, CLAIM);
      expect(subject.meets(fault(2))).toMatchObject({
        changed: { failures: 2, queuedAt: BEGIN + 90 * SECOND },
        effects: [HINT(30)],
      });
      subject.applyAt(2 * MINUTE, CLAIM);
      expect(subject.meets(fault(3))).toStrictEqual({
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
    promise: 'counts vanished and failed attempts separately',
    check(rule) {
      const subject = running(rule);
      subject.meets(fault(1));
      subject.applyAt(MINUTE, CLAIM);
      subject.applyAt(2 * MINUTE, TICK);
      subject.meets(CLAIM);
      subject.meets(fault(3));
      expect(subject.task()).toMatchObject({ state: 'queued', failures: 2, vanished: 1 });
    },
  },
  {
    promise: 'ends with the result of the attempt that finished it',
    check(rule) {
      const subject = running(rule, { hasWebhook: true });
      expect(subject.applyAt(2 * SECOND, succeeds(1))).toStrictEqual({
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
    promise: 'fails immediately on a permanent failure, and keeps its progress',
    check(rule) {
      const subject = running(rule);
      subject.meets(beat(1, { progress: 40 }));
      expect(subject.meets(fails(1))).toStrictEqual({
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
    promise: "ends cancelled, regardless of its worker's result, after a cancel request was accepted",
    check(rule) {
      const ways = { yields: yields(1), succeeds: succeeds(1), fails: fails(1), fault: fault(1) };
      for (const [way, event] of Object.entries(ways)) {
        const subject = running(rule);
        subject.meets(CANCEL);
        const resultOf = way === 'yields' ? {} : { resultOf: 1 };
        expect(subject.meets(event), way).toStrictEqual({
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
    promise: 'remembers its three newest unfinished attempts',
    check(rule) {
      const subject = running(rule, { timeoutMs: 4 * HOUR });
      for (let attempt = 1; attempt <= 6; attempt++) {
        subject.meets(yields(attempt));
        subject.meets(CLAIM);
      }
      expect(subject.task().past?.map(([attempt]) => attempt)).toEqual([4, 5, 6]);
    },
  },
];
