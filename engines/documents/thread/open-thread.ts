/** One thread that reads documents one after the other, and is killed when a limit of time or memory is passed. */
import { Worker } from 'node:worker_threads';
import { type Reason, unreadable } from '../failure.ts';
import type { Limits } from '../limits.ts';
import type { Answered, Asked, Setting } from './message.ts';

export type Thread = {
  /** What is found is what the program of the thread makes of it. */
  read<T>(asked: Asked, signal?: AbortSignal): Promise<T>;
  /** A thread that failed is not asked again, nor one that a large document has left full. */
  isSpent(): boolean;
  end(): Promise<void>;
};

type Kill = (reason: Reason, detail: string) => void;

const LOOK_EVERY_MS = 50;
const BYTES_IN_MB = 1_048_576;
const STACK_MB = 8;
/** Of its memory: what is left over from one document would count against the next. */
const FULL = 0.25;

export function openThread(workerFile: string, setting: Setting): Thread {
  const { limits } = setting;
  const worker = workerFor(workerFile, setting);
  let spent = false;
  let settle: ((answer: Answered) => void) | undefined;

  const finish = (answer: Answered) => {
    settle?.(answer);
    settle = undefined;
  };
  const fail: Kill = (reason, detail) => {
    spent = true;
    finish({ ok: false, reason, detail });
  };
  const kill: Kill = (reason, detail) => {
    fail(reason, detail);
    void worker.terminate();
  };
  worker.on('message', finish);
  worker.on('messageerror', (error) => kill('corrupt', error.message));
  worker.on('error', (error: NodeJS.ErrnoException) =>
    fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'tooLarge' : 'corrupt', error.message),
  );
  worker.on('exit', (code) => fail('corrupt', `The thread ended with ${code}.`));

  return {
    async read<T>(asked: Asked, signal?: AbortSignal) {
      signal?.throwIfAborted();
      const rest = watch(worker, limits, kill, () => {
        spent = true;
      });
      const abort = () => kill('tooSlow', 'The caller gave up.');
      signal?.addEventListener('abort', abort, { once: true });
      worker.ref();
      const answer = await new Promise<Answered>((resolve) => {
        settle = resolve;
        worker.postMessage(asked);
      });
      worker.unref();
      signal?.removeEventListener('abort', abort);
      rest();
      signal?.throwIfAborted();
      if (!answer.ok) throw unreadable(answer.reason, answer.detail);
      return answer.found as T;
    },
    isSpent: () => spent,
    async end() {
      await worker.terminate();
    },
  };
}

function workerFor(workerFile: string, setting: Setting): Worker {
  const worker = new Worker(workerFile, {
    workerData: setting,
    // A parser learns nothing of the process, and what it prints goes nowhere.
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: setting.limits.heapMb, stackSizeMb: STACK_MB },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  worker.unref();
  return worker;
}

/** V8 bounds a thread's heap; buffers and WebAssembly are looked at from here, even while the thread is busy. */
function watch(worker: Worker, { memoryMb, readMs }: Limits, kill: Kill, noteFull: () => void): () => void {
  const look = setInterval(async () => {
    // The look itself fails only when the thread is gone, which its events tell.
    const heap = await worker.getHeapStatistics().catch(() => undefined);
    const used = heap ? heap.used_heap_size + heap.external_memory : 0;
    if (used > FULL * memoryMb * BYTES_IN_MB) noteFull();
    if (used > memoryMb * BYTES_IN_MB) kill('tooLarge', `The thread held ${used} bytes.`);
  }, LOOK_EVERY_MS);
  const clock = setTimeout(() => kill('tooSlow', `The thread ran for ${readMs} ms.`), readMs);
  return () => {
    clearInterval(look);
    clearTimeout(clock);
  };
}
