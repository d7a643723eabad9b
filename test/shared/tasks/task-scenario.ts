/** Feeds the events of one task to the rules; promises check the decisions. */

import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import type { Decision, Task, TaskDelivery } from '../../../shared/tasks/task.ts';
import type { TaskRules } from './task-rules.ts';

/** `check` throws when the rules break the promise, so that mutants can be tested too. */
export type RuleScenario = { promise: string; check(rule: TaskRules): void };

export const BEGIN = 1_800_000_000_000;
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Story = ReturnType<typeof story>;

export function story(
  rule: TaskRules,
  o: { hasWebhook?: boolean; timeoutMs?: number; firstAt?: number; recurs?: string } = {},
) {
  let task = rule.newTask({ face: 'agents', type: 'made', priority: 5, now: BEGIN, hasWebhook: false, ...o });
  let now = BEGIN;

  /** Applies an event now. Returns the changes and effects, or why the event is ignored. */
  function apply(event: TaskEvent) {
    const before = task;
    const decision = rule.decide(frozen(before), event, now);
    if ('ignore' in decision) return decision;
    task = decision.next;
    const { next: _next, effects, ...behind } = decision;
    return { changed: changedFields(before, task), effects, ...behind };
  }

  return {
    meets: apply,
    task: () => frozen(task),
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
    /** As `meets`, at the given time after the task was created. */
    applyAt(ms: number, event: TaskEvent) {
      now = BEGIN + ms;
      return apply(event);
    },
    answer: (event: TaskEvent): Decision => rule.decide(frozen(task), event, now),
    wakesBy: () => rule.wakeTime(task),
  };
}

export const CLAIM: TaskEvent = { type: 'claim' };
/** By a process that runs nothing else, and by the only process on one machine. */
export const CLAIM_ALONE: TaskEvent = { type: 'claim', process: 'own' };
export const CLAIM_ON_ONE_MACHINE: TaskEvent = { type: 'claim', process: 'only' };
export const TICK: TaskEvent = { type: 'tick' };
export const RESTART: TaskEvent = { type: 'restart' };
export const REDRIVE: TaskEvent = { type: 'redrive' };
export const RUN_NOW: TaskEvent = { type: 'runNow' };
export const SEND: TaskEvent = { type: 'sendClaim' };
export const CANCEL: TaskEvent = { type: 'cancel', force: false };
export const FORCE: TaskEvent = { type: 'cancel', force: true };
export const beat = (
  attempt: number,
  report: {
    progress?: number;
    tokens?: number;
    stage?: string;
    checkpoint?: number;
    beganAnew?: boolean;
    eventsIn?: string;
  } = {},
) => ({ type: 'beat', attempt, ...report }) satisfies TaskEvent;
export const yields = (attempt: number): TaskEvent => ({ type: 'yield', attempt });
export const fault = (attempt: number): TaskEvent => ({ type: 'fault', attempt, code: 'MODEL_UNAVAILABLE' });
export const waits = (attempt: number, until: number): TaskEvent => ({
  type: 'wait',
  attempt,
  until,
  waitsFor: 'openai/m: 429',
});
export const succeeds = (attempt: number): TaskEvent => ({ type: 'finish', attempt, as: 'succeeded' });
/** The worker sends the webhook itself. */
export const succeedsAndSends = (attempt: number): TaskEvent => ({
  type: 'finish',
  attempt,
  as: 'succeeded',
  claimsDelivery: true,
});
export const fails = (attempt: number): TaskEvent => ({
  type: 'finish',
  attempt,
  as: 'failed',
  code: 'FILE_UNAVAILABLE',
});

type Outcome = 'delivered' | 'refused' | { retryAt: number; notBefore?: number };
export const sentEvent = (tries: number, outcome: Outcome = 'delivered'): TaskEvent => ({
  type: 'sent',
  tries,
  outcome,
});

export const HINT = (delaySeconds = 0) => ({ do: 'hintWorker', delaySeconds }) as const;
/** A hint that may duplicate one in the queue. */
export const REMINDER = (delaySeconds = 0) => ({ ...HINT(delaySeconds), isReminder: true }) as const;
export const HINT_SENDER = (delaySeconds = 0) => ({ do: 'hintSender', delaySeconds }) as const;
export const PUSH = (message: 'started' | 'progress' | 'completed' | 'failed') => ({ do: 'push', message }) as const;

/** A running task, first claimed one second after it was created. */
export function running(rule: TaskRules, o: Parameters<typeof story>[1] = {}): Story {
  const subject = story(rule, o);
  subject.applyAt(SECOND, CLAIM);
  return subject;
}

/** A task that succeeded after two seconds and whose webhook is due since then. */
export function delivering(rule: TaskRules): Story {
  const subject = running(rule, { hasWebhook: true });
  subject.applyAt(2 * SECOND, succeeds(1));
  return subject;
}

/** A queued task whose last four attempts vanished with processes that also ran other tasks, queued since now. */
export function suspect(rule: TaskRules, o: Parameters<typeof story>[1] = {}): Story {
  const subject = running(rule, o);
  for (let lost = 1; lost <= 4; lost++) {
    subject.pass(MINUTE);
    subject.meets(TICK);
    if (lost < 4) subject.meets(CLAIM);
  }
  return subject;
}

export const deliveryOf = (subject: Story): TaskDelivery | undefined => subject.task().hook;

/** Throws when the rules modify their input, or leave `undefined` in place of a missing field. */
function frozen(task: Task): Task {
  if (Object.values(task).some((value) => value === undefined)) throw new Error('What is not there is left out.');
  for (const inner of [task.hook, task.recurs, task.run, task.past, ...(task.past ?? [])])
    if (inner) Object.freeze(inner);
  return Object.freeze(task);
}

/** Removed fields show as `undefined`. */
function changedFields(before: Task, after: Task): Partial<Task> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Task>;
  const differing = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differing.map((name) => [name, after[name]]));
}
