/** The messages of one connection as a sequence, which ends when the connection closes. */
import { ErrandError } from '../errors.ts';
import { aborted } from '../requests/pause.ts';
import { type Connection, connect, type Message, type WebSocketMaker } from './connection.ts';
import type { TaskNews } from './task-news.ts';

type Ports = { wsUrl: string; websocketToken(signal?: AbortSignal): Promise<string> };
type From = {
  since: string;
  signal: AbortSignal;
  /** Reads the status of the tasks: the only source for tasks that ended before the connection was open. */
  look: () => Promise<TaskNews[]>;
  /** False if missed updates are replayed anyway. */
  looksAtFirst: boolean;
};
type Looked = { type: 'looked'; news: TaskNews[] };
type Failed = { type: 'failed'; error: unknown };

/** Throws if no token can be obtained, unless the error may be temporary. */
export async function* messages(
  { wsUrl, websocketToken }: Ports,
  WebSocket: WebSocketMaker,
  { since, signal, look, looksAtFirst }: From,
): AsyncGenerator<Message | Looked, void> {
  const token = await websocketToken(signal).catch((error: unknown) => {
    if (error instanceof ErrandError && error.code !== 'RATE_LIMIT_EXCEEDED') throw error;
  });
  if (token === undefined) return;
  const { put, end, queued } = sequence<Message | Looked | Failed>();
  let connection: Connection | undefined;
  // Messages that arrive during the read are queued.
  const received = (message: Message) => {
    put(message);
    if (message.type !== 'resync_required' && !(looksAtFirst && message.type === 'subscribed')) return;
    look().then(
      (news) => put({ type: 'looked', news }),
      (error) => put({ type: 'failed', error }),
    );
  };
  const close = () => connection?.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    connection = connect({ address: `${wsUrl}/ws/tasks`, WebSocket, token, since, onMessage: received, onEnd: end });
    if (signal.aborted) close();
    for await (const message of queued()) {
      if (signal.aborted) break;
      if (message.type === 'failed') throw message.error;
      yield message;
    }
    if (signal.aborted) throw aborted(signal);
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

/** A queue that is read as an async iterator, in order, until `end` is called. */
function sequence<T>() {
  const waiting: T[] = [];
  let hasEnded = false;
  let wake = () => {};
  return {
    put(item: T) {
      waiting.push(item);
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    async *queued(): AsyncGenerator<T, void> {
      for (;;) {
        if (waiting.length > 0) yield waiting.shift() as T;
        else if (hasEnded) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
