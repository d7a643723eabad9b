/** One open WebSocket connection on one machine: its messages one after the other, its time, and what is sent to it. */
import type { WebSocketServer } from 'ws';
import type { Log } from '../shared/core/log.ts';
import type { Clock } from '../shared/ports.ts';
import { SOCKET_LIMITS } from '../shared/realtime/connections.ts';

/** What is done with connections. */
export type SocketHandlers = {
  message(opened: { id: string; openedAt: number }, text: string): Promise<void>;
  controlFrame(id: string): Promise<void>;
  refuse(id: string, message: string): Promise<void>;
  checkAuthenticated(id: string): Promise<void>;
  closed(id: string): Promise<void>;
};

export type Peer = WebSocketServer['clients'] extends Set<infer Each> ? Each : never;
export type OpenSocket = ReturnType<typeof openSocket>;

/** What goes to the kernel at once; behind it a message waits for the reader. */
const BUFFERED_BYTES = 262_144;
/** Of messages that came and are not answered: then no more are read. */
const MOST_WAITING = 32;
const CLOSE_MS = 2_000;

/** As the gateway gives them, but for the policy's: it lets nobody choose. */
const NORMAL = 1_000;
export const GOING_AWAY = 1_001;
const UNSUPPORTED = 1_003;
const POLICY = 1_008;
const TOO_BIG = 1_009;

const GONE = Promise.resolve('gone' as const);
const SENT = Promise.resolve('sent' as const);

type Given = { id: string; clock: Clock; log: Log; handlers: SocketHandlers };

export function openSocket(peer: Peer, { id, clock, log, handlers }: Given) {
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

  /** A sender that does not stop is not read any more: what it sent before would cost a turn of the loop for each frame. */
  function take(work: () => Promise<void>): void {
    alive();
    if (isEnding) peer.pause();
    else line(work);
  }

  function end(code: number, reason?: string): void {
    isEnding = true;
    peer.close(code, reason);
    // A peer that is not there any more answers no farewell.
    setTimeout(() => peer.terminate(), CLOSE_MS).unref();
  }

  for (const frame of ['ping', 'pong'] as const) peer.on(frame, () => take(() => handlers.controlFrame(id)));
  peer.on('error', (error) => log.info('a connection broke', { connection: id, error }));
  peer.on('message', (data: Buffer, isBinary) =>
    take(async () => {
      if (isEnding) return;
      if (data.byteLength > SOCKET_LIMITS.messageBytes) await refuse(TOO_BIG, 'A message has at most 32 KB.');
      else if (isBinary) await refuse(UNSUPPORTED, 'Messages are JSON text; binary frames are not taken.');
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
    /** Ends what has lived or been silent for too long, and what has not said in time whom it is for. */
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

/** One piece of work after the other; while too much waits, nothing more is read. */
function lineOf(peer: Peer, failed: (error: unknown) => void): (work: () => Promise<void>) => void {
  let last = Promise.resolve();
  let waiting = 0;
  return (work) => {
    waiting++;
    if (waiting >= MOST_WAITING) peer.pause();
    last = last
      .then(work)
      .catch(failed)
      .then(() => {
        waiting--;
        if (waiting === 0 && peer.isPaused && peer.readyState === peer.OPEN) peer.resume();
      });
  };
}
