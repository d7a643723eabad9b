/** How the one event of a task that ended is delivered. */
import { expect } from 'vitest';
import type { TaskDelivery } from '../../shared/tasks/task.ts';
import {
  BEGIN,
  CLAIM,
  delivering,
  HINT_SENDER,
  hookOf,
  MINUTE,
  type Promised,
  PUSH,
  RESTART,
  running,
  SECOND,
  SEND,
  type Story,
  sent,
  succeeds,
  TICK,
  tells,
} from './story.ts';

const NOT_DUE = { ignore: 'notDue' };
const STALE = { ignore: 'stale' };
const ENDED = BEGIN + 2 * SECOND;

const becomes = (hook: TaskDelivery, ...effects: ReturnType<typeof HINT_SENDER>[]) => ({ changed: { hook }, effects });

/** Sends in vain until that many tries are behind it; each next one is due when the last one ends. */
function tried(told: Story, times: number): void {
  for (let tries = 1; tries <= times; tries++) {
    told.pass(SECOND);
    told.meets(SEND);
    told.meets(sent(tries, { retryAt: told.now() }));
  }
}

export const DELIVERING: readonly Promised[] = [
  {
    promise: 'has nothing to send while it is not ended, or when nobody is to be told',
    hold(rule) {
      const open = running(rule, { hasHook: true });
      expect([open.meets(SEND), open.meets(sent(0))]).toEqual([NOT_DUE, NOT_DUE]);
      const silent = running(rule);
      silent.meets(succeeds(1));
      for (const event of [SEND, sent(0), TICK, RESTART]) expect(silent.meets(event)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'is sent by one of two senders, for a minute',
    hold(rule) {
      const told = delivering(rule);
      expect(told.meets(SEND)).toStrictEqual(
        becomes({ state: 'sending', tries: 1, nextAt: ENDED, leaseUntil: ENDED + MINUTE }),
      );
      told.pass(MINUTE);
      expect(told.meets(SEND)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'is claimed by the write that ends the task, when its worker sends it',
    hold(rule) {
      const told = running(rule, { hasHook: true });
      told.pass(SECOND);
      expect(told.meets(tells(1))).toStrictEqual({
        changed: {
          state: 'succeeded',
          leaseUntil: undefined,
          endedAt: ENDED,
          progress: 100,
          resultOf: 1,
          seq: 2,
          hook: { state: 'sending', tries: 1, nextAt: ENDED, leaseUntil: ENDED + MINUTE },
        },
        effects: [PUSH('completed')],
      });
      expect(told.meets(SEND)).toEqual(NOT_DUE);
      expect(told.meets(sent(1))).toStrictEqual(becomes({ state: 'delivered', tries: 1, nextAt: ENDED }));
    },
  },
  {
    promise: 'is hinted to a sender once the lease of a worker that sends it has lapsed',
    hold(rule) {
      const told = running(rule, { hasHook: true });
      told.pass(SECOND);
      told.meets(tells(1));
      told.pass(MINUTE - 1);
      expect(told.meets(TICK)).toEqual(NOT_DUE);
      told.pass(1);
      expect(told.meets(TICK)).toMatchObject({ effects: [HINT_SENDER()] });
      expect(told.meets(sent(1))).toEqual(STALE);
    },
  },
  {
    promise: 'is nobody’s when nobody is to be told, whoever would send it',
    hold(rule) {
      const told = running(rule);
      expect(told.meets(tells(1))).toMatchObject({ effects: [PUSH('completed')] });
      expect(hookOf(told)).toBeUndefined();
    },
  },
  {
    promise: 'of a run is hinted when that is set apart, whoever would send it',
    hold(rule) {
      const told = running(rule, { hasHook: true, recurs: 'd 120000 UTC', firstAt: BEGIN });
      expect(told.meets(tells(1))).toMatchObject({ effects: [PUSH('completed')] });
      expect(hookOf(told)).toMatchObject({ state: 'due', tries: 0 });
    },
  },
  {
    promise: 'keeps what it was told of the attempt that was taken, also when it is delivered anew',
    hold(rule) {
      const told = delivering(rule);
      told.meets(SEND);
      told.meets({ type: 'sent', tries: 1, outcome: 'delivered', taken: [ENDED, 6, 200] });
      expect(hookOf(told)).toStrictEqual({ state: 'delivered', tries: 1, nextAt: ENDED, taken: [ENDED, 6, 200] });
      told.meets({ type: 'redeliver' });
      expect(hookOf(told)).toMatchObject({ state: 'due', taken: [ENDED, 6, 200] });
    },
  },
  {
    promise: 'is delivered once and for all',
    hold(rule) {
      const told = delivering(rule);
      told.meets(SEND);
      expect(told.meets(sent(1))).toStrictEqual(becomes({ state: 'delivered', tries: 1, nextAt: ENDED }));
      told.pass(MINUTE);
      for (const event of [SEND, TICK, RESTART]) expect(told.meets(event)).toEqual(NOT_DUE);
      expect(told.meets(sent(1))).toEqual(STALE);
    },
  },
  {
    promise: 'is given up when the address is refused',
    hold(rule) {
      const told = delivering(rule);
      told.meets(SEND);
      expect(told.meets(sent(1, 'refused'))).toStrictEqual(becomes({ state: 'exhausted', tries: 1, nextAt: ENDED }));
      told.pass(MINUTE);
      for (const event of [SEND, TICK, RESTART]) expect(told.meets(event)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'is sent again when it is due, by a message that the queue holds back for 15 minutes at most',
    hold(rule) {
      const waits: [number, number[]][] = [
        [-SECOND, [0]],
        [5 * SECOND + 1, [6]],
        [15 * MINUTE, [900]],
        [15 * MINUTE + 1, []],
      ];
      for (const [wait, seconds] of waits) {
        const told = delivering(rule);
        told.meets(SEND);
        const retryAt = told.now() + wait;
        expect(told.meets(sent(1, { retryAt })), String(wait)).toStrictEqual(
          becomes({ state: 'due', tries: 1, nextAt: retryAt }, ...seconds.map(HINT_SENDER)),
        );
      }
    },
  },
  {
    promise: 'is not sent before it is due, however often it is hinted at or looked at',
    hold(rule) {
      const told = delivering(rule);
      told.meets(SEND);
      told.meets(sent(1, { retryAt: ENDED + 5 * MINUTE }));
      told.pass(5 * MINUTE - 1);
      for (const event of [SEND, TICK]) expect(told.meets(event)).toEqual(NOT_DUE);
      told.pass(1);
      expect(told.meets(SEND)).toMatchObject({ changed: { hook: { state: 'sending', tries: 2 } } });
    },
  },
  {
    promise: 'is hinted again for its time when the one process that held all hints starts again',
    hold(rule) {
      const waits: [number, number[]][] = [
        [5 * MINUTE, [300]],
        [15 * MINUTE, [900]],
      ];
      for (const [wait, seconds] of waits) {
        const told = delivering(rule);
        told.meets(SEND);
        told.meets(sent(1, { retryAt: told.now() + wait }));
        expect(told.meets(RESTART)).toStrictEqual({ changed: {}, effects: seconds.map(HINT_SENDER) });
      }
      const told = delivering(rule);
      told.meets(SEND);
      told.meets(sent(1, { retryAt: told.now() + 15 * MINUTE + 1 }));
      expect(told.meets(RESTART)).toEqual(NOT_DUE);
    },
  },
  {
    promise: 'is hinted again by each look and each new start from the moment it is due',
    hold(rule) {
      for (const event of [TICK, RESTART]) {
        const told = delivering(rule);
        told.pass(MINUTE);
        expect(told.meets(event)).toStrictEqual(
          becomes({ state: 'due', tries: 0, nextAt: ENDED + MINUTE }, HINT_SENDER()),
        );
      }
    },
  },
  {
    promise: 'is due again when its sender is late, and that sender changes nothing any more',
    hold(rule) {
      const told = delivering(rule);
      told.meets(SEND);
      told.pass(MINUTE - 1);
      expect(told.meets(TICK)).toEqual(NOT_DUE);
      told.pass(1);
      expect(told.meets(TICK)).toStrictEqual(
        becomes({ state: 'due', tries: 1, nextAt: ENDED + MINUTE }, HINT_SENDER()),
      );
      expect(told.meets(sent(1))).toEqual(STALE);
      told.meets(SEND);
      expect(told.meets(sent(1, 'refused'))).toEqual(STALE);
      expect(told.meets(sent(2))).toMatchObject({ changed: { hook: { state: 'delivered', tries: 2 } } });
    },
  },
  {
    promise: 'is due again at once when the one process that sent it has begun anew',
    hold(rule) {
      const told = delivering(rule);
      told.meets(SEND);
      told.pass(1);
      expect(told.meets(RESTART)).toStrictEqual(becomes({ state: 'due', tries: 1, nextAt: ENDED + 1 }, HINT_SENDER()));
    },
  },
  {
    promise: 'is tried ten times and then given up',
    hold(rule) {
      const told = delivering(rule);
      tried(told, 9);
      expect(hookOf(told)).toMatchObject({ state: 'due', tries: 9 });
      told.meets(SEND);
      expect(told.meets(sent(10, { retryAt: told.now() }))).toMatchObject({
        changed: { hook: { state: 'exhausted', tries: 10 } },
        effects: [],
      });
      const delivered = delivering(rule);
      tried(delivered, 9);
      delivered.meets(SEND);
      expect(delivered.meets(sent(10))).toMatchObject({ changed: { hook: { state: 'delivered', tries: 10 } } });
    },
  },
  {
    promise: 'is given up also when the tenth sender is gone without a word, and not before',
    hold(rule) {
      for (const event of [TICK, RESTART]) {
        const told = delivering(rule);
        tried(told, 8);
        told.meets(SEND);
        told.pass(MINUTE);
        expect(told.meets(event)).toMatchObject({ changed: { hook: { state: 'due', tries: 9 } } });
        told.meets(SEND);
        const { nextAt } = hookOf(told) as TaskDelivery;
        told.pass(MINUTE);
        expect(told.meets(event)).toStrictEqual(becomes({ state: 'exhausted', tries: 10, nextAt }));
      }
    },
  },
  {
    promise: 'never changes the state of its task',
    hold(rule) {
      const told = delivering(rule);
      const { hook: _, ...before } = told.task();
      tried(told, 10);
      told.meets(CLAIM);
      const { hook, ...after } = told.task();
      expect(after).toEqual(before);
      expect(hook?.state).toBe('exhausted');
    },
  },
];
