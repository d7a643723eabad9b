/**
 * Posts webhooks from a thread of its own, so that TLS handshakes with receivers never block the event loop that serves
 * callers.
 */

import { Worker } from 'node:worker_threads';
import type { Fields, Log, LogLevel } from '../../shared/core/log.ts';
import type { Post, PostResult } from '../../shared/ports.ts';

/** The product's own hosts, which no webhook may name. */
export type WebhookThreadSettings = { ownHosts: string[] };

export type WebhookThreadRequest = { id: number; address: string; message: Parameters<Post>[1] } | { cut: number };

export type WebhookThreadMessage =
  | { id: number; posted: PostResult }
  | { id: number; error: unknown }
  | { level: LogLevel; message: string; fields: Fields | undefined };

/** Sends everything from one turn of the event loop as one message, as each message wakes the other thread. */
export function batchPerTurn<T>(send: (batch: T[]) => void): (item: T) => void {
  let batch: T[] = [];
  return (item) => {
    if (batch.push(item) > 1) return;
    setImmediate(() => {
      const full = batch;
      batch = [];
      send(full);
    });
  };
}

const PROGRAM = new URL('./webhook-worker.ts', import.meta.url);
const YOUNG_MB = 8;

type PendingPost = Pick<PromiseWithResolvers<PostResult>, 'resolve' | 'reject'>;

/** The thread starts with the first webhook, and again after it has failed. */
export function threadedWebhookSender(setting: WebhookThreadSettings, log: Log): { post: Post; stop(): Promise<void> } {
  const pending = new Map<number, PendingPost>();
  let thread: Worker | undefined;
  let lastId = 0;

  function settle(reply: WebhookThreadMessage): void {
    if ('level' in reply) log[reply.level](reply.message, reply.fields);
    else if ('error' in reply) pending.get(reply.id)?.reject(reply.error);
    else pending.get(reply.id)?.resolve(reply.posted);
  }

  /** Rejects all pending posts. The next post starts a new thread. */
  function failPending(error: unknown): void {
    thread = undefined;
    for (const { reject } of pending.values()) reject(error);
  }

  function startThread(): Worker {
    const worker = new Worker(PROGRAM, {
      workerData: setting,
      // Node's watcher (`npm run dev`) asks threads by their environment for messages of its own.
      env: {},
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on('message', (batch: WebhookThreadMessage[]) => batch.forEach(settle));
    worker.on('error', failPending);
    worker.on(
      'exit',
      (code) => thread === worker && failPending(new Error(`The thread that sends webhooks ended with ${code}.`)),
    );
    worker.unref();
    return worker;
  }

  const send = batchPerTurn<WebhookThreadRequest>((batch) => {
    thread ??= startThread();
    thread.postMessage(batch);
  });

  return {
    async post(address, message, signal) {
      signal?.throwIfAborted();
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<PostResult>();
      pending.set(id, { resolve, reject });
      const cut = () => {
        send({ cut: id });
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cut, { once: true });
      send({ id, address, message });
      try {
        return await promise;
      } finally {
        pending.delete(id);
        signal?.removeEventListener('abort', cut);
      }
    },
    async stop() {
      await thread?.terminate();
    },
  };
}
