/**
 * Computes scrypt in threads of its own, started when they are first needed: each computation takes 128 MiB and a core
 * for most of a second, and in Node's thread pool a few of them would hold up every file and DNS lookup.
 */
import { Worker } from 'node:worker_threads';
import { semaphore } from '../../shared/core/semaphore.ts';
import type { DeriveKey, ScryptRequest } from './passwords.ts';

const PROGRAM = new URL('./scrypt-worker.ts', import.meta.url);
/** Callers that are to be served fairly take turns before they come here. */
const ANY = 'any';

export function scryptThreads(count: number): DeriveKey {
  const slots = semaphore({ capacity: count, maxEach: count });
  const idle: Worker[] = [];

  async function compute(request: ScryptRequest): Promise<Uint8Array> {
    const worker = idle.pop() ?? new Worker(PROGRAM);
    // While it works it keeps the process alive, and when it ends by itself it is not used again.
    worker.ref();
    const hash = await answerOf(worker, request);
    worker.unref();
    idle.push(worker);
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
