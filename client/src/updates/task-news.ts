/** Updates of a task from any transport, each once and in order. */
import type { TaskInList, TaskStatus } from '../contracts/agents.ts';

export type TaskNews = {
  type: 'task_started' | 'task_progress' | 'task_completed' | 'task_failed';
  task_id: string;
  /** Increases within a task; only from the WebSocket. */
  seq?: number | undefined;
  /** Absent for starts and progress that polling finds in the list. */
  timestamp?: string | undefined;
  /** Percent; for `task_progress`. */
  progress?: number | undefined;
  /** For `task_progress`: what the task waits for while its model is busy or away. The list does not have it. */
  waiting_for?: string | undefined;
  /** For `task_failed`; the list has it only for cancelled tasks. */
  error?: { code: string; message: string } | undefined;
  metadata: Record<string, string>;
};

type KnownProgress = {
  isStarted: boolean;
  progress: number;
  waitingFor?: string | undefined;
  endedAt: string | undefined;
};

const NOTHING: KnownProgress = { isStarted: false, progress: -1, endedAt: undefined };

/** Accepts only new updates: drops repeats after a resume, and updates that polling finds again. */
export function newsFilter(): (update: TaskNews) => boolean {
  const knownByTask = new Map<string, KnownProgress>();
  return (news) => {
    const before = knownByTask.get(news.task_id) ?? NOTHING;
    const after = progressAfter(beginsAnew(news, before) ? NOTHING : before, news);
    if (after) knownByTask.set(news.task_id, after);
    return after !== undefined;
  };
}

/** A recurring task starts again after its end; a repeated message started before it. */
const beginsAnew = ({ type, timestamp }: TaskNews, { endedAt }: KnownProgress): boolean =>
  type === 'task_started' && endedAt !== undefined && timestamp !== undefined && timestamp > endedAt;

/** `undefined`: the update contains nothing new. */
function progressAfter(before: KnownProgress, news: TaskNews): KnownProgress | undefined {
  const { type, timestamp, progress = 0, waiting_for: waitingFor, seq } = news;
  if (before.endedAt !== undefined) return undefined;
  if (type === 'task_started') return before.isStarted ? undefined : { ...before, isStarted: true };
  if (type !== 'task_progress') return { ...before, endedAt: timestamp ?? '' };
  // Only the WebSocket says that a wait is over.
  const isOtherWait = waitingFor !== before.waitingFor && (waitingFor !== undefined || seq !== undefined);
  if (progress <= before.progress && !isOtherWait) return undefined;
  return { ...before, isStarted: true, progress: Math.max(progress, before.progress), waitingFor };
}

export const isEnd = ({ type }: TaskNews): boolean => type === 'task_completed' || type === 'task_failed';

/** Unknown times are absent. */
type Times = { startedAt?: string | null; movedAt?: string | null; endedAt?: string | null };
type UpdatedTask = Pick<TaskStatus, 'task_id' | 'metadata' | 'status' | 'error'>;

/** Converts a status into the updates that the WebSocket would have sent. */
export function newsIn(task: TaskStatus): TaskNews[] {
  const { started_at: startedAt, last_updated: movedAt, completed_at: endedAt, progress } = task;
  return [
    ...(startedAt === null ? [] : startUpdates(task, { startedAt, movedAt }, progress)),
    ...endUpdates(task, endedAt),
  ];
}

/** The list contains no start time. A failed or cancelled task without progress may never have started. */
export function newsInList(task: TaskInList): TaskNews[] {
  const { status, completed_at: endedAt, progress_percentage: progress } = task;
  const wasBegun = progress > 0 || !['pending', 'failed', 'cancelled'].includes(status);
  return [
    ...(wasBegun ? startUpdates(task, { movedAt: endedAt }, { percentage: progress }) : []),
    ...endUpdates(task, endedAt),
  ];
}

const common = ({ task_id, metadata }: UpdatedTask, at: string | null | undefined) => ({
  task_id,
  metadata,
  timestamp: at ?? undefined,
});

type Progress = { percentage: number; waiting_for?: string | undefined };

const startUpdates = (
  task: UpdatedTask,
  { startedAt, movedAt }: Times,
  { percentage, waiting_for }: Progress,
): TaskNews[] => [
  { ...common(task, startedAt), type: 'task_started' },
  { ...common(task, movedAt), type: 'task_progress', progress: percentage, ...(waiting_for ? { waiting_for } : {}) },
];

const CANCELLED = { code: 'TASK_CANCELLED', message: 'The task was cancelled.' };

function endUpdates(task: UpdatedTask, endedAt: string | null): TaskNews[] {
  const { status, error = status === 'cancelled' ? CANCELLED : undefined } = task;
  if (status === 'completed') return [{ ...common(task, endedAt), type: 'task_completed' }];
  if (status !== 'failed' && status !== 'cancelled') return [];
  return [{ ...common(task, endedAt), type: 'task_failed', error }];
}
