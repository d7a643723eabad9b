/** A product whose single organization has stored many tasks, and the cost of a submit, a read and a page. */
import { join } from 'node:path';
import { type Connection, openConnection, requestOf } from '../http-connection.ts';
import { makeOrganizations, startErrand } from './errand.ts';
import { seedTasks } from './seed-tasks.ts';
import { isFinished, type Side, type Submitted, submitUntilTaken, waitForEnd } from './side.ts';

const IN_FLIGHT = 16;
const READS = 4_000;
const PAGES = 2_000;
/** Less than an organization's limit of unfinished tasks. */
const SUBMITS = 800;

export type Stored = { side: Side; key: string; ids: string[]; connections: Connection[] };

/** `beforeStart` runs while the product is stopped. */
type Wanted = { folder: string; amount: number; endpoint: string; beforeStart?: (state: string) => Promise<void> };

/** Starts a product that has stored `amount` finished tasks. */
export async function storing({ folder, amount, endpoint, beforeStart }: Wanted): Promise<Stored> {
  const state = join(folder, String(amount));
  const made = await makeOrganizations(state, 1);
  const [key = ''] = made.keys;
  const first = await startErrand(state, made, endpoint);
  const connection = await openConnection(first.port);
  const task = await submitUntilTaken(first, connection, key);
  await waitForEnd(first, connection, task);
  connection.close();
  await first.stop();
  const ids = seedTasks(state, task.id, amount);
  await beforeStart?.(state);
  const side = await startErrand(state, made, endpoint);
  const connections = await Promise.all(Array.from({ length: IN_FLIGHT }, () => openConnection(side.port)));
  return { side, key, ids, connections };
}

export async function closeStored({ side, connections }: Stored): Promise<void> {
  for (const connection of connections) connection.close();
  await side.stop();
}

/** Returns microseconds per submit. */
export async function submitCost(stored: Stored): Promise<number> {
  const { side, key, connections } = stored;
  const tasks: Submitted[] = [];
  const cost = await costOf(stored, SUBMITS, async (connection) => {
    tasks.push(await submitUntilTaken(side, connection, key));
  });
  // Outside of the measured time, so that the next round begins without unfinished tasks.
  const [reader] = connections;
  if (reader) for (const task of tasks) await waitForEnd(side, reader, task);
  return cost;
}

export function readCost(stored: Stored): Promise<number> {
  const { side, key, ids } = stored;
  return costOf(stored, READS, async (connection) => {
    const id = ids[Math.floor(Math.random() * ids.length)] ?? '';
    if (!(await isFinished(side, connection, { id, key }))) throw new Error('A stored task is finished.');
  });
}

export function pageCost(stored: Stored): Promise<number> {
  const { port, prefix } = stored.side;
  const request = requestOf({ port, method: 'GET', path: `${prefix}/tasks?limit=20`, key: stored.key });
  return costOf(stored, PAGES, async (connection) => {
    const { status, body } = await connection.ask(request);
    if (status !== 200) throw new Error(`Answered with ${status}: ${body.slice(0, 200)}`);
  });
}

/** Microseconds per call, with one call in flight on each connection. */
async function costOf({ connections }: Stored, amount: number, call: (connection: Connection) => Promise<void>) {
  let left = amount;
  const startedAt = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (left-- > 0) await call(connection);
    }),
  );
  return ((performance.now() - startedAt) * 1_000) / amount;
}
