/** When a wait for an agent's task is over: at its end, or for a recurring task at the end of its next run. */
import type { TaskStatus } from './contracts/agents.ts';
import type { Ending } from './wait.ts';

/** Only tasks with a planned start have this field. */
function nextRunAt({ output_preview: { next_run_at: at } }: TaskStatus): string | undefined {
  return typeof at === 'string' ? at : undefined;
}

export function taskOrRunEnding(): Ending<TaskStatus> {
  let before: { isRunning: boolean; at: string } | undefined;
  return {
    hasEnded(status) {
      if (status.status === 'completed' || status.status === 'failed' || status.status === 'cancelled') return true;
      const at = nextRunAt(status);
      const isPending = status.status === 'pending';
      // A run that was shorter than a poll interval shows in the later time of the next run.
      const hasRun = before !== undefined && isPending && at !== undefined && (before.isRunning || at > before.at);
      before = at === undefined ? undefined : { isRunning: !isPending, at };
      return hasRun;
    },
    beginsAt: (status) => (status.status === 'pending' ? nextRunAt(status) : undefined),
  };
}
