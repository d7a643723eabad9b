/** Kept connections, each behind an agent of its own. One is only ever handed out for the very place it was judged for. */
import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import { lruCache } from '../../shared/core/cache.ts';

const IDLE_MS = 4000;
const MOST_PER_PLACE = 64;
const MOST_PLACES = 256;

export type Lines = { take(place: string): Agent | undefined; keep(place: string, line: Agent): void };

/** An agent that knows this one connection and can open no other. */
export const lineOver = (socket: Duplex, isKept: boolean): Agent =>
  Object.assign(new Agent(isKept ? { keepAlive: true, timeout: IDLE_MS } : {}), { createConnection: () => socket });

function isIdle({ freeSockets }: Agent): boolean {
  for (const _ in freeSockets) return true;
  return false;
}

export function lines(): Lines {
  const shelf = lruCache<string, Agent[]>({
    max: MOST_PLACES,
    onEvict: (kept) => {
      for (const line of kept) line.destroy();
    },
  });

  return {
    take(place) {
      const kept = shelf.get(place);
      let line = kept?.pop();
      while (line && !isIdle(line)) line = kept?.pop();
      if (kept?.length === 0) shelf.delete(place);
      return line;
    },

    keep(place, line) {
      if (!isIdle(line)) return;
      const kept = shelf.get(place) ?? [];
      kept.push(line);
      // The oldest are the first that the other end has closed.
      while (kept.length > MOST_PER_PLACE) kept.shift()?.destroy();
      shelf.set(place, kept);
    },
  };
}
