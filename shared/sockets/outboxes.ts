/**
 * What waits for each connection, in order and bounded: a slow reader never slows whoever works. One that falls behind
 * loses what waits, is told so once it reads again, and then looks for itself.
 */
import type { Log } from '../core/log.ts';
import type { Sockets } from '../ports.ts';
import { SOCKET_LIMITS } from './socket-limits.ts';

/** Of a task, `seq` tells what is older. */
export type Letter = { text: string; about?: { taskId: string; seq: number } };

/** Whose connection it is, besides. */
export type Addressee = { connection: string; organization: string };

export type Outboxes = {
  put(to: Addressee, letter: Letter): void;
  /** Keeps back what comes, until it is released. */
  hold(to: Addressee): void;
  /** Without what is no newer than these, by task. */
  release(to: Addressee, told: ReadonlyMap<string, number>): void;
  /** Resolves when nothing is on its way. */
  settled(): Promise<void>;
};

type Outbox = { waiting: Letter[]; bytes: number; isBehind: boolean; isHeld: boolean; sending?: Promise<void> };
type Options = {
  sockets: Pick<Sockets, 'post'>;
  log: Log;
  /** What a connection that lost messages is told. */
  behind(): string;
  gone(who: Addressee): void;
};

export function outboxes({ sockets, log, behind, gone }: Options): Outboxes {
  const boxes = new Map<string, Outbox>();

  function boxOf(connection: string): Outbox {
    const box = boxes.get(connection) ?? { waiting: [], bytes: 0, isBehind: false, isHeld: false };
    boxes.set(connection, box);
    return box;
  }

  function send(to: Addressee, box: Outbox): void {
    if (!box.isHeld) box.sending ??= sendAll(to, box).catch((error) => failed(to, box, error));
  }

  async function sendAll(to: Addressee, box: Outbox): Promise<void> {
    const { connection } = to;
    for (let next = take(box, behind); next !== undefined; next = take(box, behind)) {
      if ((await sockets.post(connection, next)) === 'sent') continue;
      boxes.delete(connection);
      return gone(to);
    }
    delete box.sending;
    if (!box.isHeld) boxes.delete(connection);
  }

  function failed(to: Addressee, box: Outbox, error: unknown): void {
    log.warn('a connection was not reached', { ...to, error });
    drop(box);
    delete box.sending;
  }

  return {
    put(to, letter) {
      const box = boxOf(to.connection);
      // What would wait behind the loss is lost with it: the connection looks for itself.
      if (!box.isBehind || !(box.sending || box.isHeld)) add(box, letter);
      send(to, box);
    },
    hold({ connection }) {
      boxOf(connection).isHeld = true;
    },
    release(to, told) {
      const box = boxOf(to.connection);
      box.isHeld = false;
      box.waiting = box.waiting.filter(({ about }) => !about || about.seq > (told.get(about.taskId) ?? 0));
      box.bytes = box.waiting.reduce((sum, { text }) => sum + text.length, 0);
      if (box.waiting.length > 0 || box.isBehind) send(to, box);
      else if (!box.sending) boxes.delete(to.connection);
    },
    async settled() {
      for (;;) {
        const sending = [...boxes.values()].flatMap((box) => box.sending ?? []);
        if (sending.length === 0) return;
        await Promise.all(sending);
      }
    },
  };
}

function add(box: Outbox, letter: Letter): void {
  box.waiting.push(letter);
  box.bytes += letter.text.length;
  const { waitingMessages, waitingBytes } = SOCKET_LIMITS;
  if (box.waiting.length > waitingMessages || box.bytes > waitingBytes) drop(box);
}

function drop(box: Outbox): void {
  box.waiting = [];
  box.bytes = 0;
  box.isBehind = true;
}

/** Before anything else, that something was lost. */
function take(box: Outbox, behind: () => string): string | undefined {
  if (box.isHeld) return undefined;
  if (box.isBehind) {
    box.isBehind = false;
    return behind();
  }
  const next = box.waiting.shift();
  box.bytes -= next?.text.length ?? 0;
  return next?.text;
}
