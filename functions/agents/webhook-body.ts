/** What the background-agent API sends to a task's `webhook_url`. */

import { STATUSES } from '../../shared/agents/agent-task.ts';
import { toIsoTime } from '../../shared/core/time.ts';
import type { TaskView } from '../../shared/tasks/queries.ts';
import { failureOf } from '../../shared/tasks/results.ts';
import type { FinalState } from '../../shared/tasks/task.ts';
import { shownId } from './task-id.ts';
import { hasResults, timeOf, workedMinutes } from './task-view.ts';

export function webhookBody({ taskId, task, about, result }: TaskView) {
  const status = STATUSES[task.state as FinalState];
  return {
    event_type: task.run ? `task_run_${status}` : `task_${status}`,
    task_id: shownId(taskId),
    timestamp: toIsoTime(task.endedAt ?? task.createdAt),
    data: {
      status,
      duration_minutes: workedMinutes(task),
      results_available: hasResults(task),
      // Of a task that recurs, which run it is.
      ...(task.run ? { run: task.run.number, slot_at: timeOf(task.run.slotAt) } : {}),
      results_url: `/api/v1/tasks/${shownId(taskId)}/results`,
      ...(task.state === 'failed' ? { error: failureOf(task, result) } : {}),
    },
    metadata: about.metadata ?? {},
  };
}
