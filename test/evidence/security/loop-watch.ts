/** Watches the event loop of the thread that loads it: its longest delay, and the longest work that it did in one turn. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * `delayMs`: as a caller may feel it; other programs of the machine count. `workMs`: time of the processor in one turn of the
 * loop, exact to the interval: the product's own work alone.
 */
export type LoopStops = { delayMs: number; workMs: number };

const EVERY_MS = 5;
const NS_IN_MS = 1e6;
const US_IN_MS = 1_000;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_IN_MS;
};

/** Returns a function that gives the longest stops since it was called before. */
export function watchLoop(): () => LoopStops {
  const delays = monitorEventLoopDelay({ resolution: EVERY_MS });
  delays.enable();
  let last = cpuMs();
  let workMs = 0;
  // A timer that is late runs once in each turn, so what lies between two of its calls is one turn or `EVERY_MS` of short ones.
  const look = () => {
    const now = cpuMs();
    workMs = Math.max(workMs, now - last);
    last = now;
  };
  setInterval(look, EVERY_MS).unref();
  return () => {
    look();
    const stops = { delayMs: delays.max / NS_IN_MS, workMs };
    delays.reset();
    workMs = 0;
    return stops;
  };
}
