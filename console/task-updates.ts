/** Applies updates of tasks to a list and to the status of a task. */
import type { AgentContract, TaskNews } from '../client/src/index.ts';

type TaskPage = AgentContract.TaskPage;

type TaskInList = AgentContract.TaskInList;

export const isOfPage = (page: TaskPage | undefined, { task_id }: TaskNews): boolean =>
  page?.tasks.some((task) => task.task_id === task_id) === true;

/** Whether a task that is not on the page may belong there now. Updates older than the page's tasks are known already. */
export function mayEnterPage(page: TaskPage | undefined, { type, timestamp }: TaskNews): boolean {
  if (!page || type === 'task_progress') return false;
  const times = page.tasks.flatMap((task) => [task.created_at ?? '', task.completed_at ?? '']);
  return timestamp === undefined || times.every((time) => time < timestamp);
}

/** Returns the same page if nothing changed, so that nothing renders. */
export function pageAfterUpdate(page: TaskPage, update: TaskNews): TaskPage {
  let hasChanged = false;
  const tasks = page.tasks.map((task) => {
    if (task.task_id !== update.task_id) return task;
    const next = taskAfterUpdate(task, update);
    hasChanged ||= next !== task;
    return next;
  });
  return hasChanged ? { ...page, tasks } : page;
}

const HAS_ENDED = new Set<TaskInList['status']>(['completed', 'failed', 'cancelled']);

function taskAfterUpdate(task: TaskInList, { type, progress, timestamp, error }: TaskNews): TaskInList {
  // A late update must not reopen an ended task; a recurring one shows its state in the reloaded list.
  if (HAS_ENDED.has(task.status)) return task;
  const status = task.status === 'cancelling' ? task.status : 'processing';
  if (type === 'task_started') return task.status === status ? task : { ...task, status };
  if (type === 'task_progress') {
    const percent = Math.max(task.progress_percentage, progress ?? 0);
    return percent === task.progress_percentage && task.status === status
      ? task
      : { ...task, status, progress_percentage: percent };
  }
  if (type === 'task_completed') return endedTask(task, 'completed', timestamp);
  return endedTask(task, error?.code === 'TASK_CANCELLED' ? 'cancelled' : 'failed', timestamp);
}

const endedTask = (task: TaskInList, status: TaskInList['status'], at: string | undefined): TaskInList => ({
  ...task,
  status,
  completed_at: at ?? null,
  progress_percentage: status === 'completed' ? 100 : task.progress_percentage,
});

type TaskStatus = AgentContract.TaskStatus;

/** Applies updates to a task's status until it is requested again. */
export function statusAfter(
  task: TaskStatus,
  { type, progress: percent = 0, waiting_for: waitingFor }: TaskNews,
): TaskStatus {
  // The status contains everything about an end; late updates change nothing.
  if (type !== 'task_started' && type !== 'task_progress') return task;
  if (task.status !== 'pending' && task.status !== 'processing' && task.status !== 'cancelling') return task;
  const { waiting_for: waitedFor, ...progress } = task.progress;
  const percentage = Math.max(progress.percentage, percent);
  const status = task.status === 'pending' ? 'processing' : task.status;
  if (percentage === progress.percentage && status === task.status && waitingFor === waitedFor) return task;
  const wait = waitingFor === undefined ? {} : { waiting_for: waitingFor };
  return { ...task, status, progress: { ...progress, percentage, ...wait } };
}

/** The stages of a task in their order: completed, current and future ones. */
type ShownStage = { name: string; state: 'done' | 'now' | 'ahead' | 'left' | 'failed' };

type StageStatus = 'open' | 'completed' | 'failed' | 'cancelled';

export const stageStatusOf = (status: TaskStatus['status']): StageStatus =>
  status === 'completed' || status === 'failed' || status === 'cancelled' ? status : 'open';

/** `current_stage`: null before the task starts; of a failed task, the stage in which it failed. */
type StageProgress = { current_stage: string | null; stages_completed: readonly string[] };

/** `knownStages`: the stages of the agent. Stages that the service reports are shown even if unknown. */
export function stagesOf(
  knownStages: readonly string[],
  { current_stage: current, stages_completed: done }: StageProgress,
  status: StageStatus,
): ShownStage[] {
  // Without a completed stage it failed in the first one, even if a later one noticed it.
  const failed = status === 'failed' ? (done.length === 0 ? knownStages[0] : current) : undefined;
  const lines = [...done, ...(current !== null && !done.includes(current) ? [current] : [])];
  const names = [...lines.filter((name) => !knownStages.includes(name)), ...knownStages];
  return names.map((name) => ({ name, state: stateOf(name) }));

  function stateOf(name: string): ShownStage['state'] {
    if (done.includes(name)) return 'done';
    if (name === failed) return 'failed';
    if (status !== 'open') return 'left';
    return name === current ? 'now' : 'ahead';
  }
}
