/** The messages of a queue in memory: which are visible, which are hidden until when, and who holds them. */
import type { Clock, Ids, Outgoing, Received } from '../shared/ports.ts';
import { fairLine } from './fair-line.ts';
import { timedSet } from './later.ts';

export type MayTake = (group: string, alreadyTaken: number) => boolean;

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
  const hidden = timedSet<Message>();
  /** By the latest receipt. A holder that comes too late may still say done, until somebody else receives the message. */
  const held = new Map<string, Message>();

  const show = (message: Message): void => visible.add(message.sent.group ?? '', message);

  function showAgain(now: number): void {
    for (let message = hidden.take(now); message; message = hidden.take(now)) show(message);
  }

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

    /** Takes of a group only as long as `mayTake`, which is given how many of it this call has taken so far. */
    take(most: number, mayTake: MayTake = () => true): Received[] {
      showAgain(o.clock.now());
      const taken: Received[] = [];
      const groups = new Map<string, number>();
      const next = () => visible.take((group) => mayTake(group, groups.get(group) ?? 0));
      for (let message = next(); message; message = taken.length < most ? next() : undefined) {
        if (message.gone) continue;
        held.delete(message.receipt);
        if (o.bury && message.receives >= o.maxReceives) o.bury(message.sent);
        else {
          const { group = '' } = message.sent;
          groups.set(group, (groups.get(group) ?? 0) + 1);
          taken.push(received(message));
        }
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
