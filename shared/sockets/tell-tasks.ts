/** Tells whoever watches what becomes of an organization's tasks: each task in its order, and none behind another. */
import type { Log } from '../core/log.ts';
import type { Clock, Table } from '../ports.ts';
import { type About, aboutKey } from '../tasks/about.ts';
import type { Tell } from '../tasks/move-task.ts';
import { resultOf } from '../tasks/result.ts';
import { isOpen, type Task } from '../tasks/task.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import type { Letter } from './outboxes.ts';
import { paceOf } from './progress-pace.ts';
import { momentsOf, newsOf, type TaskMoment, type TaskNews, type Told } from './task-news.ts';
import type { Watchers } from './watchers.ts';

type Ports = { table: Table; clock: Clock; log: Log; watchers: Watchers };
type Outlet = {
  textOf(news: TaskNews): string;
  hasListeners(organization: string): Promise<boolean>;
  send(organization: string, letters: Letter[]): Promise<void>;
  /** Work that has to end before the process may. */
  following(work: Promise<unknown>): void;
};

export function tellTasks({ table, clock, log, watchers }: Ports, outlet: Outlet): Tell {
  const isDue = paceOf(clock);
  const lines = new Map<string, Promise<void>>();

  async function spread(moments: TaskMoment[], address: TaskAddress, task: Task): Promise<void> {
    if (!(await outlet.hasListeners(address.organization))) return;
    const told = await surroundings(table, address, task);
    const letters = moments.map((moment): Letter => {
      const news = newsOf(moment, told, clock.now());
      return { text: outlet.textOf(news), about: news };
    });
    await outlet.send(address.organization, letters);
  }

  return (effects, address, task) => {
    const { organization, taskId } = address;
    const moments = effects.flatMap((effect) => (effect.do === 'push' ? momentsOf(effect.message, task) : []));
    if (moments.length === 0 || task.face !== 'agents') return;
    if (watchers.known(organization)?.length === 0 || !isDue(taskId, task, moments)) return;
    const before = lines.get(taskId) ?? Promise.resolve();
    const line: Promise<void> = before
      .then(() => spread(moments, address, task))
      .catch((error) => log.warn('news of a task were not told', { ...address, error }))
      .finally(() => {
        if (lines.get(taskId) === line) lines.delete(taskId);
      });
    lines.set(taskId, line);
    outlet.following(line);
  };
}

async function surroundings(table: Table, address: TaskAddress, task: Task): Promise<Told> {
  const [about, result] = await Promise.all([
    table.get<About>(aboutKey(address)),
    isOpen(task) || task.state === 'succeeded' ? undefined : resultOf(table, address, task),
  ]);
  return { taskId: address.taskId, task, about: about?.value ?? {}, result };
}
