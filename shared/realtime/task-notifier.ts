/** Sends the updates of an organization's tasks: in order for each task, and independently between tasks. */

import { lruCache } from '../core/cache.ts';
import type { Log } from '../core/log.ts';
import type { Clock, Table } from '../ports.ts';
import { detailsKey, type TaskDetails } from '../tasks/details.ts';
import { resultOf } from '../tasks/results.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { isOpen, type Task } from '../tasks/task.ts';
import type { NotifyTask } from '../tasks/transition.ts';
import { waitingFor } from '../tasks/waiting-for.ts';
import type { SocketMessage } from './send-buffers.ts';
import { momentsOf, type TaskMoment, type TaskUpdate, taskUpdate, type UpdatedTask } from './task-update.ts';
import type { Watchers } from './watchers.ts';

const EVERY_MS = 1_000;
const MAX_PACED_TASKS = 10_000;

/** Progress is sent at most once a second for each task; its start, its waits, its end and the last progress always. */
function progressPace(clock: Clock): (taskId: string, task: Task, moments: TaskMoment[]) => boolean {
  const recent = lruCache<string, true>({ clock, ttlMs: EVERY_MS, max: MAX_PACED_TASKS });

  return (taskId, task, moments) => {
    const { endedAt } = task;
    if (endedAt !== undefined) recent.delete(taskId);
    if (endedAt !== undefined || moments[0] === 'started' || waitingFor(task) !== undefined) return true;
    if (recent.get(taskId)) return false;
    recent.set(taskId, true);
    return true;
  };
}

type TaskNotifierPorts = { table: Table; clock: Clock; log: Log; watchers: Watchers };
type UpdateOutlet = {
  textOf(update: TaskUpdate): string;
  hasListeners(organization: string): Promise<boolean>;
  send(organization: string, messages: SocketMessage[]): Promise<void>;
  /** Tracks work that must finish before the process may exit. */
  track(work: Promise<unknown>): void;
};

export function taskNotifier({ table, clock, log, watchers }: TaskNotifierPorts, outlet: UpdateOutlet): NotifyTask {
  const isDue = progressPace(clock);
  const lines = new Map<string, Promise<void>>();
  const aboutOf = cachedDetails(table);
  const lastProgress = lruCache<string, Task>({ max: MAX_TASKS });

  /** The end of a task repeats its last progress, unless that was the last update sent. */
  function withoutRepeat(moments: TaskMoment[], { address, task }: NotifiedTask): TaskMoment[] {
    const before = lastProgress.get(address.taskId);
    if (!isOpen(task)) lastProgress.delete(address.taskId);
    else if (moments.includes('progress')) lastProgress.set(address.taskId, task);
    const isRepeated =
      before?.progress === task.progress && before.tokens === task.tokens && waitingFor(before) === waitingFor(task);
    return isRepeated ? moments.filter((moment) => moment !== 'progress') : moments;
  }

  async function sendUpdates(moments: TaskMoment[], notified: NotifiedTask): Promise<void> {
    const { address } = notified;
    if (!(await outlet.hasListeners(address.organization))) return;
    const updated = await readSurroundings(table, aboutOf, notified);
    const messages = withoutRepeat(moments, notified).map((moment): SocketMessage => {
      const update = taskUpdate(moment, updated, clock.now());
      return { text: outlet.textOf(update), about: update };
    });
    await outlet.send(address.organization, messages);
  }

  return (effects, address, task, about) => {
    if (task.face !== 'agents') return;
    const { organization, taskId } = address;
    const moments = effects.flatMap((effect) => (effect.do === 'push' ? momentsOf(effect.message, task) : []));
    if (moments.length === 0) return;
    if (watchers.peek(organization)?.length === 0 || !isDue(taskId, task, moments)) return;
    const before = lines.get(taskId) ?? Promise.resolve();
    const line: Promise<void> = before
      .then(() => sendUpdates(moments, { address, task, about }))
      .catch((error) => log.warn('task updates were not sent', { ...address, error }))
      .finally(() => {
        if (lines.get(taskId) === line) lines.delete(taskId);
      });
    lines.set(taskId, line);
    outlet.track(line);
  };
}

type NotifiedTask = { address: TaskAddress; task: Task; about: TaskDetails | undefined };
type DetailsOf = (of: NotifiedTask) => Promise<TaskDetails | undefined>;

const MAX_TASKS = 1_000;

/** Details never change, so one read serves all updates of a task. */
function cachedDetails(table: Table): DetailsOf {
  const cache = lruCache<string, ReturnType<DetailsOf>>({ max: MAX_TASKS });
  return ({ address, task, about: details }) => {
    const { taskId } = address;
    const about = cache.get(taskId) ?? (details ? Promise.resolve(details) : readDetails(table, address));
    if (isOpen(task)) cache.set(taskId, about);
    else cache.delete(taskId);
    about.catch(() => cache.delete(taskId));
    return about;
  };
}

const readDetails = async (table: Table, address: TaskAddress): Promise<TaskDetails | undefined> =>
  (await table.get<TaskDetails>(detailsKey(address)))?.value;

async function readSurroundings(table: Table, aboutOf: DetailsOf, of: NotifiedTask): Promise<UpdatedTask> {
  const { address, task } = of;
  const [about, result] = await Promise.all([
    aboutOf(of),
    isOpen(task) || task.state === 'succeeded' ? undefined : resultOf(table, address, task),
  ]);
  return { taskId: address.taskId, task, about: about ?? {}, result };
}
