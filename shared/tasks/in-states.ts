/** Places of the index of tasks, by the states of their tasks. */
import { getAll } from '../core/get-all.ts';
import type { Listed, Row, Table } from '../ports.ts';
import { isListedOpen, OPEN, stateShown } from './states.ts';
import type { ShownState, Task } from './task.ts';
import { taskKey } from './task-rows.ts';

type Places = { organization: string; places: Listed[] };

/** Those in one of the states: items are read only of open ones, and only where some of these are asked for and others not. */
export async function inStates(
  table: Table,
  { organization, places }: Places,
  states: ReadonlySet<string> | undefined,
): Promise<Listed[]> {
  if (!states) return places;
  const asked = OPEN.filter((state) => states.has(state)).length;
  const isAllOrNone = asked === 0 || asked === OPEN.length;
  const open = isAllOrNone ? [] : places.filter(isListedOpen);
  const rows = await getAll<Task>(
    table,
    open.map(({ id: taskId }) => taskKey({ organization, taskId })),
  );
  const shown = new Map(open.map((place, at) => [place, shownIn(rows[at])]));
  return places.filter((place) => {
    const state = shown.has(place) ? shown.get(place) : place.state;
    return isAllOrNone && isListedOpen(place) ? asked > 0 : state !== undefined && states.has(state);
  });
}

const shownIn = (row: Row<Task> | undefined): ShownState | undefined => row && stateShown(row.value);
