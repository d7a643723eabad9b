/**
 * Computes scrypt in dedicated threads, started on demand and ended when idle. Each computation takes 128 MiB and a core for most of a
 * second. In Node's thread pool, a few of them would block every file access and DNS lookup.
 */
import { Worker } from 'node:worker_threads';
import { semaphore } from '../../shared/core/semaphore.ts';
import type { DeriveKey, ScryptRequest } from './passwords.ts';

const PROGRAM = new URL('./scrypt-worker.ts', import.meta.url);
/** Node's watcher (`npm run dev`) asks threads by their environment for messages of its own, which would count as hashes. */
const NO_ENVIRONMENT = {};
/** A thread needs nothing of what the process preloads, and starts sooner without. */
const NO_ARGUMENTS: string[] = [];
/** Fairness between organizations is up to the callers, so all requests count as one organization here. */
const ANY = 'any';
/** An idle thread takes about 5 MB, and starting one takes a twentieth of the time of a computation. */
const IDLE_MS = 2_000;

type IdleThread = { worker: Worker; end: NodeJS.Timeout };

export function scryptThreads(count: number, { idleMs = IDLE_MS }: { idleMs?: number } = {}): DeriveKey {
  const slots = semaphore({ capacity: count, maxEach: count });
  const idle: IdleThread[] = [];

  function take(): Worker {
    const warm = idle.pop();
    if (!warm) return new Worker(PROGRAM, { env: NO_ENVIRONMENT, execArgv: NO_ARGUMENTS });
    clearTimeout(warm.end);
    return warm.worker;
  }

  function release(worker: Worker): void {
    const end = setTimeout(() => {
      idle.splice(idle.indexOf(thread), 1);
      void worker.terminate();
    }, idleMs).unref();
    const thread = { worker, end };
    idle.push(thread);
  }

  async function compute(request: ScryptRequest): Promise<Uint8Array> {
    const worker = take();
    // A working thread keeps the process alive. A thread that ends by itself is not reused.
    worker.ref();
    const hash = await answerOf(worker, request);
    worker.unref();
    release(worker);
    return hash;
  }

  return (request) => slots.run({ organization: ANY }, () => compute(request));
}

function answerOf(worker: Worker, request: ScryptRequest): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    worker.once('message', (hash: Uint8Array) => {
      worker.off('error', reject);
      resolve(hash);
    });
    worker.once('error', reject);
    worker.postMessage(request);
  });
}
