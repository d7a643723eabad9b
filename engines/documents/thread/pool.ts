/** A few threads, begun when they are needed, kept warm for the next document and replaced before they wear out. */
import type { Semaphore, SlotRequest } from '../../../shared/core/semaphore.ts';
import type { ReadRequest } from './message.ts';
import type { DocumentThread } from './open-thread.ts';

export type ThreadPool = {
  /** `load` brings what is to be read; it is called when a thread is free, so that nothing is held in memory until then. */
  read<T>(request: SlotRequest, load: () => ReadRequest | Promise<ReadRequest>): Promise<T>;
  close(): Promise<void>;
};

/** `slots`: of the threads. */
export type ThreadPoolOptions = {
  open: () => DocumentThread;
  slots: Semaphore;
  readsPerThread: number;
  idleMs: number;
};

type PooledThread = { thread: DocumentThread; reads: number; timer?: NodeJS.Timeout };

export function threadPool({ open, slots, readsPerThread: readsEach, idleMs }: ThreadPoolOptions): ThreadPool {
  const idle: PooledThread[] = [];
  const busy = new Set<PooledThread>();

  function release(warm: PooledThread): void {
    if (warm.thread.isWornOut() || warm.reads >= readsEach) {
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

  function take(): PooledThread {
    const warm = idle.pop() ?? { thread: open(), reads: 0 };
    clearTimeout(warm.timer);
    warm.reads++;
    return warm;
  }

  async function readBy<T>(warm: PooledThread, asked: ReadRequest, signal: AbortSignal | undefined): Promise<T> {
    busy.add(warm);
    try {
      return await warm.thread.read<T>(asked, signal);
    } finally {
      busy.delete(warm);
      release(warm);
    }
  }

  return {
    read<T>(request: SlotRequest, load: () => ReadRequest | Promise<ReadRequest>) {
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
