/** The threads that read documents: started on demand, pooled, watched and killed at their limits. */
import { Worker } from 'node:worker_threads';
import { collectHeap } from '../../shared/core/collect-heap.ts';
import type { Semaphore, SlotRequest } from '../../shared/core/semaphore.ts';
import {
  type DocumentFailureReason,
  type DocumentLimits,
  type OcrProgress,
  type ReaderSettings,
  type ReadReply,
  type ReadRequest,
  type StatementStart,
  unreadable,
} from './document.ts';
import type { QueryReply } from './sheets/run-query.ts';

/** A thread that reads documents one after the other. It is killed when it exceeds a limit of CPU time or memory. */

type DocumentThread = {
  /** Resolves with whatever the thread's program returns. */
  read<T>(request: ReadRequest, signal?: AbortSignal): Promise<T>;
  /** Returns true if the thread or a statement failed, or if a large document left its memory full. It is not reused then. */
  isWornOut(): boolean;
  /** Returns true if the last document left more memory in use than a thread may keep while it waits. */
  isLarge(): boolean;
  end(): Promise<void>;
};

type Kill = (reason: DocumentFailureReason, detail: string) => void;

/** A pattern that ends at all ends within milliseconds. */
const PATTERNS_CPU_MS = 1_000;
const CHECK_INTERVAL_MS = 50;
/** The most that counts as waiting between two looks: if it was longer, the main thread was blocked, and not the thread. */
const MAX_LOOK_MS = 2 * CHECK_INTERVAL_MS;
/** Wall-clock time of one SQL statement over tables. */
const STATEMENT_MS = 5_000;
const BYTES_IN_MB = 1_048_576;
const STACK_MB = 8;
const US_IN_MS = 1_000;
/** Allows wall-clock time for a thread that computes, even if a busy machine gives it only a twentieth of a CPU. */
const WALL_PER_CPU = 20;
/**
 * The share of the memory limit up to which a thread is reused: what remains from one document would count against the
 * next.
 */
const REUSE_MEMORY_SHARE = 0.25;
/** A thread that holds more than this waits for its next document only briefly: nothing collects garbage in it. */
const LARGE_BYTES = 64 * BYTES_IN_MB;

export function openThread(workerFile: string, settings: ReaderSettings): DocumentThread {
  const { limits } = settings;
  const worker = workerFor(workerFile, settings);
  let wornOut = false;
  let usedBytes = 0;
  let settle: ((answer: ReadReply) => void) | undefined;
  let budget: CpuBudget | undefined;

  const finish = (answer: ReadReply) => {
    settle?.(answer);
    settle = undefined;
  };
  const fail: Kill = (reason, detail) => {
    wornOut = true;
    finish({ ok: false, reason, detail });
  };
  const kill: Kill = (reason, detail) => {
    fail(reason, detail);
    void worker.terminate();
  };
  let statementTimer: NodeJS.Timeout | undefined;
  const limitStatement = () => {
    statementTimer = setTimeout(() => kill('tooSlow', 'The statement ran too long.'), STATEMENT_MS);
  };
  worker.on('message', (message: ReadReply | OcrProgress | StatementStart) => {
    if ('statement' in message) limitStatement();
    else if ('ocr' in message) budget?.record(message);
    else finish(message);
  });
  worker.on('messageerror', (error) => kill('corrupt', error.message));
  worker.on('error', (error: NodeJS.ErrnoException) =>
    fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'tooLarge' : 'corrupt', error.message),
  );
  worker.on('exit', (code) => fail('corrupt', `The thread ended with ${code}.`));

  return {
    async read<T>(request: ReadRequest, signal?: AbortSignal) {
      signal?.throwIfAborted();
      budget = cpuBudget(request.tests ? { ...limits, cpuMs: PATTERNS_CPU_MS } : limits);
      const stopWatching = watch(worker, { ...limits, budget }, kill, (used) => {
        usedBytes = used;
        if (used > REUSE_MEMORY_SHARE * limits.memoryMb * BYTES_IN_MB) wornOut = true;
      });
      const abort = () => kill('tooSlow', 'The caller gave up.');
      signal?.addEventListener('abort', abort, { once: true });
      worker.ref();
      const answer = await new Promise<ReadReply>((resolve) => {
        settle = resolve;
        worker.postMessage(request);
      });
      worker.unref();
      clearTimeout(statementTimer);
      if (answer.ok && runsStatement(request) && (answer.found as QueryReply).error !== undefined) wornOut = true;
      signal?.removeEventListener('abort', abort);
      stopWatching();
      signal?.throwIfAborted();
      if (!answer.ok) throw unreadable(answer.reason, answer.detail);
      return answer.found as T;
    },
    isWornOut: () => wornOut,
    isLarge: () => usedBytes > LARGE_BYTES,
    async end() {
      await worker.terminate();
    },
  };
}

/** Without a statement, a query only describes the tables. */
const runsStatement = ({ query }: ReadRequest): boolean => query?.sql !== undefined;

function workerFor(workerFile: string, settings: ReaderSettings): Worker {
  const worker = new Worker(workerFile, {
    workerData: settings,
    // A parser gets no environment or arguments of the process, and its output is discarded.
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: settings.limits.heapMb, stackSizeMb: STACK_MB },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  worker.unref();
  return worker;
}

type WatchLimits = Pick<DocumentLimits, 'memoryMb' | 'waitMs'> & { budget: CpuBudget };

/**
 * Polls buffers, WebAssembly and CPU time from outside, which works even while the thread is busy. V8 limits only its
 * heap.
 */
function watch(
  worker: Worker,
  { memoryMb, waitMs, budget }: WatchLimits,
  kill: Kill,
  noteUse: (bytes: number) => void,
): () => void {
  let lookedAt = performance.now();
  let ranMs = 0;
  // A thread that was just started does not answer yet and has used no CPU time.
  const startedAtCpuMs = cpuMsOf(worker).then((cpuMs) => cpuMs ?? 0);
  let usedCpuMs = 0;
  let isOver = false;
  const look = setInterval(async () => {
    const now = performance.now();
    ranMs += Math.min(now - lookedAt, MAX_LOOK_MS);
    lookedAt = now;
    // This check comes before the awaits below: a thread in a long native call answers none of them. So it does not know what
    // the thread used while the main thread was blocked, and does not count that time.
    if (ranMs > waitMs + WALL_PER_CPU * usedCpuMs) kill('tooSlow', `The thread ran for ${Math.round(ranMs)} ms.`);
    // These calls fail only if the thread has ended, which its events report.
    const looks = Promise.all([worker.getHeapStatistics(), cpuMsOf(worker), startedAtCpuMs]);
    const [heap, cpuMs, cpuMsBefore] = (await looks.catch(() => undefined)) ?? [];
    if (heap === undefined || cpuMs === undefined || cpuMsBefore === undefined) return;
    const used = heap.used_heap_size + heap.external_memory;
    // A thread that computed all the time answers only after its reading.
    noteUse(used);
    if (isOver) return;
    usedCpuMs = cpuMs - cpuMsBefore;
    if (used > memoryMb * BYTES_IN_MB) kill('tooLarge', `The thread held ${used} bytes.`);
    if (budget.isExceeded(cpuMs, cpuMsBefore)) kill('tooSlow', `The thread used ${usedCpuMs} ms of CPU time.`);
  }, CHECK_INTERVAL_MS);
  return () => {
    isOver = true;
    clearInterval(look);
  };
}

async function cpuMsOf(worker: Worker): Promise<number | undefined> {
  const used = await worker.cpuUsage().catch(() => undefined);
  return used && (used.user + used.system) / US_IN_MS;
}

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

// The limits of a thread: CPU time, with OCR counted separately, and WebAssembly memory.

/**
 * Decides if one reading has exceeded its CPU time. OCR is counted separately, as its time depends on the number of
 * pages.
 */
type CpuBudget = {
  record(progress: OcrProgress): void;
  /** Both arguments are CPU times of the thread: now, and when the reading began. */
  isExceeded(cpuMs: number, startedAtCpuMs: number): boolean;
};

export function cpuBudget({ cpuMs: mostMs, ocrPageCpuMs }: Pick<DocumentLimits, 'cpuMs' | 'ocrPageCpuMs'>): CpuBudget {
  let recognized = 0;
  let ocrMs = 0;
  let ocrStartedAt: number | undefined;
  return {
    record({ ocr, cpuMs }) {
      if (ocr === 'begins') {
        recognized++;
        ocrStartedAt = cpuMs;
      } else if (ocrStartedAt !== undefined) {
        ocrMs += cpuMs - ocrStartedAt;
        ocrStartedAt = undefined;
      }
    },
    isExceeded(cpuMs, startedAtCpuMs) {
      const used = cpuMs - startedAtCpuMs;
      const usedByOcr = ocrMs + (ocrStartedAt === undefined ? 0 : cpuMs - ocrStartedAt);
      // Time reserved for OCR cannot be used for anything else, but OCR may use the remaining general time.
      return used - usedByOcr > mostMs || used > mostMs + recognized * ocrPageCpuMs;
    },
  };
}

/** The part of WebAssembly.Memory that is used here. */
type WebAssemblyMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
type WebAssemblyMemoryClass = { prototype: WebAssemblyMemory };

const PAGE_BYTES = 65_536;

export const webAssemblyMemory = (): WebAssemblyMemoryClass =>
  (Reflect.get(globalThis, 'WebAssembly') as { Memory: WebAssemblyMemoryClass }).Memory;

/**
 * Limits a thread's WebAssembly memory, for which V8 has no limit; grown memory never shrinks. Returns a function that
 * reports if a program was refused more memory.
 */
export function limitWebAssembly({ prototype }: WebAssemblyMemoryClass, maxBytes: number): () => boolean {
  const { grow } = prototype;
  let isRefused = false;
  prototype.grow = function growWithin(this: WebAssemblyMemory, pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > maxBytes) {
      isRefused = true;
      throw new RangeError('WebAssembly may not grow any more.');
    }
    return grow.call(this, pages);
  };
  return () => isRefused;
}
