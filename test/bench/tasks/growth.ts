/** What a submit, a read and a page cost an organization with 10,000 stored tasks, and one with 200,000. Our side only. */
import { join } from 'node:path';
import { temporaryFolder } from '../../contracts/temporary-folder.ts';
import { type Connection, openConnection, requestOf } from '../http-connection.ts';
import { type Comparison, inTurns } from '../side-by-side.ts';
import { makeOrganizations, startErrand } from './errand.ts';
import { seedTasks } from './seed-tasks.ts';
import { finished, isFinished, type Side, type Submitted, submitUntilTaken } from './side.ts';

const FEW = 10_000;
const MANY = 200_000;
const IN_FLIGHT = 16;
const READS = 4_000;
const PAGES = 2_000;
/** Fewer than an organization may have unfinished. */
const SUBMITS = 800;

type Stored = { side: Side; key: string; ids: string[]; connections: Connection[] };

export async function growth(endpoint: string): Promise<Comparison[]> {
  const folder = temporaryFolder();
  const opened: Stored[] = [];
  const stored = async (amount: number): Promise<Stored> => {
    const filled = await storing(join(folder.path, String(amount)), amount, endpoint);
    opened.push(filled);
    return filled;
  };
  try {
    return await compare(await stored(MANY), await stored(FEW));
  } finally {
    for (const { side, connections } of opened) {
      for (const connection of connections) connection.close();
      await side.stop();
    }
    folder.remove();
  }
}

async function compare(many: Stored, few: Stored): Promise<Comparison[]> {
  const compared = async (what: string, cost: (stored: Stored) => Promise<number>): Promise<Comparison> => ({
    what: `${what}, ${MANY.toLocaleString('en-US')} tasks stored over ${FEW.toLocaleString('en-US')}`,
    unit: 'µs',
    ...(await inTurns(cost, { ours: many, reference: few })),
    wanted: { atMost: 1.3 },
  });
  // The submits last: they add to what is stored.
  return [
    await compared('GET /tasks/:taskId', readCost),
    await compared('GET /tasks, a page of 20', pageCost),
    await compared('POST /tasks', submitCost),
  ];
}

/** A product whose one organization has that many tasks, all finished. */
async function storing(state: string, amount: number, endpoint: string): Promise<Stored> {
  const made = await makeOrganizations(state, 1);
  const [key = ''] = made.keys;
  const first = await startErrand(state, made, endpoint);
  const connection = await openConnection(first.port);
  const task = await submitUntilTaken(first, connection, key);
  await finished(first, connection, task);
  connection.close();
  await first.stop();
  const ids = seedTasks(state, task.id, amount);
  const side = await startErrand(state, made, endpoint);
  const connections = await Promise.all(Array.from({ length: IN_FLIGHT }, () => openConnection(side.port)));
  return { side, key, ids, connections };
}

async function submitCost(stored: Stored): Promise<number> {
  const { side, key, connections } = stored;
  const tasks: Submitted[] = [];
  const cost = await costOf(stored, SUBMITS, async (connection) => {
    tasks.push(await submitUntilTaken(side, connection, key));
  });
  // Off the clock, so that the next round begins at rest.
  const [reader] = connections;
  if (reader) for (const task of tasks) await finished(side, reader, task);
  return cost;
}

function readCost(stored: Stored): Promise<number> {
  const { side, key, ids } = stored;
  return costOf(stored, READS, async (connection) => {
    const id = ids[Math.floor(Math.random() * ids.length)] ?? '';
    if (!(await isFinished(side, connection, { id, key }))) throw new Error('A stored task is finished.');
  });
}

function pageCost(stored: Stored): Promise<number> {
  const { port, prefix } = stored.side;
  const request = requestOf({ port, method: 'GET', path: `${prefix}/tasks?limit=20`, key: stored.key });
  return costOf(stored, PAGES, async (connection) => {
    const { status, body } = await connection.ask(request);
    if (status !== 200) throw new Error(`Answered with ${status}: ${body.slice(0, 200)}`);
  });
}

/** Microseconds for one, with one in flight on each connection. */
async function costOf({ connections }: Stored, amount: number, call: (connection: Connection) => Promise<void>) {
  let left = amount;
  const begun = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (left-- > 0) await call(connection);
    }),
  );
  return ((performance.now() - begun) * 1_000) / amount;
}
