/** Checks every write before any process reacts to it, and stops the run at the first violation. */

import type { Draft, Durability, Key, ReplaceOptions, Row } from '../../../shared/ports.ts';
import { wakeTime } from '../../../shared/tasks/decide.ts';
import { isOpen, isRunEnd, type Task } from '../../../shared/tasks/task.ts';
import { eventIdOf } from '../../../shared/webhooks/event-id.ts';

import type { TableCall } from '../../shared/tasks/intercepted-table.ts';
import type { Life } from './life.ts';
import { isTask, taskOfCall } from './points.ts';
import { checkHook, type Delivering, type Sending } from './watch-hook.ts';
import { checkChange, type Holders, must } from './watch-task.ts';

/** `was` is the row before a write with relaxed durability. */
type Known = Row<Task> & { holders: Holders; event: Delivering; was?: Known };

export function watch() {
  const rows = new Map<string, Known>();
  /** The attempts of a task, over all of its runs. */
  const holders = new Map<string, Holders>();
  const resultsBy = new Map<string, Life>();
  const sendings = new WeakMap<Life, Sending>();
  /** When the reconciler must look at the circuit breaker of a receiver. */
  const breakers = new Map<string, number>();
  let suspects = 0;
  let broken: Error | undefined;

  const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

  function holdersOf(pk: string): Holders {
    const known = holders.get(pk) ?? new Map<number, Life>();
    holders.set(pk, known);
    return known;
  }

  function checkDue({ value, dueAt }: Row<Task>): void {
    const wakeBy = wakeTime(value);
    must((dueAt === undefined) === (wakeBy === undefined), 'what must be looked at is in the index, and nothing else');
    must(dueAt === undefined || wakeBy === undefined || dueAt <= wakeBy, 'the next look is not too late');
  }

  function made(life: Life, draft: Draft<Task>, row: Row<Task> | undefined): void {
    if (!row) return;
    must(!rows.has(nameOf(draft)), 'nothing is made twice');
    must(draft.sk !== 'TASK' || life.role === 'caller', 'a task is made by who submits it');
    rows.set(nameOf(row), { ...row, holders: holdersOf(row.pk), event: { redeliveries: 0 } });
    checkDue(row);
  }

  type Change = { held: Key & { version: string }; row: Row<Task> | undefined; durability: Durability };

  function changed(life: Life, { held, row, durability }: Change): void {
    const known = rows.get(nameOf(held));
    if (!row || !known) {
      must(!row, 'nothing is changed that is not there');
      return;
    }
    must(known.version === held.version, 'a write goes over the very version that was read');
    const [before, after] = [known.value, row.value];
    const { holders: heldBy, event } = known;
    const was = durability === 'relaxed' ? { was: { ...known, event: { ...event } } } : {};
    rows.set(nameOf(row), { ...row, holders: heldBy, event, ...was });
    checkChange({ life, before, after }, heldBy);
    if (after.alone && after.attempt > before.attempt) suspects++;
    checkDue(row);
    if (!before.hook || !after.hook || isRunEnd(before)) return;
    checkHook({ life, before: before.hook, after: after.hook }, event);
    if (event.sending?.life === life) sendings.set(life, event.sending);
  }

  /** `RESULT#2#00` belongs to the second attempt. */
  function stored(life: Life, { pk, sk }: Key): void {
    const [kind, number, checkpointOf] = sk.split('#');
    if (kind !== 'RESULT' && kind !== 'STAGE') return;
    const attempt = Number(kind === 'RESULT' ? number : checkpointOf);
    must(holdersOf(pk).get(attempt) === life, 'an attempt writes under its own number');
    if (kind === 'RESULT') resultsBy.set(`${pk}\n${attempt}`, life);
  }

  function breakerSeen(row: Row<unknown> | undefined): void {
    if (row?.sk !== 'BREAKER') return;
    if (row.dueAt === undefined) breakers.delete(row.pk);
    else breakers.set(row.pk, row.dueAt);
  }

  return {
    broken: () => broken,
    /** Attempts in a process of their own, because the earlier ones vanished. */
    suspects: () => suspects,
    breaks(error: unknown): void {
      broken ??= error as Error;
    },
    called(life: Life, { name, args }: TableCall, answer: unknown): void {
      try {
        const [key, , o] = args as [Draft<Task> & Row<Task>, unknown, ReplaceOptions | undefined];
        breakerSeen(answer as Row<unknown> | undefined);
        if (name === 'insert' && isTask(key.sk)) made(life, key, answer as Row<Task> | undefined);
        else if (name === 'insert' && answer) stored(life, key);
        else if (name === 'replace' && isTask(key.sk))
          changed(life, { held: key, row: answer as Row<Task> | undefined, durability: o?.durability ?? 'full' });
      } catch (error) {
        broken ??= new Error(`${taskOfCall({ name, args })}, ${life.name}: ${(error as Error).message}`, {
          cause: error,
        });
      }
    },
    /** Undoes a write that was not synced before a power cut. */
    faded(key: Key): void {
      const known = rows.get(nameOf(key));
      if (!known?.was) return;
      if (known.value.attempt > known.was.value.attempt) known.holders.delete(known.value.attempt);
      rows.set(nameOf(key), known.was);
    },
    /** The delivery attempt that a process has claimed. */
    sendingOf: (life: Life): Sending | undefined => sendings.get(life),
    rows: (): Iterable<Known> => rows.values(),
    resultBy: (pk: string, attempt: number): Life | undefined => resultsBy.get(`${pk}\n${attempt}`),
    dueBy(now: number): number {
      let count = 0;
      for (const { dueAt } of rows.values()) if (dueAt !== undefined && dueAt <= now) count++;
      return count;
    },
    /** The next time at which a look is due; `undefined`: none is due any more. */
    earliestDue(): number | undefined {
      let earliest: number | undefined;
      for (const dueAt of breakers.values()) if (earliest === undefined || dueAt < earliest) earliest = dueAt;
      for (const { dueAt } of rows.values())
        if (dueAt !== undefined && (earliest === undefined || dueAt < earliest)) earliest = dueAt;
      return earliest;
    },
  };
}

export const isEnd = (task: Task): boolean => !isOpen(task) && !isRunEnd(task);
export const taskIdOf = (pk: string): string => pk.split('#T#')[1] ?? '';
export const idOf = ({ pk, value }: Row<Task>): string => eventIdOf(taskIdOf(pk), value);
