/** An in-memory queue with the rules of SQS, fair between message groups. The reconciler resends messages that are lost. */

import type { EachLane } from '../../shared/core/lane.ts';
import { checkReceive, checkRelease, checkSend, QUEUE_LIMITS } from '../../shared/core/queue-limits.ts';
import type { Clock, Ids, OutgoingMessage, Queue, ReceivedMessage } from '../../shared/ports.ts';

/** A FIFO with constant cost at any length: an array's shift() gets slower, and a Map keeps deleted entries in front. */
const SHORTENED_FROM = 1_000;

type Fifo<T> = { push(item: T): void; shift(): T | undefined; empty(): boolean };

export function fifo<T>(): Fifo<T> {
  let items: (T | undefined)[] = [];
  let next = 0;

  return {
    push: (item) => void items.push(item),
    shift() {
      if (next === items.length) return undefined;
      const item = items[next];
      items[next++] = undefined;
      if (next >= SHORTENED_FROM && next * 2 >= items.length) [items, next] = [items.slice(next), 0];
      return item;
    },
    empty: () => next === items.length,
  };
}

// One queue for each group, served round-robin: a group with a backlog does not delay the others.

type FairLine<T> = {
  add(group: string, item: T): void;
  /** Skips groups for which `mayTake` is false; they keep their items. */
  take(mayTake?: (group: string) => boolean): T | undefined;
};

export function fairLine<T>(): FairLine<T> {
  /** Groups without items are removed from both. */
  const lines = new Map<string, Fifo<T>>();
  const turns = fifo<string>();

  function nextGroup(mayTake: (group: string) => boolean): string | undefined {
    for (let passed = 0; passed < lines.size; passed++) {
      const group = turns.shift();
      if (group === undefined || mayTake(group)) return group;
      turns.push(group);
    }
    return undefined;
  }

  return {
    add(group, item) {
      const line = lines.get(group) ?? fifo<T>();
      if (!lines.has(group)) {
        lines.set(group, line);
        turns.push(group);
      }
      line.push(item);
    },
    take(mayTake = () => true) {
      const group = nextGroup(mayTake);
      if (group === undefined) return undefined;
      const line = lines.get(group);
      const item = line?.shift();
      if (line?.empty()) lines.delete(group);
      else turns.push(group);
      return item;
    },
  };
}

/** A binary heap with the earliest entry first. */
type Entry<T> = { at: number; item: T };
type Heap<T> = { push(entry: Entry<T>): void; first(): Entry<T> | undefined; pop(): void; size(): number };

export function heap<T>(): Heap<T> {
  const entries: Entry<T>[] = [];
  const at = (place: number): number => entries[place]?.at ?? Number.POSITIVE_INFINITY;

  function swap(a: number, b: number): void {
    const [first, second] = [entries[a], entries[b]];
    if (first && second) [entries[a], entries[b]] = [second, first];
  }

  function rise(place: number): void {
    const parent = (place - 1) >> 1;
    if (place === 0 || at(parent) <= at(place)) return;
    swap(parent, place);
    rise(parent);
  }

  function sink(place: number): void {
    const left = 2 * place + 1;
    const child = at(left + 1) < at(left) ? left + 1 : left;
    if (at(place) <= at(child)) return;
    swap(place, child);
    sink(child);
  }

  return {
    push(entry) {
      entries.push(entry);
      rise(entries.length - 1);
    },
    first: () => entries[0],
    pop() {
      swap(0, entries.length - 1);
      entries.pop();
      sink(0);
    },
    size: () => entries.length,
  };
}

const STALE_ALLOWED = 1_000;

type TimedSet<T> = {
  /** Replaces the item's earlier time, if it has one. */
  set(item: T, at: number): void;
  has(item: T): boolean;
  delete(item: T): void;
  nextAt(): number;
  /** Removes and returns an item whose time has come. */
  take(now: number): T | undefined;
};

export function timedSet<T>(): TimedSet<T> {
  const times = new Map<T, number>();
  /** Also contains outdated entries, because a heap cannot remove an entry from its middle. */
  let order = heap<T>();

  function first() {
    for (let entry = order.first(); entry; entry = order.first()) {
      if (times.get(entry.item) === entry.at) return entry;
      order.pop();
    }
    return undefined;
  }

  function tidy(): void {
    if (order.size() <= 2 * times.size + STALE_ALLOWED) return;
    order = heap<T>();
    for (const [item, at] of times) order.push({ at, item });
  }

  return {
    set(item, at) {
      times.set(item, at);
      order.push({ at, item });
      tidy();
    },
    has: (item) => times.has(item),
    delete: (item) => void times.delete(item),
    nextAt: () => first()?.at ?? Number.POSITIVE_INFINITY,
    take(now) {
      const entry = first();
      if (entry === undefined || entry.at > now) return undefined;
      times.delete(entry.item);
      order.pop();
      return entry.item;
    },
  };
}

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

// Waiting receivers, first come, first served.

type Receivers<T> = {
  waiting(): boolean;
  wait(max: number, seconds: number): Promise<T[]>;
  /** Gives each receiver what `take` returns, until it returns nothing. */
  serve(take: (max: number) => T[]): void;
  sendAway(): void;
};

type Receiver<T> = { max: number; give: (items: T[]) => void };

function receivers<T>(): Receivers<T> {
  const line = new Set<Receiver<T>>();

  return {
    waiting: () => line.size > 0,
    wait: (max, seconds) =>
      new Promise((resolve) => {
        const give = (items: T[]) => {
          clearTimeout(timer);
          line.delete(receiver);
          resolve(items);
        };
        const receiver = { max, give };
        const timer = setTimeout(give, seconds * 1_000, []).unref();
        line.add(receiver);
      }),
    serve(take) {
      for (const { max: capacity, give } of line) {
        const items = take(capacity);
        if (items.length === 0) return;
        give(items);
      }
    },
    sendAway() {
      for (const { give } of line) give([]);
    },
  };
}

/** A clock that is changed, or jumps after sleep, is noticed within this time. */
const LOOK_MS = 250;

type MemoryQueue = Queue & {
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

// The queues of the local product.

/** The same as on AWS, where it is six times the consumer's timeout. */
const VISIBILITY_SECONDS = { lane: 5_400, webhooks: 360 };
const MAX_RECEIVES = 5;

type LocalQueues = { lanes: EachLane<MemoryQueue>; webhooks: MemoryQueue };

export function localQueues(o: { clock: Clock; ids: Ids }): LocalQueues {
  const queue = (visibilitySeconds: number) => memoryQueue({ ...o, visibilitySeconds, maxReceives: MAX_RECEIVES });
  const lane = () => queue(VISIBILITY_SECONDS.lane);
  return { lanes: { high: lane(), normal: lane(), low: lane() }, webhooks: queue(VISIBILITY_SECONDS.webhooks) };
}

/** Passes a queue's messages to a consumer with a limit of concurrency, as Lambda's pollers do on AWS. */
type Consuming = {
  queue: MemoryQueue;
  /** The limit for each organization, which is the group of its messages; without it only `atOnce` applies. */
  ofOrganization?: { atOnce(): number; organizationIn(body: string): string };
  /** Read before each receive: if it has fallen, the queue takes nothing until enough consumers have ended. */
  atOnce(): number;
  /** If it rejects, the message stays hidden until its visibility timeout. */
  consume(body: string): Promise<void>;
};

export type Consumer = { stop(): Promise<void> };

export function startConsumer({ queue, atOnce, consume, ofOrganization }: Consuming): Consumer {
  let inProgress = 0;
  const running = new Map<string, number>();
  const runningOf = (organization: string): number => running.get(organization) ?? 0;
  if (ofOrganization) queue.limitGroups((group, also) => runningOf(group) + also < ofOrganization.atOnce());
  let stopped = false;
  let freed: () => void = () => undefined;
  const slotFreed = () => new Promise<void>((resolve) => (freed = resolve));

  function count(body: string, change: 1 | -1): void {
    inProgress += change;
    if (!ofOrganization) return;
    const organization = ofOrganization.organizationIn(body);
    const runningNow = runningOf(organization) + change;
    if (runningNow > 0) running.set(organization, runningNow);
    else running.delete(organization);
  }

  async function handle(body: string, receipt: string): Promise<void> {
    try {
      await consume(body);
      await queue.done([receipt]);
    } catch {
      // The consumer has logged the error.
    } finally {
      count(body, -1);
      freed();
      queue.look();
    }
  }

  async function take(): Promise<void> {
    while (!stopped) {
      const free = atOnce() - inProgress;
      if (free <= 0) {
        await slotFreed();
        continue;
      }
      const messages = await queue.receive(Math.min(free, QUEUE_LIMITS.batch), QUEUE_LIMITS.waitSeconds);
      for (const { body } of messages) count(body, 1);
      for (const { body, receipt } of messages) void handle(body, receipt);
    }
  }

  const taking = take();
  return {
    async stop() {
      stopped = true;
      queue.close();
      await taking;
      while (inProgress > 0) await slotFreed();
    },
  };
}
