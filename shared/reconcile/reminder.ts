/** Tells reminders from due tasks that somebody waits for. */
import type { Task } from '../tasks/task.ts';

/**
 * Whether a due task would only get a hint that was sent before. That can wait; a first hint, a timeout, an expired lease and
 * a delivery cannot.
 */
export const isReminder = ({ state, queuedAt, hintAt, deadlineAt }: Task, now: number): boolean =>
  state === 'queued' && hintAt > queuedAt && now < deadlineAt;
