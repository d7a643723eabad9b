/** The pool of the threads that read documents. */
import { collectHeap } from '../../shared/core/collect-heap.ts';
import type { Semaphore, SlotRequest } from '../../shared/core/semaphore.ts';
import type { ReadRequest } from './document.ts';
import { type DocumentThread, runsStatement } from './thread.ts';

/** A few threads, started on demand, kept warm for the next document, and replaced before they wear out. */
type ThreadPool = {
  /**
   * `load` returns the request. It is called only when a thread is free, so that nothing is held in memory while
   * waiting.
   */
  read<T>(request: SlotRequest, load: () => ReadRequest | Promise<ReadRequest>): Promise<T>;
  close(): Promise<void>;
};

/** `slots` limits the threads that work at a time. */
type ThreadPoolOptions = {
  open: () => DocumentThread;
  slots: Semaphore;
  readsPerThread: number;
  idleMs: number;
  /** How long a thread waits that the last document left large; at most `idleMs`. */
  largeIdleMs: number;
};

/** V8 gives back by itself what it can within eight seconds. */
const COLLECT_AFTER_MS = 10_000;

type PooledThread = {
  thread: DocumentThread;
  reads: number;
  /** The organization whose statements it runs. Absent: it reads documents of all. */
  owner: string | undefined;
  timer?: NodeJS.Timeout;
};

/** The number of idle threads that run statements. */
const MAX_IDLE_OWNED = 2;

export function threadPool({ open, slots, readsPerThread, idleMs, largeIdleMs }: ThreadPoolOptions): ThreadPool {
  const idle: PooledThread[] = [];
  const busy = new Set<PooledThread>();
  let collecting: NodeJS.Timeout | undefined;

  function release(warm: PooledThread): void {
    if (warm.thread.isWornOut() || warm.reads >= readsPerThread) {
      void warm.thread.end();
      return;
    }
    const wait = (ms: number, then: () => void) => {
      warm.timer = setTimeout(then, ms).unref();
    };
    const drop = () => endIdle(warm);
    wait(largeIdleMs, () => (warm.thread.isLarge() ? drop() : wait(idleMs - largeIdleMs, drop)));
    idle.push(warm);
    const owned = idle.filter(({ owner }) => owner !== undefined);
    if (owned[0] && owned.length > MAX_IDLE_OWNED) endIdle(owned[0]);
  }

  function endIdle(warm: PooledThread): void {
    clearTimeout(warm.timer);
    idle.splice(idle.indexOf(warm), 1);
    void warm.thread.end();
    clearTimeout(collecting);
    collecting = setTimeout(collect, COLLECT_AFTER_MS).unref();
  }

  // V8 keeps pages of threads that ended until the main heap is collected, which at rest nothing causes.
  function collect(): void {
    if (busy.size === 0) collectHeap();
  }

  function take(owner: string | undefined): PooledThread {
    const warm = idle.findLast((pooled) => pooled.owner === owner);
    if (!warm) return { thread: open(), reads: 1, owner };
    // The memory of a thread may be known only after its reading.
    if (warm.thread.isWornOut()) {
      endIdle(warm);
      return take(owner);
    }
    idle.splice(idle.indexOf(warm), 1);
    clearTimeout(warm.timer);
    warm.reads++;
    return warm;
  }

  async function readBy<T>(warm: PooledThread, request: ReadRequest, signal: AbortSignal | undefined): Promise<T> {
    busy.add(warm);
    try {
      return await warm.thread.read<T>(request, signal);
    } finally {
      busy.delete(warm);
      release(warm);
    }
  }

  return {
    read<T>(request: SlotRequest, load: () => ReadRequest | Promise<ReadRequest>) {
      return slots.run(request, async () => {
        const readRequest = await load();
        request.signal?.throwIfAborted();
        // Statements leave traces in the memory of SQLite, and a hostile one ends its thread: so they have threads of
        // their organization's own, and none that is warm for documents.
        return readBy<T>(
          take(runsStatement(readRequest) ? request.organization : undefined),
          readRequest,
          request.signal,
        );
      });
    },
    async close() {
      clearTimeout(collecting);
      const threads = [...idle.splice(0), ...busy];
      for (const { timer } of threads) clearTimeout(timer);
      await Promise.all(threads.map(({ thread }) => thread.end()));
    },
  };
}
