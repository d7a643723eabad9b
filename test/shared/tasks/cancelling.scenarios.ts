/** Cancelling a task. */
import { expect } from 'vitest';
import {
  BEGIN,
  beat,
  CANCEL,
  FORCE,
  HINT_SENDER,
  PUSH,
  RESTART,
  type RuleScenario,
  running,
  SECOND,
  story,
  succeeds,
  TICK,
} from './task-scenario.ts';

const CANCELLED = { state: 'cancelled', code: 'TASK_CANCELLED' };

export const CANCELLING: readonly RuleScenario[] = [
  {
    promise: 'is cancelled immediately while it waits, forced or not',
    check(rule) {
      for (const event of [CANCEL, FORCE]) {
        const subject = story(rule, { hasWebhook: true });
        expect(subject.applyAt(SECOND, event)).toStrictEqual({
          changed: {
            ...CANCELLED,
            endedAt: BEGIN + SECOND,
            seq: 1,
            hook: { state: 'due', tries: 0, nextAt: BEGIN + SECOND },
          },
          effects: [PUSH('failed'), HINT_SENDER()],
        });
      }
    },
  },
  {
    promise: 'records a cancel request while it runs, and continues to its next safe point',
    check(rule) {
      const subject = running(rule);
      expect(subject.applyAt(2 * SECOND, CANCEL)).toStrictEqual({
        changed: { cancelAt: BEGIN + 2 * SECOND, seq: 2 },
        effects: [],
      });
      expect(subject.applyAt(5 * SECOND, beat(1))).toMatchObject({ effects: [PUSH('progress')] });
      expect(subject.applyAt(9 * SECOND, CANCEL)).toEqual({ ignore: 'cancelling' });
      expect(subject.task().cancelAt).toBe(BEGIN + 2 * SECOND);
    },
  },
  {
    promise: 'ends at a heartbeat or look one minute after the cancel request when no safe point came',
    check(rule) {
      for (const event of [beat(1), TICK]) {
        const subject = running(rule);
        subject.applyAt(2 * SECOND, CANCEL);
        subject.applyAt(30 * SECOND, beat(1));
        subject.applyAt(62 * SECOND - 1, event);
        expect(subject.task().state).toBe('running');
        expect(subject.applyAt(62 * SECOND, event)).toMatchObject({ changed: CANCELLED });
      }
    },
  },
  {
    promise: 'ends immediately by force while it runs, and rejects the worker that still runs it',
    check(rule) {
      for (const before of [[], [CANCEL]]) {
        const subject = running(rule);
        for (const event of before) subject.meets(event);
        expect(subject.meets(FORCE)).toStrictEqual({
          changed: {
            ...CANCELLED,
            attempt: 2,
            endedAt: BEGIN + SECOND,
            leaseUntil: undefined,
            seq: 2 + before.length,
          },
          effects: [PUSH('failed')],
        });
        expect(subject.meets(succeeds(1))).toEqual({ ignore: 'final' });
        expect(subject.meets(succeeds(2))).toEqual({ ignore: 'final' });
      }
    },
  },
  {
    promise: 'answers a repeated or late cancel with the current state',
    check(rule) {
      const subject = story(rule);
      subject.meets(CANCEL);
      expect([subject.meets(CANCEL), subject.meets(FORCE)]).toEqual([{ ignore: 'final' }, { ignore: 'final' }]);
      const finished = running(rule);
      finished.meets(succeeds(1));
      expect([finished.meets(CANCEL), finished.meets(FORCE)]).toEqual([{ ignore: 'final' }, { ignore: 'final' }]);
    },
  },
  {
    promise: 'ends cancelled, not failed, when the worker that was asked to stop vanished or timed out',
    check(rule) {
      const gone = running(rule);
      gone.applyAt(2 * SECOND, CANCEL);
      expect(gone.applyAt(3 * SECOND, RESTART)).toMatchObject({ changed: CANCELLED });
      const lapsed = running(rule);
      lapsed.applyAt(2 * SECOND, CANCEL);
      expect(lapsed.applyAt(61 * SECOND, TICK)).toMatchObject({ changed: CANCELLED });
      for (const event of [TICK, beat(1)]) {
        const late = running(rule, { timeoutMs: 30 * SECOND });
        late.applyAt(2 * SECOND, CANCEL);
        expect(late.applyAt(31 * SECOND, event)).toMatchObject({ changed: CANCELLED });
      }
    },
  },
];
