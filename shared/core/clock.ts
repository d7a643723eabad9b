/** The one place that asks the machine for the time. */
import { setTimeout } from 'node:timers/promises';
import type { Clock, Every } from '../ports.ts';

export const systemClock: Clock = { now: () => Date.now() };

export const systemEvery: Every = (ms, run) => {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
};

/** Rejects when the signal is aborted. */
export const systemWait = async (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, signal ? { signal } : {});

/** A random part of that time, so that callers who lost the same race do not meet again. */
export const systemPause = (maxMs: number): Promise<void> => systemWait(Math.random() * maxMs);
