/** Places of the index of tasks, by the states of their tasks. */
import { getInBatches } from '../core/get-all.ts';
import type { Listed, Row, Table } from '../ports.ts';
import { isListedOpen, OPEN, stateShown } from './states.ts';
import type { ShownState, Task } from './task.ts';
import { taskKey } from './task-rows.ts';

type ListPositions = { organization: string; places: Listed[] };

/** Those in one of the states: items are read only of open ones, and only where some of these are asked for and others not. */
export async function tasksInStates(
  table: Table,
  { organization, places }: ListPositions,
  states: ReadonlySet<string> | undefined,
): Promise<Listed[]> {
  if (!states) return places;
  const asked = OPEN.filter((state) => states.has(state)).length;
  const isAllOrNone = asked === 0 || asked === OPEN.length;
  const open = isAllOrNone ? [] : places.filter(isListedOpen);
  const rows = await getInBatches<Task>(
    table,
    open.map(({ id: taskId }) => taskKey({ organization, taskId })),
  );
  const shown = new Map(open.map((place, at) => [place, shownStates(rows[at])]));
  return places.filter((place) => {
    const state = shown.has(place) ? shown.get(place) : place.state;
    return isAllOrNone && isListedOpen(place) ? asked > 0 : state !== undefined && states.has(state);
  });
}

const shownStates = (row: Row<Task> | undefined): ShownState | undefined => row && stateShown(row.value);
