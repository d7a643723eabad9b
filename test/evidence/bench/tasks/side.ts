/** A side of the comparison, and the calls that the load makes. Both sides get the same bytes, except for the paths. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, type Reply, requestOf } from '../http-connection.ts';

export type Side = {
  port: number;
  /** The path before `/tasks`. */
  prefix: string;
  /** One API key of each organization. */
  keys: string[];
  /** The signing secret of each organization's webhooks. */
  secrets: string[];
  /** The URL that receives the webhooks. */
  endpoint: string;
  /** Process ids; their descendants are counted too. */
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

/** `undefined`: the side refuses the task with 503 because it is full. */
export async function submit(side: Side, connection: Connection, key: string): Promise<Submitted | undefined> {
  const reply = await connection.ask(submitRequest(side, key));
  if (reply.status === 503) return undefined;
  return { id: read<{ taskId: string }>(reply, 201).taskId, key };
}

/** A client's delay after a 503; it counts as time of the side. */
const AGAIN_MS = 5;

export async function submitUntilTaken(side: Side, connection: Connection, key: string): Promise<Submitted> {
  for (;;) {
    const task = await submit(side, connection, key);
    if (task) return task;
    await sleep(AGAIN_MS);
  }
}

/** Throws when the task failed, which aborts the benchmark. */
export async function isFinished(side: Side, connection: Connection, task: Submitted): Promise<boolean> {
  const { status, output } = read<{ status: string; output?: { text: string } }>(
    await connection.ask(readRequest(side, task)),
    200,
  );
  if (status === 'success' && output?.text) return true;
  if (status === 'waiting' || status === 'active') return false;
  throw new Error(`A task ended as ${status}.`);
}

export async function waitForEnd(side: Side, connection: Connection, task: Submitted): Promise<void> {
  while (!(await isFinished(side, connection, task)));
}

function read<T>({ status, body }: Reply, wanted: number): T {
  if (status !== wanted) throw new Error(`Answered with ${status}, not ${wanted}: ${body.slice(0, 200)}`);
  return JSON.parse(body) as T;
}
