/** How a delivery is put off behind a failing receiver, and how somebody has it sent once more. */
import { expect } from 'vitest';
import type { TaskEvent } from '../../shared/tasks/decide.ts';
import type { Hook, Task } from '../../shared/tasks/task.ts';
import type { Rule } from './rule.ts';
import { BEGIN, HINT_SENDER, MINUTE, type Promised, SECOND, SEND, sent, TICK } from './story.ts';

const NOW = BEGIN + MINUTE;
const REDELIVER: TaskEvent = { type: 'redeliver' };
const putOff = (until: number): TaskEvent => ({ type: 'postpone', until });

const endedWith = (rule: Rule, hook: Hook): Task => ({
  ...rule.newTask({ face: 'agents', type: 'made', priority: 5, now: BEGIN, hasHook: true }),
  state: 'succeeded',
  endedAt: BEGIN + SECOND,
  hook,
});

function moved(rule: Rule, task: Task, event: TaskEvent, now = NOW) {
  const decision = rule.decide(task, event, now);
  if ('ignore' in decision) throw new Error(decision.ignore);
  return { task: decision.next, hook: decision.next.hook, effects: decision.effects };
}

const due: Hook = { state: 'due', tries: 3, nextAt: NOW };

export const REDELIVERING: readonly Promised[] = [
  {
    promise: 'is due at once when somebody wants it sent again, with a whole plan and numbers that go on',
    hold(rule) {
      const before: Hook[] = [
        { state: 'delivered', tries: 1, nextAt: NOW - MINUTE },
        { state: 'exhausted', tries: 10, nextAt: NOW - MINUTE },
        { state: 'due', tries: 3, nextAt: NOW + MINUTE },
        { state: 'sending', tries: 2, nextAt: NOW - MINUTE, leaseUntil: NOW },
        { state: 'exhausted', tries: 20, nextAt: NOW - MINUTE, planFrom: 10 },
      ];
      for (const hook of before) {
        const again = moved(rule, endedWith(rule, hook), REDELIVER);
        expect(again.effects).toEqual([HINT_SENDER()]);
        const { tries } = hook;
        expect(again.hook).toEqual({ state: 'due', tries, nextAt: NOW, planFrom: tries, isNext: true });
        let { task } = again;
        for (let made = 1; made <= 10; made++) {
          task = moved(rule, task, SEND).task;
          expect(task.hook).toMatchObject({ state: 'sending', tries: tries + made });
          task = moved(rule, task, sent(tries + made, { retryAt: NOW })).task;
        }
        expect(task.hook).toMatchObject({ state: 'exhausted', tries: tries + 10 });
      }
    },
  },
  {
    promise: 'is not sent again while an attempt is under way',
    hold(rule) {
      const sending: Hook = { state: 'sending', tries: 2, nextAt: NOW, leaseUntil: NOW + 1 };
      expect(rule.decide(endedWith(rule, sending), REDELIVER, NOW)).toEqual({ ignore: 'leased' });
    },
  },
  {
    promise: 'is not sent again before the end, or when nobody is to be told',
    hold(rule) {
      const { hook: _hook, ...silent } = endedWith(rule, due);
      const open = rule.newTask({ face: 'agents', type: 'made', priority: 5, now: NOW, hasHook: true });
      for (const task of [silent, open]) expect(rule.decide(task, REDELIVER, NOW)).toEqual({ ignore: 'notDue' });
    },
  },
  {
    promise: 'leaves the task as it is when it is sent again',
    hold(rule) {
      const { hook: _before, ...before } = endedWith(rule, due);
      const { hook: _after, ...after } = moved(rule, endedWith(rule, due), REDELIVER).task;
      expect(after).toEqual(before);
    },
  },
  {
    promise: 'is put off without using an attempt up, and hinted for then',
    hold(rule) {
      const later = moved(rule, endedWith(rule, due), putOff(NOW + 30_500));
      expect(later.hook).toEqual({ state: 'due', tries: 3, nextAt: NOW + 30_500, isNext: true });
      expect(later.effects).toEqual([HINT_SENDER(31)]);
      const { task } = moved(rule, later.task, SEND, NOW + 30_500);
      expect(task.hook).toEqual({ state: 'sending', tries: 4, nextAt: NOW + 30_500, leaseUntil: NOW + 90_500 });
    },
  },
  {
    promise: 'keeps its place and its plan while its hint is lost',
    hold(rule) {
      const postponed = moved(rule, endedWith(rule, { ...due, planFrom: 2 }), putOff(NOW + SECOND)).task;
      const looked = moved(rule, postponed, TICK, NOW + MINUTE + SECOND);
      expect(looked.hook).toEqual({ state: 'due', tries: 3, nextAt: NOW + MINUTE + SECOND, planFrom: 2, isNext: true });
    },
  },
  {
    promise: 'is put off only when it is due now',
    hold(rule) {
      const others: Hook[] = [
        { state: 'due', tries: 1, nextAt: NOW + 1 },
        { state: 'sending', tries: 1, nextAt: NOW, leaseUntil: NOW + 1 },
        { state: 'delivered', tries: 1, nextAt: NOW },
      ];
      for (const hook of others) {
        expect(rule.decide(endedWith(rule, hook), putOff(NOW + 9), NOW)).toEqual({ ignore: 'notDue' });
      }
    },
  },
];
