/** What news change in a task's status, before it is asked for again. */
import type { AgentContract, TaskNews } from '../../client/src/index.ts';

type Status = AgentContract.TaskStatus;

export function statusAfter(task: Status, { type, progress = 0 }: TaskNews): Status {
  // An end is told whole by the status itself; old news change nothing.
  if (type !== 'task_started' && type !== 'task_progress') return task;
  if (task.status !== 'pending' && task.status !== 'processing' && task.status !== 'cancelling') return task;
  const percentage = Math.max(task.progress.percentage, progress);
  const status = task.status === 'pending' ? 'processing' : task.status;
  if (percentage === task.progress.percentage && status === task.status) return task;
  return { ...task, status, progress: { ...task.progress, percentage } };
}
