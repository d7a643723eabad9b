/** What the background-agent API sends to a task's `webhook_url`. */
import type { TaskView } from '../../shared/tasks/get-task.ts';
import { failureOf } from '../../shared/tasks/result.ts';
import type { FinalState, Task } from '../../shared/tasks/task.ts';

const STATUSES: Record<FinalState, string> = { succeeded: 'completed', failed: 'failed', cancelled: 'cancelled' };

const MINUTE_MS = 60_000;

/** To two places; what was never begun took none. */
const minutesOf = ({ startedAt, endedAt = 0 }: Task): number =>
  startedAt === undefined ? 0 : Math.round((endedAt - startedAt) / (MINUTE_MS / 100)) / 100;

export function webhookBody({ taskId, task, about, result }: TaskView) {
  const status = STATUSES[task.state as FinalState];
  const shownId = `task_${taskId}`;
  return {
    event_type: `task_${status}`,
    task_id: shownId,
    timestamp: new Date(task.endedAt ?? task.createdAt).toISOString(),
    data: {
      status,
      duration_minutes: minutesOf(task),
      // Also of a task that did not succeed: what its finished stages brought.
      results_available: task.state === 'succeeded' || task.checkpoint > 0,
      results_url: `/api/v1/tasks/${shownId}/results`,
      ...(task.state === 'failed' ? { error: failureOf(task, result) } : {}),
    },
    metadata: about.metadata ?? {},
  };
}
