/** What is told of a task, each thing once and in its order, wherever it was heard. */
import type { TaskInList, TaskStatus } from './contracts/agents.ts';

export type TaskNews = {
  type: 'task_started' | 'task_progress' | 'task_completed' | 'task_failed';
  task_id: string;
  timestamp: string;
  /** Percent, of `task_progress`. */
  progress?: number | undefined;
  /** Of `task_failed`. */
  error?: { code: string; message: string } | undefined;
  metadata: Record<string, string>;
};

type Heard = { isStarted: boolean; progress: number; endedAt: string | undefined };

const NOTHING: Heard = { isStarted: false, progress: -1, endedAt: undefined };

/** Lets through what is new: repeats after a resume and what polling finds again are dropped. */
export function newsFilter(): (news: TaskNews) => boolean {
  const heard = new Map<string, Heard>();
  return (news) => {
    const before = heard.get(news.task_id) ?? NOTHING;
    const after = heardOf(beginsAnew(news, before) ? NOTHING : before, news);
    if (after) heard.set(news.task_id, after);
    return after !== undefined;
  };
}

/** What recurs begins anew after its end; a repeat began before it. */
const beginsAnew = ({ type, timestamp }: TaskNews, { endedAt }: Heard): boolean =>
  type === 'task_started' && endedAt !== undefined && timestamp > endedAt;

/** Undefined when there is nothing new in it. */
function heardOf(before: Heard, { type, timestamp, progress = 0 }: TaskNews): Heard | undefined {
  if (before.endedAt !== undefined) return undefined;
  if (type === 'task_started') return before.isStarted ? undefined : { ...before, isStarted: true };
  if (type !== 'task_progress') return { ...before, endedAt: timestamp };
  return progress > before.progress ? { ...before, isStarted: true, progress } : undefined;
}

export const isEnd = ({ type }: TaskNews): boolean => type === 'task_completed' || type === 'task_failed';

/** What a status, or a place in the list, tells in the words of the channel. */
export function newsIn(task: TaskStatus | TaskInList): TaskNews[] {
  const { task_id, metadata, status } = task;
  const timestamp = ('last_updated' in task ? task.last_updated : task.completed_at) ?? task.created_at ?? '';
  const common = { task_id, timestamp, metadata };
  const wasBegun = 'started_at' in task ? task.started_at !== null : status !== 'pending';
  const progress = 'progress' in task ? task.progress.percentage : task.progress_percentage;
  const begun: TaskNews[] = wasBegun
    ? [
        { type: 'task_started', ...common },
        { type: 'task_progress', ...common, progress },
      ]
    : [];
  if (status === 'completed') return [...begun, { type: 'task_completed', ...common }];
  if (status !== 'failed' && status !== 'cancelled') return begun;
  const told = 'error' in task ? task.error : undefined;
  const error = told ?? { code: status === 'cancelled' ? 'TASK_CANCELLED' : 'PROCESSING_FAILED', message: '' };
  return [...begun, { type: 'task_failed', ...common, error }];
}
