/** Progress is told at most once a second for each task; its start, its end and what the end tells of it always. */
import { lruCache } from '../core/cache.ts';
import type { Clock } from '../ports.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskMoment } from './task-news.ts';

const EVERY_MS = 1_000;
const MAX_PACED_TASKS = 10_000;

export function progressPace(clock: Clock): (taskId: string, task: Task, moments: TaskMoment[]) => boolean {
  const recent = lruCache<string, true>({ clock, ttlMs: EVERY_MS, max: MAX_PACED_TASKS });

  return (taskId, { endedAt }, moments) => {
    if (endedAt !== undefined) recent.delete(taskId);
    if (endedAt !== undefined || moments[0] === 'started') return true;
    if (recent.get(taskId)) return false;
    recent.set(taskId, true);
    return true;
  };
}
