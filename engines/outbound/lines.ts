/** Kept connections, each behind an agent of its own. One is only ever handed out for the very place it was judged for. */
import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

const IDLE_MS = 4000;
const MOST_PER_PLACE = 64;
const MOST_PLACES = 256;

export type Lines = { take(place: string): Agent | undefined; keep(place: string, line: Agent): void };

/** An agent that knows this one connection and can open no other. */
export const lineOver = (socket: Duplex, isKept: boolean): Agent =>
  Object.assign(new Agent(isKept ? { keepAlive: true, timeout: IDLE_MS } : {}), { createConnection: () => socket });

const isIdle = (line: Agent): boolean => Object.keys(line.freeSockets).length > 0;

export function lines(): Lines {
  const shelf = new Map<string, Agent[]>();

  return {
    take(place) {
      const line = shelf.get(place)?.filter(isIdle).at(-1);
      const rest = shelf.get(place)?.filter((other) => isIdle(other) && other !== line) ?? [];
      if (rest.length > 0) shelf.set(place, rest);
      else shelf.delete(place);
      return line;
    },

    keep(place, line) {
      if (!isIdle(line)) return;
      const kept = [...(shelf.get(place) ?? []), line].filter(isIdle);
      for (const one of kept.splice(0, kept.length - MOST_PER_PLACE)) one.destroy();
      shelf.delete(place);
      shelf.set(place, kept);
      const [oldest] = shelf.size > MOST_PLACES ? shelf : [];
      if (oldest) {
        for (const one of oldest[1]) one.destroy();
        shelf.delete(oldest[0]);
      }
    },
  };
}
