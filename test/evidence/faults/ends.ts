/** Checks the invariants at the end of a run, and counts what happened in it. */
import type { Task } from '../../../shared/tasks/task.ts';
import { isExcused } from './receivers.ts';
import { idOf, isEnd, taskIdOf } from './watch.ts';
import { must } from './watch-task.ts';
import type { World } from './world.ts';

export type Counted = {
  tasks: number;
  crashes: number;
  faults: number;
  /** Attempts in a process of their own, because the earlier ones vanished. */
  suspects: number;
  /** Power cuts, and the writes that they undid. */
  cuts: number;
  faded: number;
  /** Repeated webhooks, and the most repetitions that the injected faults excuse. */
  repeats: number;
  excused: number;
  ended: Record<string, number>;
  /** From the recovery of the receivers to the last accepted webhook. */
  lastTakenMs: number;
};

export function checkEnds({ watch, receivers, lives, setting, awayUntil }: World): Counted {
  const ended: Record<string, number> = {};
  const ids = new Set<string>();
  const tasks = new Set<string>();
  let [repeats, excused] = [0, 0];

  for (const row of watch.rows()) {
    const { pk, value, event, holders } = row;
    const taskId = taskIdOf(pk);
    const id = idOf(row);
    tasks.add(taskId);
    must(isEnd(value), `every task ends (${taskId} is ${value.state})`);
    must(!ids.has(id), 'every end has its own event');
    ids.add(id);
    const end = value.state === 'failed' ? `failed: ${causeOf(value)}` : value.state;
    ended[end] = (ended[end] ?? 0) + 1;
    if (value.resultOf !== undefined)
      must(watch.resultBy(pk, value.resultOf) === holders.get(value.resultOf), 'the result is from the lease holder');
    const taken = receivers.events.get(id)?.taken ?? [];
    const free = taken.filter(isExcused).length + event.redeliveries;
    must(isTold(value, taken.length), `every end is delivered (${id} is ${value.hook?.state})`);
    must(taken.length <= 1 + free, `a webhook is repeated for each crash between send and mark only (${id})`);
    repeats += Math.max(0, taken.length - 1);
    excused += free;
  }
  must(tasks.size === setting.tasks, 'every accepted task exists');
  for (const id of receivers.events.keys()) must(ids.has(id), `no webhook of an event that did not happen (${id})`);
  const { crashes, faults, cuts, faded } = lives.counts;
  const lastTakenMs = receivers.lastTakenAt() - awayUntil;
  const suspects = watch.suspects();
  return { tasks: tasks.size, crashes, faults, suspects, cuts, faded, repeats, excused, ended, lastTakenMs };
}

/** Whatever else fails a task with this code stores a result. */
const causeOf = ({ code, resultOf }: Task): string | undefined =>
  code === 'PROCESSING_FAILED' && resultOf === undefined ? LOST : code;
export const LOST = 'lost its last process';

const isTold = ({ hook }: Task, taken: number): boolean =>
  hook?.state === 'exhausted' || (hook?.state === 'delivered' && taken > 0);
