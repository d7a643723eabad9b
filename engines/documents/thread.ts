/** A thread that reads documents: started, watched, and killed at its limits. */
import { Worker } from 'node:worker_threads';
import { type CpuBudget, cpuBudget } from './cpu-budget.ts';
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
export type DocumentThread = {
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
      if (answer.ok && runsStatement(request) && (answer.result as QueryReply).error !== undefined) wornOut = true;
      signal?.removeEventListener('abort', abort);
      stopWatching();
      signal?.throwIfAborted();
      if (!answer.ok) throw unreadable(answer.reason, answer.detail);
      return answer.result as T;
    },
    isWornOut: () => wornOut,
    isLarge: () => usedBytes > LARGE_BYTES,
    async end() {
      await worker.terminate();
    },
  };
}

/** Without a statement, a query only describes the tables. */
export const runsStatement = ({ query }: ReadRequest): boolean => query?.sql !== undefined;

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
