/** Tells whoever watches what becomes of an organization's tasks: each task in its order, and none behind another. */
import { lruCache } from '../core/cache.ts';
import type { Log } from '../core/log.ts';
import type { Clock, Table } from '../ports.ts';
import { detailsKey, type TaskDetails } from '../tasks/about.ts';
import type { NotifyTask } from '../tasks/move-task.ts';
import { resultOf } from '../tasks/result.ts';
import { isOpen, type Task } from '../tasks/task.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import type { SocketMessage } from './outboxes.ts';
import { progressPace } from './progress-pace.ts';
import { momentsOf, type TaskMoment, type TaskUpdate, taskUpdate, type UpdatedTask } from './task-news.ts';
import type { Watchers } from './watchers.ts';

type TaskNotifierPorts = { table: Table; clock: Clock; log: Log; watchers: Watchers };
type UpdateOutlet = {
  textOf(news: TaskUpdate): string;
  hasListeners(organization: string): Promise<boolean>;
  send(organization: string, letters: SocketMessage[]): Promise<void>;
  /** Work that has to end before the process may. */
  following(work: Promise<unknown>): void;
};

export function taskNotifier({ table, clock, log, watchers }: TaskNotifierPorts, outlet: UpdateOutlet): NotifyTask {
  const isDue = progressPace(clock);
  const lines = new Map<string, Promise<void>>();
  const aboutOf = cachedDetails(table);
  const lastProgress = lruCache<string, number>({ max: MAX_TASKS });

  /** The end of a task repeats how far it came, unless that was the last thing told of it. */
  function withoutRepeat(moments: TaskMoment[], { address, task }: NotifiedTask): TaskMoment[] {
    const before = lastProgress.get(address.taskId);
    if (!isOpen(task)) lastProgress.delete(address.taskId);
    else if (moments.includes('progress')) lastProgress.set(address.taskId, task.progress);
    return before === task.progress ? moments.filter((moment) => moment !== 'progress') : moments;
  }

  async function spread(moments: TaskMoment[], of: NotifiedTask): Promise<void> {
    const { address } = of;
    if (!(await outlet.hasListeners(address.organization))) return;
    const told = await readSurroundings(table, aboutOf, of);
    const letters = withoutRepeat(moments, of).map((moment): SocketMessage => {
      const news = taskUpdate(moment, told, clock.now());
      return { text: outlet.textOf(news), about: news };
    });
    await outlet.send(address.organization, letters);
  }

  return (effects, address, task, about) => {
    const { organization, taskId } = address;
    const moments = effects.flatMap((effect) => (effect.do === 'push' ? momentsOf(effect.message, task) : []));
    if (moments.length === 0 || task.face !== 'agents') return;
    if (watchers.known(organization)?.length === 0 || !isDue(taskId, task, moments)) return;
    const before = lines.get(taskId) ?? Promise.resolve();
    const line: Promise<void> = before
      .then(() => spread(moments, { address, task, about }))
      .catch((error) => log.warn('news of a task were not told', { ...address, error }))
      .finally(() => {
        if (lines.get(taskId) === line) lines.delete(taskId);
      });
    lines.set(taskId, line);
    outlet.following(line);
  };
}

type NotifiedTask = { address: TaskAddress; task: Task; about: TaskDetails | undefined };
type DetailsOf = (of: NotifiedTask) => Promise<TaskDetails | undefined>;

const MAX_TASKS = 1_000;

/** It never changes, so that one read serves all that is told of a task. */
function cachedDetails(table: Table): DetailsOf {
  const known = lruCache<string, ReturnType<DetailsOf>>({ max: MAX_TASKS });
  return ({ address, task, about: given }) => {
    const { taskId } = address;
    const about = known.get(taskId) ?? (given ? Promise.resolve(given) : readDetails(table, address));
    if (isOpen(task)) known.set(taskId, about);
    else known.delete(taskId);
    about.catch(() => known.delete(taskId));
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
