/**
 * Tasks a second from the first submit to the end of the last task. The end is seen as a customer would see it, by GETs
 * on one connection: of the last submitted tasks, the newest first, until each is finished; the clock stops there. Then,
 * off the clock, every other task is read once, and one that were not finished would move the clock to its end.
 */
import { type Connection, openConnection } from '../http-connection.ts';
import { finished, isFinished, type Side, type Submitted, submitUntilTaken } from './side.ts';

/** Over the load's organizations it stays below what each may have unfinished. */
export const AMOUNT = 6_000;
export const IN_FLIGHT = 64;
/** More than can be under way in a side's workers when the last one is taken up. */
const TAIL = 100;

export async function tasksASecond(side: Side): Promise<number> {
  const connections = await Promise.all(Array.from({ length: IN_FLIGHT }, () => openConnection(side.port)));
  const begun = performance.now();
  const tasks = await submitAll(side, connections);
  const [reader] = connections as [Connection, ...Connection[]];
  for (const task of tasks.slice(-TAIL).reverse()) await finished(side, reader, task);
  let ended = performance.now();
  for (const task of tasks.slice(0, -TAIL)) {
    if (await isFinished(side, reader, task)) continue;
    await finished(side, reader, task);
    ended = performance.now();
  }
  for (const connection of connections) connection.close();
  return (tasks.length * 1_000) / (ended - begun);
}

/** The organizations in turns. */
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
