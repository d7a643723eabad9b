/** How callers end a task. */
import { expect } from 'vitest';
import {
  BEGIN,
  beat,
  CANCEL,
  FORCE,
  HINT_SENDER,
  type Promised,
  PUSH,
  RESTART,
  running,
  SECOND,
  story,
  succeeds,
  TICK,
} from './story.ts';

const CANCELLED = { state: 'cancelled', code: 'TASK_CANCELLED' };

export const CANCELLING: readonly Promised[] = [
  {
    promise: 'is cancelled at once while it waits, forced or not',
    hold(rule) {
      for (const event of [CANCEL, FORCE]) {
        const told = story(rule, { hasHook: true });
        expect(told.after(SECOND, event)).toStrictEqual({
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
    promise: 'notes a wish to cancel while it runs, and goes on to its next safe point',
    hold(rule) {
      const told = running(rule);
      expect(told.after(2 * SECOND, CANCEL)).toStrictEqual({
        changed: { cancelAt: BEGIN + 2 * SECOND, seq: 2 },
        effects: [],
      });
      expect(told.after(5 * SECOND, beat(1))).toMatchObject({ effects: [PUSH('progress')] });
      expect(told.after(9 * SECOND, CANCEL)).toEqual({ ignore: 'cancelling' });
      expect(told.task().cancelAt).toBe(BEGIN + 2 * SECOND);
    },
  },
  {
    promise: 'ends a minute after the wish when no safe point came, at a beat or a look',
    hold(rule) {
      for (const event of [beat(1), TICK]) {
        const told = running(rule);
        told.after(2 * SECOND, CANCEL);
        told.after(30 * SECOND, beat(1));
        told.after(62 * SECOND - 1, event);
        expect(told.task().state).toBe('running');
        expect(told.after(62 * SECOND, event)).toMatchObject({ changed: CANCELLED });
      }
    },
  },
  {
    promise: 'ends at once by force while it runs, and keeps out the worker that still runs it',
    hold(rule) {
      for (const before of [[], [CANCEL]]) {
        const told = running(rule);
        for (const event of before) told.meets(event);
        expect(told.meets(FORCE)).toStrictEqual({
          changed: {
            ...CANCELLED,
            attempt: 2,
            endedAt: BEGIN + SECOND,
            leaseUntil: undefined,
            seq: 2 + before.length,
          },
          effects: [PUSH('failed')],
        });
        expect(told.meets(succeeds(1))).toEqual({ ignore: 'final' });
        expect(told.meets(succeeds(2))).toEqual({ ignore: 'final' });
      }
    },
  },
  {
    promise: 'answers a repeated or late cancel with what it is',
    hold(rule) {
      const told = story(rule);
      told.meets(CANCEL);
      expect([told.meets(CANCEL), told.meets(FORCE)]).toEqual([{ ignore: 'final' }, { ignore: 'final' }]);
      const done = running(rule);
      done.meets(succeeds(1));
      expect([done.meets(CANCEL), done.meets(FORCE)]).toEqual([{ ignore: 'final' }, { ignore: 'final' }]);
    },
  },
  {
    promise: 'ends cancelled, not failed, when the worker that was asked to stop is gone or its time is over',
    hold(rule) {
      const gone = running(rule);
      gone.after(2 * SECOND, CANCEL);
      expect(gone.after(3 * SECOND, RESTART)).toMatchObject({ changed: CANCELLED });
      const lapsed = running(rule);
      lapsed.after(2 * SECOND, CANCEL);
      expect(lapsed.after(61 * SECOND, TICK)).toMatchObject({ changed: CANCELLED });
      for (const event of [TICK, beat(1)]) {
        const late = running(rule, { timeoutMs: 30 * SECOND });
        late.after(2 * SECOND, CANCEL);
        expect(late.after(31 * SECOND, event)).toMatchObject({ changed: CANCELLED });
      }
    },
  },
];
