/** A few threads, begun when they are needed, kept warm for the next document and replaced before they wear out. */
import type { Asked } from './message.ts';
import type { Thread } from './open-thread.ts';

export type Pool = {
  read<T>(asked: Asked, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
};

export type PoolOptions = { open: () => Thread; most: number; readsEach: number; idleMs: number };

type Warm = { thread: Thread; reads: number; timer?: NodeJS.Timeout };

export function poolOf({ open, most, readsEach, idleMs }: PoolOptions): Pool {
  const idle: Warm[] = [];
  const busy = new Set<Warm>();
  const waiting: (() => void)[] = [];
  let present = 0;

  async function place(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (present < most) {
      present++;
      return;
    }
    // The place is handed over by the one who leaves it, so nobody can slip in between.
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else present--;
  }

  function keep(warm: Warm): void {
    if (warm.thread.isSpent() || warm.reads >= readsEach) {
      void warm.thread.end();
      return;
    }
    const drop = () => {
      idle.splice(idle.indexOf(warm), 1);
      void warm.thread.end();
    };
    warm.timer = setTimeout(drop, idleMs).unref();
    idle.push(warm);
  }

  return {
    async read<T>(asked: Asked, signal?: AbortSignal) {
      await place(signal);
      const warm = idle.pop() ?? { thread: open(), reads: 0 };
      clearTimeout(warm.timer);
      busy.add(warm);
      warm.reads++;
      try {
        return await warm.thread.read<T>(asked, signal);
      } finally {
        busy.delete(warm);
        keep(warm);
        leave();
      }
    },
    async close() {
      const all = [...idle.splice(0), ...busy];
      for (const { timer } of all) clearTimeout(timer);
      await Promise.all(all.map(({ thread }) => thread.end()));
    },
  };
}
