/** The messages that wait to be sent to connections. Their number and size are bounded. */

import type { Log } from '../core/log.ts';
import type { Sockets } from '../ports.ts';
import { SOCKET_LIMITS } from './socket-limits.ts';

/** For a task, `seq` orders its updates. */
export type SocketMessage = { text: string; about?: { taskId: string; seq: number } };

/** A connection and its organization. */
export type Recipient = { connection: string; organization: string };

export type SendBuffers = {
  put(to: Recipient, message: SocketMessage): void;
  /** Buffers messages until `release` is called. */
  pause(to: Recipient): void;
  /** Omits updates that are not newer than these sequence numbers, by task. */
  release(to: Recipient, sentVersions: ReadonlyMap<string, number>): void;
  /** Resolves when no send is in progress. */
  settled(): Promise<void>;
};

type SendBuffer = {
  waiting: SocketMessage[];
  bytes: number;
  isBehind: boolean;
  isHeld: boolean;
  sending?: Promise<void>;
};
type Options = {
  sockets: Pick<Sockets, 'post'>;
  log: Log;
  /** The message for a connection whose messages were dropped. */
  lossNotice(): string;
  onGone(who: Recipient): void;
};

export function sendBuffers({ sockets, log, lossNotice, onGone }: Options): SendBuffers {
  const buffers = new Map<string, SendBuffer>();

  function bufferOf(connection: string): SendBuffer {
    const box = buffers.get(connection) ?? { waiting: [], bytes: 0, isBehind: false, isHeld: false };
    buffers.set(connection, box);
    return box;
  }

  function send(to: Recipient, box: SendBuffer): void {
    if (!box.isHeld) box.sending ??= sendAll(to, box).catch((error) => failed(to, box, error));
  }

  async function sendAll(to: Recipient, box: SendBuffer): Promise<void> {
    const { connection } = to;
    for (let next = take(box, lossNotice); next !== undefined; next = take(box, lossNotice)) {
      if ((await sockets.post(connection, next)) === 'sent') continue;
      buffers.delete(connection);
      return onGone(to);
    }
    delete box.sending;
    if (!box.isHeld) buffers.delete(connection);
  }

  function failed(to: Recipient, box: SendBuffer, error: unknown): void {
    log.warn('a message to a connection was not sent', { ...to, error });
    drop(box);
    delete box.sending;
  }

  return {
    put(to, message) {
      const box = bufferOf(to.connection);
      // After a loss, later messages are dropped too until the client was notified; it must poll.
      if (!box.isBehind || !(box.sending || box.isHeld)) add(box, message);
      send(to, box);
    },
    pause({ connection }) {
      bufferOf(connection).isHeld = true;
    },
    release(to, sentVersions) {
      const box = bufferOf(to.connection);
      box.isHeld = false;
      box.waiting = box.waiting.filter(({ about }) => !about || about.seq > (sentVersions.get(about.taskId) ?? 0));
      box.bytes = box.waiting.reduce((sum, { text }) => sum + text.length, 0);
      if (box.waiting.length > 0 || box.isBehind) send(to, box);
      else if (!box.sending) buffers.delete(to.connection);
    },
    async settled() {
      for (;;) {
        const sending = [...buffers.values()].flatMap((box) => box.sending ?? []);
        if (sending.length === 0) return;
        await Promise.all(sending);
      }
    },
  };
}

function add(box: SendBuffer, message: SocketMessage): void {
  box.waiting.push(message);
  box.bytes += message.text.length;
  const { waitingMessages, waitingBytes } = SOCKET_LIMITS;
  if (box.waiting.length > waitingMessages || box.bytes > waitingBytes) drop(box);
}

function drop(box: SendBuffer): void {
  box.waiting = [];
  box.bytes = 0;
  box.isBehind = true;
}

/** Sends the notice of a loss before any other message. */
function take(box: SendBuffer, lossNotice: () => string): string | undefined {
  if (box.isHeld) return undefined;
  if (box.isBehind) {
    box.isBehind = false;
    return lossNotice();
  }
  const next = box.waiting.shift();
  box.bytes -= next?.text.length ?? 0;
  return next?.text;
}
