/** Latency of a single task from submit to finished, polled by sequential GETs on the same connection. */
import { openConnection } from '../http-connection.ts';
import { type Side, submitUntilTaken, waitForEnd } from './side.ts';

const TASKS = 300;

export type Latency = { p50: number; p99: number };

/** Returns microseconds. */
export async function latencyOf(side: Side): Promise<Latency> {
  const connection = await openConnection(side.port);
  const times: number[] = [];
  while (times.length < TASKS) {
    const startedAt = performance.now();
    const task = await submitUntilTaken(side, connection, side.keys[times.length % side.keys.length] ?? '');
    await waitForEnd(side, connection, task);
    times.push((performance.now() - startedAt) * 1_000);
  }
  connection.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(TASKS * share) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
