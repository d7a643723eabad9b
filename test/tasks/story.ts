/** The story of one task, told event by event to a rule; a promise holds the rule to what it answers. */

import type { TaskEvent } from '../../shared/tasks/decide.ts';
import type { Decision, Task, TaskDelivery } from '../../shared/tasks/task.ts';
import type { Rule } from './rule.ts';

/** Throws where the rule breaks it, so that mutants can be tried by it too. */
export type Promised = { promise: string; hold(rule: Rule): void };

export const BEGIN = 1_800_000_000_000;
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Story = ReturnType<typeof story>;

export function story(
  rule: Rule,
  o: { hasHook?: boolean; timeoutMs?: number; firstAt?: number; recurs?: string } = {},
) {
  let task = rule.newTask({ face: 'agents', type: 'made', priority: 5, now: BEGIN, hasHook: false, ...o });
  let now = BEGIN;

  /** What the event does now: what it changes and sets going, or why it changes nothing. */
  function meets(event: TaskEvent) {
    const before = task;
    const decision = rule.decide(frozen(before), event, now);
    if ('ignore' in decision) return decision;
    task = decision.next;
    const { next: _next, effects, ...behind } = decision;
    return { changed: changes(before, task), effects, ...behind };
  }

  return {
    meets,
    task: () => frozen(task),
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
    /** As `meets`, that long after the task was made. */
    after(ms: number, event: TaskEvent) {
      now = BEGIN + ms;
      return meets(event);
    },
    answer: (event: TaskEvent): Decision => rule.decide(frozen(task), event, now),
    wakesBy: () => rule.mustWakeBy(task),
  };
}

export const CLAIM: TaskEvent = { type: 'claim' };
export const TICK: TaskEvent = { type: 'tick' };
export const RESTART: TaskEvent = { type: 'restart' };
export const REDRIVE: TaskEvent = { type: 'redrive' };
export const RUN_NOW: TaskEvent = { type: 'runNow' };
export const SEND: TaskEvent = { type: 'sendClaim' };
export const CANCEL: TaskEvent = { type: 'cancel', force: false };
export const FORCE: TaskEvent = { type: 'cancel', force: true };
export const beat = (
  attempt: number,
  told: { progress?: number; tokens?: number; stage?: string; checkpoint?: number } = {},
) => ({ type: 'beat', attempt, ...told }) satisfies TaskEvent;
export const yields = (attempt: number): TaskEvent => ({ type: 'yield', attempt });
export const fault = (attempt: number): TaskEvent => ({ type: 'fault', attempt, code: 'MODEL_UNAVAILABLE' });
export const succeeds = (attempt: number): TaskEvent => ({ type: 'finish', attempt, as: 'succeeded' });
/** And sends its event itself. */
export const tells = (attempt: number): TaskEvent => ({
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
export const sent = (tries: number, outcome: Outcome = 'delivered'): TaskEvent => ({ type: 'sent', tries, outcome });

export const HINT = (delaySeconds = 0) => ({ do: 'hintWorker', delaySeconds }) as const;
/** A hint that repeats one that may still be in the queue. */
export const REMINDER = (delaySeconds = 0) => ({ ...HINT(delaySeconds), isReminder: true }) as const;
export const HINT_SENDER = (delaySeconds = 0) => ({ do: 'hintSender', delaySeconds }) as const;
export const PUSH = (message: 'started' | 'progress' | 'completed' | 'failed') => ({ do: 'push', message }) as const;

/** A running task, whose first claim was a second after it was made. */
export function running(rule: Rule, o: Parameters<typeof story>[1] = {}): Story {
  const told = story(rule, o);
  told.after(SECOND, CLAIM);
  return told;
}

/** A task that succeeded after two seconds, whose event is due since. */
export function delivering(rule: Rule): Story {
  const told = running(rule, { hasHook: true });
  told.after(2 * SECOND, succeeds(1));
  return told;
}

export const hookOf = (told: Story): TaskDelivery | undefined => told.task().hook;

/** A rule that changes what it is given throws; so does one that leaves undefined where nothing should be. */
function frozen(task: Task): Task {
  if (Object.values(task).some((value) => value === undefined)) throw new Error('What is not there is left out.');
  for (const inner of [task.hook, task.recurs, task.run, task.past, ...(task.past ?? [])])
    if (inner) Object.freeze(inner);
  return Object.freeze(task);
}

/** What was taken away shows as undefined. */
function changes(before: Task, after: Task): Partial<Task> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Task>;
  const differing = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differing.map((name) => [name, after[name]]));
}
