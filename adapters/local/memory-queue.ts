/** An in-memory queue with the rules of SQS, fair between message groups. The reconciler resends messages that are lost. */
import { checkReceive, checkRelease, checkSend } from '../../shared/core/queue-limits.ts';
import type { Clock, Ids, OutgoingMessage, Queue, ReceivedMessage } from '../../shared/ports.ts';
import { fairLine } from './fair-queue.ts';
import { timedSet } from './timed-set.ts';
import { receivers } from './waiting-receivers.ts';

/** Whether a group may take a message, given how many of its messages this call has taken already. */
type MayTake = (group: string, alreadyTaken: number) => boolean;

type Message = { outgoing: OutgoingMessage; sentAt: number; receives: number; receipt: string; gone: boolean };

type MessagesOptions = {
  clock: Clock;
  ids: Ids;
  visibilitySeconds: number;
  maxReceives: number;
  /** Receives messages over the maximum of receives; without it a message is received for ever. */
  bury?: (outgoing: OutgoingMessage) => void;
};

function messages(o: MessagesOptions) {
  const visible = fairLine<Message>();
  const hidden = timedSet<Message>();
  /** By the latest receipt. An expired receipt still completes its message until the message is received again. */
  const inFlight = new Map<string, Message>();

  const show = (message: Message): void => visible.add(message.outgoing.group ?? '', message);

  function showAgain(now: number): void {
    for (let message = hidden.take(now); message; message = hidden.take(now)) show(message);
  }

  function place(message: Message, seconds: number): void {
    if (seconds > 0) hidden.set(message, o.clock.now() + seconds * 1_000);
    else show(message);
  }

  function toReceived(message: Message): ReceivedMessage {
    message.receipt = o.ids.mark();
    message.receives++;
    inFlight.set(message.receipt, message);
    place(message, o.visibilitySeconds);
    return {
      body: message.outgoing.body,
      receipt: message.receipt,
      receives: message.receives,
      sentAt: message.sentAt,
    };
  }

  return {
    nextAt: hidden.nextAt,

    add(outgoing: OutgoingMessage): void {
      place({ outgoing, sentAt: o.clock.now(), receives: 0, receipt: '', gone: false }, outgoing.delaySeconds ?? 0);
    },

    /** Takes from a group only while `mayTake` is true; it is passed the number taken from this group in this call. */
    take(max: number, mayTake: MayTake = () => true): ReceivedMessage[] {
      showAgain(o.clock.now());
      const batch: ReceivedMessage[] = [];
      const groups = new Map<string, number>();
      const next = () => visible.take((group) => mayTake(group, groups.get(group) ?? 0));
      for (let message = next(); message; message = batch.length < max ? next() : undefined) {
        if (message.gone) continue;
        inFlight.delete(message.receipt);
        if (o.bury && message.receives >= o.maxReceives) o.bury(message.outgoing);
        else {
          const { group = '' } = message.outgoing;
          groups.set(group, (groups.get(group) ?? 0) + 1);
          batch.push(toReceived(message));
        }
      }
      return batch;
    },

    done(receipt: string): void {
      const message = inFlight.get(receipt);
      if (message === undefined) return;
      message.gone = true;
      inFlight.delete(receipt);
      hidden.delete(message);
    },

    release(receipt: string, seconds: number): void {
      const message = inFlight.get(receipt);
      if (message === undefined || !hidden.has(message)) return;
      hidden.delete(message);
      place(message, seconds);
    },
  };
}

/** A clock that is changed, or jumps after sleep, is noticed within this time. */
const LOOK_MS = 250;

export type MemoryQueue = Queue & {
  /** Restricts receives to groups for which `mayTake` is true. Call `look` when its result has changed. */
  limitGroups(mayTake: MayTake): void;
  look(): void;
  /** Resolves waiting receives with no messages. */
  close(): void;
};

export function memoryQueue(o: Omit<MessagesOptions, 'bury'> & { deadLetters?: Queue }): MemoryQueue {
  const { deadLetters } = o;
  const store = messages({ ...o, ...(deadLetters && { bury: (outgoing) => bury(outgoing, deadLetters) }) });
  const waiting = receivers<ReceivedMessage>();
  let mayTake: MayTake = () => true;
  const take = (max: number): ReceivedMessage[] => store.take(max, mayTake);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function serve(): void {
    clearTimeout(timer);
    waiting.serve(take);
    if (!waiting.waiting()) return;
    timer = setTimeout(serve, Math.min(store.nextAt() - o.clock.now(), LOOK_MS)).unref();
  }

  return {
    async send(batch) {
      checkSend(batch);
      for (const outgoing of batch) store.add(outgoing);
      serve();
    },
    async receive(max, waitSeconds) {
      checkReceive(max, waitSeconds);
      const received = take(max);
      if (received.length > 0 || waitSeconds === 0 || closed) return received;
      const come = waiting.wait(max, waitSeconds);
      serve();
      return come;
    },
    async done(receipts) {
      for (const receipt of receipts) store.done(receipt);
    },
    async release(receipt, seconds) {
      checkRelease(seconds);
      store.release(receipt, seconds);
      serve();
    },
    limitGroups(may) {
      mayTake = may;
    },
    look: serve,
    close() {
      closed = true;
      clearTimeout(timer);
      waiting.sendAway();
    },
  };
}

/** Cannot fail: the dead-letter queue is in memory too and accepts what this queue accepted. */
function bury({ body, group }: OutgoingMessage, deadLetters: Queue): void {
  void deadLetters.send([group === undefined ? { body } : { body, group }]);
}
