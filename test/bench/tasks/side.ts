/** What the load needs to know of a side, and the three calls it makes. The same bytes go to both sides, paths aside. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, type Reply, requestOf } from '../http-connection.ts';

export type Side = {
  port: number;
  /** Before `/tasks`. */
  prefix: string;
  /** One API key of each organization. */
  keys: string[];
  /** Of each, the secret its webhooks are signed with. */
  secrets: string[];
  /** Where the results are to be sent. */
  endpoint: string;
  /** Their descendants belong to it, too. */
  processes: number[];
  stop(): Promise<void>;
};

export type Submitted = { id: string; key: string };

const taskFor = (endpoint: string) => ({
  namespace: 'bench',
  delivery: { type: 'webhook', config: { endpoint } },
  input: { type: 'chat', prompt: 'Which of the attached reports speaks of delays?' },
});

const submitRequest = ({ port, prefix, endpoint }: Side, key: string): string =>
  requestOf({ port, method: 'POST', path: `${prefix}/tasks`, key, json: taskFor(endpoint) });

const readRequest = ({ port, prefix }: Side, { id, key }: Submitted): string =>
  requestOf({ port, method: 'GET', path: `${prefix}/tasks/${id}`, key });

/** Undefined = the side has no room just now and says so. */
export async function submit(side: Side, connection: Connection, key: string): Promise<Submitted | undefined> {
  const reply = await connection.ask(submitRequest(side, key));
  if (reply.status === 503) return undefined;
  return { id: read<{ taskId: string }>(reply, 201).taskId, key };
}

/** What a client waits that was told to come again: it counts against the side. */
const AGAIN_MS = 5;

export async function submitUntilTaken(side: Side, connection: Connection, key: string): Promise<Submitted> {
  for (;;) {
    const task = await submit(side, connection, key);
    if (task) return task;
    await sleep(AGAIN_MS);
  }
}

/** False = not yet; a task that failed breaks the bench off. */
export async function isFinished(side: Side, connection: Connection, task: Submitted): Promise<boolean> {
  const { status, output } = read<{ status: string; output?: { text: string } }>(
    await connection.ask(readRequest(side, task)),
    200,
  );
  if (status === 'success' && output?.text) return true;
  if (status === 'waiting' || status === 'active') return false;
  throw new Error(`A task ended as ${status}.`);
}

export async function finished(side: Side, connection: Connection, task: Submitted): Promise<void> {
  while (!(await isFinished(side, connection, task)));
}

function read<T>({ status, body }: Reply, wanted: number): T {
  if (status !== wanted) throw new Error(`Answered with ${status}, not ${wanted}: ${body.slice(0, 200)}`);
  return JSON.parse(body) as T;
}
