/** The messages of a queue in memory: which are visible, which are hidden until when, and who holds them. */
import type { Clock, Ids, Outgoing, Received } from '../shared/ports.ts';
import { fairLine } from './fair-line.ts';
import { later } from './later.ts';

type Message = { sent: Outgoing; sentAt: number; receives: number; receipt: string; gone: boolean };

export type MessagesOptions = {
  clock: Clock;
  ids: Ids;
  visibilitySeconds: number;
  maxReceives: number;
  /** Takes what was received too often; without it a message is received for ever. */
  bury?: (sent: Outgoing) => void;
};

export function messages(o: MessagesOptions) {
  const visible = fairLine<Message>();
  const hidden = later<Message>();
  /** By the latest receipt. A holder that comes too late may still say done, until somebody else receives the message. */
  const held = new Map<string, Message>();

  const show = (message: Message): void => visible.add(message.sent.group ?? '', message);

  function place(message: Message, seconds: number): void {
    if (seconds > 0) hidden.set(message, o.clock.now() + seconds * 1_000);
    else show(message);
  }

  function received(message: Message): Received {
    message.receipt = o.ids.mark();
    message.receives++;
    held.set(message.receipt, message);
    place(message, o.visibilitySeconds);
    return { body: message.sent.body, receipt: message.receipt, receives: message.receives, sentAt: message.sentAt };
  }

  return {
    nextAt: hidden.nextAt,

    add(sent: Outgoing): void {
      place({ sent, sentAt: o.clock.now(), receives: 0, receipt: '', gone: false }, sent.delaySeconds ?? 0);
    },

    take(most: number): Received[] {
      const now = o.clock.now();
      for (let message = hidden.take(now); message; message = hidden.take(now)) show(message);
      const taken: Received[] = [];
      for (let message = visible.take(); message; message = taken.length < most ? visible.take() : undefined) {
        if (message.gone) continue;
        held.delete(message.receipt);
        if (o.bury && message.receives >= o.maxReceives) o.bury(message.sent);
        else taken.push(received(message));
      }
      return taken;
    },

    done(receipt: string): void {
      const message = held.get(receipt);
      if (message === undefined) return;
      message.gone = true;
      held.delete(receipt);
      hidden.delete(message);
    },

    release(receipt: string, seconds: number): void {
      const message = held.get(receipt);
      if (message === undefined || !hidden.has(message)) return;
      hidden.delete(message);
      place(message, seconds);
    },
  };
}
