/** Runs tasks from submit to the received signed webhook: as fast as a side accepts them, or with callers that wait for each. */
import { type Connection, openConnection } from '../http-connection.ts';
import { type Side, submitUntilTaken } from '../tasks/side.ts';
import { memoryMb, processorMs } from './processes.ts';
import type { SignedReceiver } from './receiver.ts';

const SUBMITTERS = 64;
const LOOK_MS = 100;

export type Rate = { tasksASecond: number; processorMs: number; memoryMb: number };
export type Waited = { p50: number; p99: number };

/** Runs `one` on a connection for each caller, for the organizations in turns. */
async function together(side: Side, callers: number, amount: number, one: (call: Call) => Promise<void>) {
  const connections = await Promise.all(Array.from({ length: callers }, () => openConnection(side.port)));
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (next < amount) await one({ connection, of: next++ % side.keys.length });
    }),
  );
  for (const connection of connections) connection.close();
}

type Call = { connection: Connection; of: number };

const submitTo = async (side: Side, { connection, of }: Call): Promise<string> =>
  (await submitUntilTaken({ ...side, endpoint: `${side.endpoint}/${of}` }, connection, side.keys[of] ?? '')).id;

/** Measures until the last webhook has arrived. */
export async function rateOf(side: Side, receiver: SignedReceiver, amount: number): Promise<Rate> {
  receiver.trust(side.secrets);
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, memoryMb(side.processes));
  }, LOOK_MS);
  const used = processorMs(side.processes);
  const startedAt = performance.now();
  const arrivals: Promise<number>[] = [];
  await together(side, SUBMITTERS, amount, async (call) => {
    arrivals.push(receiver.taken(await submitTo(side, call)));
  });
  const ended = Math.max(...(await Promise.all(arrivals)));
  clearInterval(watch);
  return {
    tasksASecond: (amount * 1_000) / (ended - startedAt),
    processorMs: (processorMs(side.processes) - used) / amount,
    memoryMb: Math.max(most, memoryMb(side.processes)),
  };
}

/** Returns milliseconds. */
export async function waitForAll(side: Side, receiver: SignedReceiver, o: { callers: number; tasks: number }) {
  receiver.trust(side.secrets);
  const times: number[] = [];
  await together(side, o.callers, o.tasks, async (call) => {
    const startedAt = performance.now();
    times.push((await receiver.taken(await submitTo(side, call))) - startedAt);
  });
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) } satisfies Waited;
}
