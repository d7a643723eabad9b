/**
 * Tasks per second from the first submit to the end of the last task. The end is observed by GETs on one connection, as a
 * customer would: for the last submitted tasks, the newest first, until each is finished. Every other task is then read
 * once, outside of the measured time; if one were not finished, the measured time would be extended to its end.
 */
import { type Connection, openConnection } from '../http-connection.ts';
import { isFinished, type Side, type Submitted, submitUntilTaken, waitForEnd } from './side.ts';

/** Divided by the organizations it stays below the limit of unfinished tasks. */
export const AMOUNT = 6_000;
export const IN_FLIGHT = 64;
/** More than a side's workers can run concurrently. */
const TAIL = 100;

export async function tasksASecond(side: Side): Promise<number> {
  const connections = await Promise.all(Array.from({ length: IN_FLIGHT }, () => openConnection(side.port)));
  const startedAt = performance.now();
  const tasks = await submitAll(side, connections);
  const [reader] = connections as [Connection, ...Connection[]];
  for (const task of tasks.slice(-TAIL).reverse()) await waitForEnd(side, reader, task);
  let ended = performance.now();
  for (const task of tasks.slice(0, -TAIL)) {
    if (await isFinished(side, reader, task)) continue;
    await waitForEnd(side, reader, task);
    ended = performance.now();
  }
  for (const connection of connections) connection.close();
  return (tasks.length * 1_000) / (ended - startedAt);
}

/** Submits for the organizations in turns. */
async function submitAll(side: Side, connections: Connection[]): Promise<Submitted[]> {
  const tasks: Submitted[] = [];
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (next < AMOUNT) {
        const key = side.keys[next++ % side.keys.length] ?? '';
        tasks.push(await submitUntilTaken(side, connection, key));
      }
    }),
  );
  return tasks;
}
