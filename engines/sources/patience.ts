/** Lets requests to one host pass one by one, a pause apart, whoever makes them in this process. */
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../shared/ports.ts';

export type WaitWithSignal = (ms: number, signal: AbortSignal) => Promise<void>;
/** False = there are so many before it that it is not worth waiting. */
export type WaitForHost = (host: string, pauseMs: number, signal: AbortSignal) => Promise<boolean>;

const MAX_WAIT_MS = 60_000;
const MAX_HOSTS = 10_000;

const sleep: WaitWithSignal = async (ms, signal) => void (await setTimeout(ms, undefined, { signal }));

export function hostThrottle({ clock, wait = sleep }: { clock: Clock; wait?: WaitWithSignal }): WaitForHost {
  /** When each host may be asked next. */
  const nextAt = new Map<string, number>();
  return async (host, pauseMs, signal) => {
    const now = clock.now();
    if (nextAt.size >= MAX_HOSTS) for (const [other, at] of nextAt) if (at <= now) nextAt.delete(other);
    const at = Math.max(now, nextAt.get(host) ?? 0);
    if (at - now > MAX_WAIT_MS) return false;
    nextAt.set(host, at + pauseMs);
    if (at > now) await wait(at - now, signal);
    return true;
  };
}
