/** One WebSocket connection: its messages in order, its time limits, and its send buffer. */
import type { WebSocketServer } from 'ws';
import type { Log } from '../../shared/core/log.ts';
import type { Clock } from '../../shared/ports.ts';
import { SOCKET_LIMITS } from '../../shared/realtime/socket-limits.ts';

/** The handlers of a connection's events. */
export type SocketHandlers = {
  message(opened: { id: string; openedAt: number }, text: string): Promise<void>;
  controlFrame(id: string): Promise<void>;
  refuse(id: string, message: string): Promise<void>;
  checkAuthenticated(id: string): Promise<void>;
  closed(id: string): Promise<void>;
};

type Peer = WebSocketServer['clients'] extends Set<infer Each> ? Each : never;
export type OpenSocket = ReturnType<typeof openSocket>;

/** Up to this much is sent without waiting; beyond it a message waits until the client reads. */
const BUFFERED_BYTES = 262_144;
/** The number of unhandled messages at which reading pauses. */
const MAX_WAITING = 32;
const CLOSE_MS = 2_000;

/** The close codes of API Gateway, except the policy code: on AWS a server cannot choose it. */
const NORMAL = 1_000;
export const GOING_AWAY = 1_001;
const UNSUPPORTED = 1_003;
const POLICY = 1_008;
const TOO_BIG = 1_009;

const GONE = Promise.resolve('gone' as const);
const SENT = Promise.resolve('sent' as const);

type OpenSocketOptions = { id: string; clock: Clock; log: Log; handlers: SocketHandlers };

export function openSocket(peer: Peer, { id, clock, log, handlers }: OpenSocketOptions) {
  const openedAt = clock.now();
  const isOpen = () => peer.readyState === peer.OPEN;
  const line = lineOf(peer, (error) => log.error('a connection was not served', { connection: id, error }));
  let lastAt = openedAt;
  let isChecked = false;
  let refusedAs: number | undefined;
  let isEnding = false;

  const alive = (): void => {
    lastAt = clock.now();
  };

  function refuse(code: number, message: string): Promise<void> {
    refusedAs = code;
    return handlers.refuse(id, message);
  }

  /** Stops reading once the connection is ending: each frame that the client sent before would cost a turn of the event loop. */
  function take(work: () => Promise<void>): void {
    alive();
    if (isEnding) peer.pause();
    else line(work);
  }

  function end(code: number, reason?: string): void {
    isEnding = true;
    peer.close(code, reason);
    // A client that is gone does not answer the close frame.
    setTimeout(() => peer.terminate(), CLOSE_MS).unref();
  }

  for (const frame of ['ping', 'pong'] as const) peer.on(frame, () => take(() => handlers.controlFrame(id)));
  peer.on('error', (error) => log.info('a connection broke', { connection: id, error }));
  peer.on('message', (data: Buffer, isBinary) =>
    take(async () => {
      if (isEnding) return;
      if (data.byteLength > SOCKET_LIMITS.messageBytes) await refuse(TOO_BIG, 'A message has at most 32 KB.');
      else if (isBinary) await refuse(UNSUPPORTED, 'Messages are JSON text; binary frames are rejected.');
      else await handlers.message({ id, openedAt }, data.toString('utf8'));
    }),
  );

  return {
    openedAt,
    isOpen,
    end,
    close: (fault?: string) => end(refusedAs ?? (fault === undefined ? NORMAL : POLICY), fault),
    post(message: string): Promise<'sent' | 'gone'> {
      if (!isOpen()) return GONE;
      const { promise, resolve } = Promise.withResolvers<'sent' | 'gone'>();
      peer.send(message, (error) => {
        if (!error) alive();
        resolve(error ? 'gone' : 'sent');
      });
      return peer.bufferedAmount < BUFFERED_BYTES ? SENT : promise;
    },
    /** Closes a connection after its lifetime or idle timeout, or if it has not authenticated in time. */
    look(): void {
      const now = clock.now();
      const isOver = now - openedAt >= SOCKET_LIMITS.lifeMs || now - lastAt >= SOCKET_LIMITS.idleMs;
      if (isOver) end(GOING_AWAY);
      if (isOver || isChecked || now - openedAt < SOCKET_LIMITS.authenticateMs) return;
      isChecked = true;
      line(() => handlers.checkAuthenticated(id));
    },
  };
}

/** Runs the work in order; reading pauses while too much work waits. */
function lineOf(peer: Peer, failed: (error: unknown) => void): (work: () => Promise<void>) => void {
  let last = Promise.resolve();
  let waiting = 0;
  return (work) => {
    waiting++;
    if (waiting >= MAX_WAITING) peer.pause();
    last = last
      .then(work)
      .catch(failed)
      .then(() => {
        waiting--;
        if (waiting === 0 && peer.isPaused && peer.readyState === peer.OPEN) peer.resume();
      });
  };
}
