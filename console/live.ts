/** Updates of tasks over one WebSocket for the whole console, and what they change in a list. */
import type { AgentContract, Way as Heard, TaskNews } from '../client/src/index.ts';
import { api, faultOf } from './api.ts';
import { session } from './session.ts';
import { store } from './store.ts';

/** What becomes of tasks, heard once for the whole console: an organization has only five connections. */
type Way = 'off' | 'connecting' | Heard;

/** How news come now. */
export const way = store<Way>('off');

/** `missed`: something may have happened that nobody tells. */
type Listener = { heard(news: TaskNews): void; missed(): void };
const listeners = new Set<Listener>();
/** A page that follows another one takes the connection over. */
const GRACE_MS = 5_000;
const AGAIN_MS = 20_000;
let watching: AbortController | undefined;
let leaving: ReturnType<typeof setTimeout> | undefined;

/** Tells of every task of the organization, until the answer is called. */
export function hear(listener: Listener): () => void {
  listeners.add(listener);
  clearTimeout(leaving);
  begin();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) leaving = setTimeout(end, GRACE_MS);
  };
}

function begin(): void {
  if (watching || document.hidden || listeners.size === 0) return;
  const ending = new AbortController();
  watching = ending;
  way.set('connecting');
  watch(ending.signal).catch((error) => {
    if (ending.signal.aborted) return;
    faultOf(error);
    way.set('off');
    // A limit that is spent, or nobody who answers: later again.
    setTimeout(() => {
      if (watching !== ending) return;
      end();
      begin();
    }, AGAIN_MS);
  });
}

async function watch(signal: AbortSignal): Promise<void> {
  let isFirst = true;
  const onWay = (now: Way) => {
    way.set(now);
    // It tells what happens from now on: what is on the screen may be older.
    if (isFirst) for (const { missed } of [...listeners]) missed();
    isFirst = false;
  };
  for await (const news of api().agents.watch({ signal, onWay })) {
    for (const { heard } of [...listeners]) heard(news);
  }
}

function end(): void {
  watching?.abort();
  watching = undefined;
  way.set('off');
}

// A tab that nobody looks at leaves its connection to others; who comes back hears again, and looks anew.
document.addEventListener('visibilitychange', () => {
  clearTimeout(leaving);
  if (document.hidden) leaving = setTimeout(end, 6 * GRACE_MS);
  else begin();
});
// No need to wait when the network is back.
addEventListener('online', () => {
  end();
  begin();
});
session.subscribe(end);

/** What news of a task change in a page of the list. */
type TaskPage = AgentContract.TaskPage;
type TaskInList = AgentContract.TaskInList;

export const isOfPage = (page: TaskPage | undefined, { task_id }: TaskNews): boolean =>
  page?.tasks.some((task) => task.task_id === task_id) === true;

/** Whether a task that is not on the page may belong there by now: what happened before the page's own news is known to it. */
export function mayComeOn(page: TaskPage | undefined, { type, timestamp }: TaskNews): boolean {
  if (!page || type === 'task_progress') return false;
  const times = page.tasks.flatMap((task) => [task.created_at ?? '', task.completed_at ?? '']);
  return timestamp === undefined || times.every((time) => time < timestamp);
}

/** The same page when nothing has changed, so that nothing is drawn. */
export function afterNews(page: TaskPage, news: TaskNews): TaskPage {
  let hasChanged = false;
  const tasks = page.tasks.map((task) => {
    if (task.task_id !== news.task_id) return task;
    const next = moved(task, news);
    hasChanged ||= next !== task;
    return next;
  });
  return hasChanged ? { ...page, tasks } : page;
}

const HAS_ENDED = new Set<TaskInList['status']>(['completed', 'failed', 'cancelled']);

function moved(task: TaskInList, { type, progress, timestamp, error }: TaskNews): TaskInList {
  // Old news must not bring back what has ended; what recurs says so in the list that is asked for anew.
  if (HAS_ENDED.has(task.status)) return task;
  const status = task.status === 'cancelling' ? task.status : 'processing';
  if (type === 'task_started') return task.status === status ? task : { ...task, status };
  if (type === 'task_progress') {
    const percent = Math.max(task.progress_percentage, progress ?? 0);
    return percent === task.progress_percentage && task.status === status
      ? task
      : { ...task, status, progress_percentage: percent };
  }
  if (type === 'task_completed') return ended(task, 'completed', timestamp);
  return ended(task, error?.code === 'TASK_CANCELLED' ? 'cancelled' : 'failed', timestamp);
}

const ended = (task: TaskInList, status: TaskInList['status'], at: string | undefined): TaskInList => ({
  ...task,
  status,
  completed_at: at ?? null,
  progress_percentage: status === 'completed' ? 100 : task.progress_percentage,
});

/** What news change in a task's status, before it is asked for again. */
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
