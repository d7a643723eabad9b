/** Recurring tasks at the points in time at which the scenarios start. */
import type { TaskRules } from './task-rules.ts';
import { BEGIN, CLAIM, DAY, HOUR, MINUTE, SECOND, type Story, story, succeeds } from './task-scenario.ts';

/** The task is created at 8:00, so its slots are at 8:00. */
export const DAILY = 'd 080000 UTC';
/** On Fridays, because the task is created on one. */
export const WEEKLY = 'w5 080000 UTC';
export const SLOT = BEGIN + DAY;
export const NOT_DUE = { ignore: 'notDue' };

export const recurring = (rule: TaskRules, o: { hasWebhook?: boolean; recurs?: string; firstAt?: number } = {}) =>
  story(rule, { recurs: DAILY, firstAt: SLOT, ...o });

/** A task in its first run, which started one second after its slot. */
export function inRun(rule: TaskRules, o: Parameters<typeof recurring>[1] = {}): Story {
  const subject = recurring(rule, o);
  subject.applyAt(DAY + SECOND, CLAIM);
  return subject;
}

/** A task whose first run has ended; no reconciler round has followed. */
export function behindRun(rule: TaskRules, o: Parameters<typeof recurring>[1] = {}): Story {
  const subject = inRun(rule, o);
  subject.applyAt(DAY + 5 * SECOND, succeeds(1));
  return subject;
}

export const waitingFor = (slotAt: number) => ({
  queuedAt: slotAt,
  hintAt: slotAt + MINUTE,
  hints: 0,
  deadlineAt: slotAt + DAY,
});
/** The task while it waits for its second run. */
export const RENEWED = {
  face: 'agents',
  type: 'made',
  priority: 5,
  createdAt: BEGIN,
  timeoutMs: HOUR,
  attempt: 1,
  seq: 3,
  state: 'queued',
  ...waitingFor(SLOT + DAY),
  failures: 0,
  vanished: 0,
  checkpoint: 0,
  progress: 0,
  recurs: { by: DAILY, slotAt: SLOT + DAY, run: 2, seq: 3 },
};
