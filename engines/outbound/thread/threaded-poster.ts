/**
 * Posts webhooks from a thread of its own, begun with the first of them: handshakes with receivers and the reading of
 * their answers take nothing of the loop that serves callers.
 */
import { Worker } from 'node:worker_threads';
import type { Log } from '../../../shared/core/log.ts';
import type { Post, Posted } from '../../../shared/ports.ts';
import { inBatches } from './in-batches.ts';
import type { Asked, Said, Setting } from './message.ts';

const PROGRAM = new URL('./post-worker.ts', import.meta.url);
const YOUNG_MB = 8;

type Waiting = Pick<PromiseWithResolvers<Posted>, 'resolve' | 'reject'>;

export function threadedPoster(setting: Setting, log: Log): { post: Post; stop(): Promise<void> } {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let asked = 0;

  function settle(said: Said): void {
    if ('level' in said) log[said.level](said.message, said.fields);
    else if ('error' in said) waiting.get(said.id)?.reject(said.error);
    else waiting.get(said.id)?.resolve(said.posted);
  }

  /** Whoever waited is told, and the next one begins anew. */
  function ended(error: unknown): void {
    thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
  }

  function begun(): Worker {
    const worker = new Worker(PROGRAM, { workerData: setting, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    worker.on('message', (batch: Said[]) => batch.forEach(settle));
    worker.on('error', ended);
    worker.on('exit', (code) => thread === worker && ended(new Error(`The thread of the poster ended with ${code}.`)));
    worker.unref();
    return worker;
  }

  const ask = inBatches<Asked>((batch) => {
    thread ??= begun();
    thread.postMessage(batch);
  });

  return {
    async post(address, message, signal) {
      signal?.throwIfAborted();
      const id = ++asked;
      const { promise, resolve, reject } = Promise.withResolvers<Posted>();
      waiting.set(id, { resolve, reject });
      const cut = () => {
        ask({ cut: id });
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cut, { once: true });
      ask({ id, address, message });
      try {
        return await promise;
      } finally {
        waiting.delete(id);
        signal?.removeEventListener('abort', cut);
      }
    },
    async stop() {
      await thread?.terminate();
    },
  };
}
