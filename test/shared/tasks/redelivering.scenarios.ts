/** Postponing a delivery to a failing receiver, and redelivery on request. */

import { expect } from 'vitest';
import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import type { Task, TaskDelivery } from '../../../shared/tasks/task.ts';
import { MAX_ATTEMPTS } from '../../../shared/tasks/webhook-plan.ts';
import type { TaskRules } from './task-rules.ts';
import { BEGIN, HINT_SENDER, MINUTE, type RuleScenario, SECOND, SEND, sentEvent, TICK } from './task-scenario.ts';

const NOW = BEGIN + MINUTE;
const REDELIVER: TaskEvent = { type: 'redeliver' };
const putOff = (until: number): TaskEvent => ({ type: 'postpone', until });
const forward = (at: number): TaskEvent => ({ type: 'bringForward', at });
const PROBE: TaskEvent = { type: 'sendClaim', isProbe: true };

const taskWithDelivery = (rule: TaskRules, delivery: TaskDelivery): Task => ({
  ...rule.newTask({ face: 'agents', type: 'made', priority: 5, now: BEGIN, hasWebhook: true }),
  state: 'succeeded',
  endedAt: BEGIN + SECOND,
  hook: delivery,
});

function applyEvent(rule: TaskRules, task: Task, event: TaskEvent, now = NOW) {
  const decision = rule.decide(task, event, now);
  if ('ignore' in decision) throw new Error(decision.ignore);
  return { task: decision.next, hook: decision.next.hook, effects: decision.effects };
}

const due: TaskDelivery = { state: 'due', tries: 3, nextAt: NOW };

export const REDELIVERING: readonly RuleScenario[] = [
  {
    promise: 'is due immediately on a redelivery request, with a full retry plan and continued numbers',
    check(rule) {
      const before: TaskDelivery[] = [
        { state: 'delivered', tries: 1, nextAt: NOW - MINUTE },
        { state: 'exhausted', tries: MAX_ATTEMPTS, nextAt: NOW - MINUTE },
        { state: 'due', tries: 3, nextAt: NOW + MINUTE },
        { state: 'sending', tries: 2, nextAt: NOW - MINUTE, leaseUntil: NOW },
        { state: 'exhausted', tries: 2 * MAX_ATTEMPTS, nextAt: NOW - MINUTE, planFrom: MAX_ATTEMPTS },
      ];
      for (const delivery of before) {
        const again = applyEvent(rule, taskWithDelivery(rule, delivery), REDELIVER);
        expect(again.effects).toEqual([HINT_SENDER()]);
        const { tries } = delivery;
        expect(again.hook).toEqual({ state: 'due', tries, nextAt: NOW, planFrom: tries, isNext: true });
        let { task } = again;
        for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
          task = applyEvent(rule, task, SEND).task;
          expect(task.hook).toMatchObject({ state: 'sending', tries: tries + attempt });
          task = applyEvent(rule, task, sentEvent(tries + attempt, { retryAt: NOW })).task;
        }
        expect(task.hook).toMatchObject({ state: 'exhausted', tries: tries + MAX_ATTEMPTS });
      }
    },
  },
  {
    promise: 'is not sent again while an attempt is under way',
    check(rule) {
      const sending: TaskDelivery = { state: 'sending', tries: 2, nextAt: NOW, leaseUntil: NOW + 1 };
      expect(rule.decide(taskWithDelivery(rule, sending), REDELIVER, NOW)).toEqual({ ignore: 'leased' });
    },
  },
  {
    promise: 'is not sent again before the end, or without a webhook',
    check(rule) {
      const { hook: _hook, ...silent } = taskWithDelivery(rule, due);
      const open = rule.newTask({ face: 'agents', type: 'made', priority: 5, now: NOW, hasWebhook: true });
      for (const task of [silent, open]) expect(rule.decide(task, REDELIVER, NOW)).toEqual({ ignore: 'notDue' });
    },
  },
  {
    promise: 'does not change the task when it is sent again',
    check(rule) {
      const { hook: _before, ...before } = taskWithDelivery(rule, due);
      const { hook: _after, ...after } = applyEvent(rule, taskWithDelivery(rule, due), REDELIVER).task;
      expect(after).toEqual(before);
    },
  },
  {
    promise: 'is postponed without using up an attempt, and hinted for its new time',
    check(rule) {
      const later = applyEvent(rule, taskWithDelivery(rule, due), putOff(NOW + 30_500));
      expect(later.hook).toEqual({ state: 'due', tries: 3, nextAt: NOW + 30_500, isNext: true });
      expect(later.effects).toEqual([HINT_SENDER(31)]);
      const { task } = applyEvent(rule, later.task, SEND, NOW + 30_500);
      expect(task.hook).toEqual({ state: 'sending', tries: 4, nextAt: NOW + 30_500, leaseUntil: NOW + 90_500 });
    },
  },
  {
    promise: 'keeps its position and its plan when its hint is lost',
    check(rule) {
      const postponed = applyEvent(rule, taskWithDelivery(rule, { ...due, planFrom: 2 }), putOff(NOW + SECOND)).task;
      const looked = applyEvent(rule, postponed, TICK, NOW + MINUTE + SECOND);
      expect(looked.hook).toEqual({ state: 'due', tries: 3, nextAt: NOW + MINUTE + SECOND, planFrom: 2, isNext: true });
    },
  },
  {
    promise: 'is postponed only when it is due now',
    check(rule) {
      const notDue: TaskDelivery[] = [
        { state: 'due', tries: 1, nextAt: NOW + 1 },
        { state: 'sending', tries: 1, nextAt: NOW, leaseUntil: NOW + 1 },
        { state: 'delivered', tries: 1, nextAt: NOW },
      ];
      for (const delivery of notDue) {
        expect(rule.decide(taskWithDelivery(rule, delivery), putOff(NOW + 9), NOW)).toEqual({ ignore: 'notDue' });
      }
    },
  },
  {
    promise: 'goes out ahead of its plan as a probe, and that attempt does not count',
    check(rule) {
      const waits: TaskDelivery = { state: 'due', tries: 3, nextAt: NOW + MINUTE };
      expect(rule.decide(taskWithDelivery(rule, waits), SEND, NOW)).toEqual({ ignore: 'notDue' });
      const probing = applyEvent(rule, taskWithDelivery(rule, waits), PROBE);
      const planAt = NOW + MINUTE;
      const leaseUntil = NOW + MINUTE;
      expect(probing.hook).toEqual({ state: 'sending', tries: 4, planFrom: 1, nextAt: planAt, leaseUntil });
      const failed = applyEvent(rule, probing.task, sentEvent(4, { retryAt: NOW + 9 * MINUTE }));
      expect(failed.hook).toEqual({ state: 'due', tries: 4, planFrom: 1, nextAt: planAt });
      expect(failed.effects).toEqual([HINT_SENDER(60)]);
      const again = applyEvent(rule, failed.task, PROBE);
      expect(again.hook).toMatchObject({ tries: 5, planFrom: 2 });
      expect(applyEvent(rule, again.task, sentEvent(5)).hook).toEqual({
        state: 'delivered',
        tries: 5,
        planFrom: 2,
        nextAt: planAt,
      });
    },
  },
  {
    promise: 'counts its attempt as a probe when its time by the plan has come',
    check(rule) {
      const byPlan: TaskDelivery[] = [
        due,
        { ...due, nextAt: NOW + MINUTE, isNext: true },
        { ...due, planAt: NOW },
        // The first attempt has no plan that a probe could be ahead of.
        { state: 'due', tries: 0, nextAt: NOW + SECOND },
        { state: 'due', tries: 4, planFrom: 4, nextAt: NOW + SECOND },
      ];
      for (const delivery of byPlan) {
        const { planFrom } = delivery;
        const sending = applyEvent(rule, taskWithDelivery(rule, delivery), PROBE).hook;
        expect(sending).toMatchObject({ state: 'sending', tries: delivery.tries + 1 });
        expect([sending?.planFrom, sending?.planAt, sending?.isNext]).toEqual([planFrom, undefined, undefined]);
        expect(sending?.nextAt).toBe(NOW);
        const retryAt = NOW + 9 * MINUTE;
        const { tries } = delivery;
        const next = applyEvent(
          rule,
          applyEvent(rule, taskWithDelivery(rule, delivery), PROBE).task,
          sentEvent(tries + 1, { retryAt }),
        );
        expect(next.hook?.nextAt).toBe(retryAt);
      }
    },
  },
  {
    promise: "is not probed while it is being sent, or before the receiver's Retry-After",
    check(rule) {
      const notProbed: TaskDelivery[] = [
        { state: 'sending', tries: 1, nextAt: NOW, leaseUntil: NOW + 1 },
        { state: 'delivered', tries: 1, nextAt: NOW },
        { state: 'due', tries: 1, nextAt: NOW + MINUTE, notBefore: NOW + 1 },
      ];
      for (const delivery of notProbed) {
        expect(rule.decide(taskWithDelivery(rule, delivery), PROBE, NOW)).toEqual({ ignore: 'notDue' });
      }
      const [, , withRetryAfter] = notProbed;
      if (!withRetryAfter) throw new Error('There is no such hook.');
      expect(applyEvent(rule, taskWithDelivery(rule, withRetryAfter), PROBE, NOW + 1).hook).not.toHaveProperty(
        'notBefore',
      );
    },
  },
  {
    promise: 'is brought forward without using up an attempt, and no later than it was due',
    check(rule) {
      const planAt = NOW + MINUTE;
      const waits: TaskDelivery = { state: 'due', tries: 3, nextAt: planAt };
      const sooner = applyEvent(rule, taskWithDelivery(rule, waits), forward(NOW + SECOND));
      expect(sooner.hook).toEqual({ ...waits, nextAt: NOW + SECOND, planAt });
      expect(sooner.effects).toEqual([HINT_SENDER(1)]);
      expect(applyEvent(rule, sooner.task, forward(NOW)).hook).toEqual({ ...waits, nextAt: NOW, planAt });
      expect(rule.decide(taskWithDelivery(rule, waits), forward(planAt), NOW)).toEqual({ ignore: 'notDue' });
      const sending = applyEvent(rule, sooner.task, SEND, NOW + SECOND);
      expect(sending.hook).toMatchObject({ state: 'sending', tries: 4, planFrom: 1, nextAt: planAt });
      expect(applyEvent(rule, sending.task, sentEvent(4, { retryAt: NOW + 9 * MINUTE })).hook).toEqual({
        state: 'due',
        tries: 4,
        planFrom: 1,
        nextAt: planAt,
      });
      expect(applyEvent(rule, sending.task, sentEvent(4, 'refused')).hook).not.toHaveProperty('planAt');
    },
  },
  {
    promise: 'is brought forward from behind a failing receiver as due by its plan, and may be postponed again',
    check(rule) {
      const postponed = applyEvent(rule, taskWithDelivery(rule, due), putOff(NOW + 30 * MINUTE)).task;
      const sooner = applyEvent(rule, postponed, forward(NOW));
      expect(sooner.hook).toEqual({ state: 'due', tries: 3, nextAt: NOW });
      expect(applyEvent(rule, sooner.task, SEND).hook).toMatchObject({ tries: 4, state: 'sending' });
      expect(applyEvent(rule, sooner.task, SEND).hook).not.toHaveProperty('planFrom');
    },
  },
  {
    promise: 'returns to its plan when the receiver fails again',
    check(rule) {
      const early: TaskDelivery = { state: 'due', tries: 3, nextAt: NOW, planAt: NOW + MINUTE };
      const back = applyEvent(rule, taskWithDelivery(rule, early), putOff(NOW + 30 * MINUTE));
      expect(back.hook).toEqual({ state: 'due', tries: 3, nextAt: NOW + MINUTE });
      expect(back.effects).toEqual([HINT_SENDER(60)]);
      const late: TaskDelivery = { ...early, planAt: NOW };
      expect(applyEvent(rule, taskWithDelivery(rule, late), putOff(NOW + 30 * MINUTE)).hook).toEqual({
        state: 'due',
        tries: 3,
        nextAt: NOW + 30 * MINUTE,
        isNext: true,
      });
    },
  },
  {
    promise: 'respects Retry-After, by its plan and ahead of it',
    check(rule) {
      const sending: TaskDelivery = { state: 'sending', tries: 1, nextAt: NOW, leaseUntil: NOW + MINUTE };
      const requested = { retryAt: NOW + 9 * SECOND, notBefore: NOW + 8 * SECOND };
      const { task, hook } = applyEvent(rule, taskWithDelivery(rule, sending), sentEvent(1, requested));
      expect(hook).toEqual({ state: 'due', tries: 1, nextAt: requested.retryAt, notBefore: requested.notBefore });
      expect(rule.decide(task, forward(requested.notBefore - 1), NOW)).toEqual({ ignore: 'notDue' });
      const sooner = applyEvent(rule, task, forward(requested.notBefore));
      expect(sooner.hook).toEqual({ state: 'due', tries: 1, nextAt: requested.notBefore, planAt: requested.retryAt });
      const early: TaskDelivery = { ...sending, tries: 4, planFrom: 1, nextAt: NOW + 5 * SECOND };
      expect(applyEvent(rule, taskWithDelivery(rule, early), sentEvent(4, requested)).hook).toMatchObject({
        nextAt: requested.notBefore,
      });
      expect(
        applyEvent(rule, taskWithDelivery(rule, { ...early, nextAt: NOW + MINUTE }), sentEvent(4, requested)).hook,
      ).toMatchObject({
        nextAt: NOW + MINUTE,
      });
      const { hook: redelivered } = applyEvent(rule, task, REDELIVER);
      expect(redelivered).not.toHaveProperty('notBefore');
    },
  },
  {
    promise: 'is brought forward only while it waits',
    check(rule) {
      const notWaiting: TaskDelivery[] = [
        { state: 'sending', tries: 1, nextAt: NOW + MINUTE, leaseUntil: NOW + 1 },
        { state: 'delivered', tries: 1, nextAt: NOW + MINUTE },
        { state: 'exhausted', tries: MAX_ATTEMPTS, nextAt: NOW + MINUTE },
        due,
      ];
      for (const delivery of notWaiting) {
        expect(rule.decide(taskWithDelivery(rule, delivery), forward(NOW), NOW)).toEqual({ ignore: 'notDue' });
      }
    },
  },
  {
    promise: 'stays ahead of its plan when its sender vanishes, and is sent again immediately',
    check(rule) {
      const planAt = NOW + 9 * MINUTE;
      const sending: TaskDelivery = {
        state: 'sending',
        tries: 4,
        planFrom: 1,
        nextAt: planAt,
        leaseUntil: NOW + MINUTE,
      };
      const freed = applyEvent(rule, taskWithDelivery(rule, sending), TICK, NOW + MINUTE);
      expect(freed.hook).toEqual({ state: 'due', tries: 4, planFrom: 1, nextAt: NOW + MINUTE, planAt });
      expect(applyEvent(rule, freed.task, SEND, NOW + MINUTE).hook).toMatchObject({
        tries: 5,
        planFrom: 2,
        nextAt: planAt,
      });
    },
  },
];
