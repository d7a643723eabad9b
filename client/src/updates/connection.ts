/** One authenticated and subscribed WebSocket connection, with pings, closed when the server does not respond. */
import { objectIn } from '../errors.ts';
import type { TaskNews } from './task-news.ts';

/** `never`, because each WebSocket implementation has its own event types. */
export type WebSocketLike = {
  send(text: string): void;
  close(): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
};
export type WebSocketMaker = new (address: string) => WebSocketLike;

export type Message =
  | (TaskNews & { timestamp: string })
  | { type: 'authenticated' | 'subscribed' | 'pong' | 'connection_ending' | 'resync_required' }
  | { type: 'replay_complete'; timestamp: string }
  | { type: 'error'; code: string; message: string };

export type Connection = { close(): void };

type ConnectionOptions = {
  address: string;
  WebSocket: WebSocketMaker;
  token: string;
  /** The time of the last received message. */
  since: string | undefined;
  onMessage(message: Message): void;
  /** Called once, whatever the cause. */
  onEnd(): void;
};

const PING_MS = 120_000;
const PATIENCE_MS = 20_000;

export function connect(options: ConnectionOptions): Connection {
  try {
    return connectionOver(new options.WebSocket(options.address), options);
  } catch {
    // The page's content policy may forbid the connection.
    options.onEnd();
    return { close() {} };
  }
}

function connectionOver(socket: WebSocketLike, { token, since, onMessage, onEnd }: ConnectionOptions): Connection {
  const send = (message: object) => socket.send(JSON.stringify(message));
  let hasEnded = false;
  // The server must respond soon until the subscription is confirmed.
  let silence = setTimeout(end, PATIENCE_MS);
  const pinging = setInterval(() => {
    send({ type: 'ping' });
    silence = setTimeout(end, PATIENCE_MS);
  }, PING_MS);

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    clearInterval(pinging);
    clearTimeout(silence);
    socket.close();
    onEnd();
  }

  function receive(message: Message): void {
    if (message.type === 'authenticated') {
      const resume = since === undefined ? {} : { resume_from: { since } };
      send({ type: 'subscribe', channels: ['task_updates'], ...resume });
      return;
    }
    clearTimeout(silence);
    if (hasEnded) return;
    onMessage(message);
    // The next connection receives the updates that this one no longer delivers.
    if (message.type === 'error' || message.type === 'connection_ending') end();
  }

  socket.onopen = () => send({ type: 'authenticate', token });
  socket.onmessage = ({ data }: { data: unknown }) => {
    const message = objectIn(String(data));
    if (message?.type) receive(message as Message);
  };
  socket.onclose = end;
  socket.onerror = end;
  return { close: end };
}
