/** The results of a task that recurs: its newest runs, and when the next one is. */
import {
  type AgentTask,
  type EndedRun,
  type MissedRun,
  nextRunAt,
  readRuns,
  STATUSES,
} from '../../shared/agents/agent-task.ts';
import { failureOf } from '../../shared/tasks/results.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import type { Recurrence } from '../../shared/tasks/task.ts';
import type { TasksContext } from './context.ts';
import { resultFiles } from './result-files.ts';
import { minutesOf, resultsView, timeOf, usageView, workedMinutes } from './task-view.ts';

export async function runsView(context: TasksContext, address: TaskAddress, found: AgentTask, recurs: Recurrence) {
  const runs = await readRuns(context, address, recurs);
  return {
    ...resultsView(found, []),
    results: {
      next_run_at: timeOf(nextRunAt(found.task)),
      runs: await Promise.all(runs.map((run) => ('run' in run ? endedRunView(context, run) : missedRunView(run)))),
    },
    partial: true,
  };
}

async function endedRunView(context: TasksContext, { run, task, result, reached, usage }: EndedRun) {
  const report = result?.report ?? reached?.report;
  const files = await resultFiles(context, report?.files ?? []);
  const { startedAt, endedAt } = task;
  return {
    run: run.number,
    slot_at: timeOf(run.slotAt),
    status: STATUSES[task.state],
    started_at: timeOf(startedAt),
    completed_at: timeOf(endedAt),
    duration_minutes: workedMinutes(task),
    results: { ...report?.results, ...(files.length > 0 ? { files } : {}) },
    usage: usageView(usage),
    ...(task.state === 'failed' ? { error: failureOf(task, result) } : {}),
  };
}

const missedRunView = ({ slotAt }: MissedRun) => ({
  run: null,
  slot_at: timeOf(slotAt),
  status: 'missed',
  started_at: null,
  completed_at: null,
  duration_minutes: minutesOf(0),
  results: {},
});
