/** Kept connections, each behind an agent of its own. One is only ever handed out for the very place it was judged for. */
import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import { lruCache } from '../../shared/core/cache.ts';

const IDLE_MS = 4000;
const MAX_IDLE_PER_TARGET = 64;
const MAX_TARGETS = 256;

export type ConnectionPool = { take(place: string): Agent | undefined; release(place: string, line: Agent): void };

/** An agent that knows this one connection and can open no other. */
export const agentOver = (socket: Duplex, isKept: boolean): Agent =>
  Object.assign(new Agent(isKept ? { keepAlive: true, timeout: IDLE_MS } : {}), { createConnection: () => socket });

function isIdle({ freeSockets }: Agent): boolean {
  for (const _ in freeSockets) return true;
  return false;
}

export function connectionPool(): ConnectionPool {
  const idle = lruCache<string, Agent[]>({
    max: MAX_TARGETS,
    onEvict: (kept) => {
      for (const line of kept) line.destroy();
    },
  });

  return {
    take(place) {
      const kept = idle.get(place);
      let line = kept?.pop();
      while (line && !isIdle(line)) line = kept?.pop();
      if (kept?.length === 0) idle.delete(place);
      return line;
    },

    release(place, line) {
      if (!isIdle(line)) return;
      const kept = idle.get(place) ?? [];
      kept.push(line);
      // The oldest are the first that the other end has closed.
      while (kept.length > MAX_IDLE_PER_TARGET) kept.shift()?.destroy();
      idle.set(place, kept);
    },
  };
}
