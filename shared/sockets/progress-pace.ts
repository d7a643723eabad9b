/** Progress is told at most once a second for each task; its start, its end and what the end tells of it always. */
import type { Clock } from '../ports.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskMoment } from './task-news.ts';

const EVERY_MS = 1_000;
const MOST_KEPT = 10_000;

export function paceOf(clock: Clock): (taskId: string, task: Task, moments: TaskMoment[]) => boolean {
  const toldAt = new Map<string, number>();

  return (taskId, { endedAt }, moments) => {
    if (endedAt !== undefined) toldAt.delete(taskId);
    if (endedAt !== undefined || moments[0] === 'started') return true;
    const now = clock.now();
    const before = toldAt.get(taskId);
    if (before !== undefined && now >= before && now - before < EVERY_MS) return false;
    const [oldest] = toldAt.keys();
    if (toldAt.size >= MOST_KEPT && oldest !== undefined) toldAt.delete(oldest);
    toldAt.delete(taskId);
    toldAt.set(taskId, now);
    return true;
  };
}
