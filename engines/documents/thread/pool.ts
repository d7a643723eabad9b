/** A few threads, begun when they are needed, kept warm for the next document and replaced before they wear out. */
import type { Semaphore, SlotRequest } from '../../../shared/core/semaphore.ts';
import type { Asked } from './message.ts';
import type { Thread } from './open-thread.ts';

export type Pool = {
  /** `load` brings what is to be read; it is called when a thread is free, so that nothing is held in memory until then. */
  read<T>(request: SlotRequest, load: () => Asked | Promise<Asked>): Promise<T>;
  close(): Promise<void>;
};

/** `slots`: of the threads. */
export type PoolOptions = { open: () => Thread; slots: Semaphore; readsEach: number; idleMs: number };

type Warm = { thread: Thread; reads: number; timer?: NodeJS.Timeout };

export function poolOf({ open, slots, readsEach, idleMs }: PoolOptions): Pool {
  const idle: Warm[] = [];
  const busy = new Set<Warm>();

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

  function take(): Warm {
    const warm = idle.pop() ?? { thread: open(), reads: 0 };
    clearTimeout(warm.timer);
    warm.reads++;
    return warm;
  }

  async function readBy<T>(warm: Warm, asked: Asked, signal: AbortSignal | undefined): Promise<T> {
    busy.add(warm);
    try {
      return await warm.thread.read<T>(asked, signal);
    } finally {
      busy.delete(warm);
      keep(warm);
    }
  }

  return {
    read<T>(request: SlotRequest, load: () => Asked | Promise<Asked>) {
      return slots.run(request, async () => {
        const asked = await load();
        request.signal?.throwIfAborted();
        return readBy<T>(take(), asked, request.signal);
      });
    },
    async close() {
      const all = [...idle.splice(0), ...busy];
      for (const { timer } of all) clearTimeout(timer);
      await Promise.all(all.map(({ thread }) => thread.end()));
    },
  };
}
