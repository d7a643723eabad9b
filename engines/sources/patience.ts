/** Lets requests to one host pass one by one, a pause apart, whoever makes them in this process. */
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../shared/ports.ts';

export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;
/** False = there are so many before it that it is not worth waiting. */
export type Turn = (host: string, pauseMs: number, signal: AbortSignal) => Promise<boolean>;

const MOST_WAIT_MS = 60_000;
const MOST_HOSTS = 10_000;

const inTime: Wait = async (ms, signal) => void (await setTimeout(ms, undefined, { signal }));

export function patience({ clock, wait = inTime }: { clock: Clock; wait?: Wait }): Turn {
  /** When each host may be asked next. */
  const free = new Map<string, number>();
  return async (host, pauseMs, signal) => {
    const now = clock.now();
    if (free.size >= MOST_HOSTS) for (const [other, at] of free) if (at <= now) free.delete(other);
    const at = Math.max(now, free.get(host) ?? 0);
    if (at - now > MOST_WAIT_MS) return false;
    free.set(host, at + pauseMs);
    if (at > now) await wait(at - now, signal);
    return true;
  };
}
