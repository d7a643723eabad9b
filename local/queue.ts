/** A queue in memory, as strict as SQS. What it loses when the process dies, the reconciler sends again. */
import { checkReceive, checkRelease, checkSend } from '../shared/core/port-limits.ts';
import type { Outgoing, Queue, Received } from '../shared/ports.ts';
import { type MayTake, type MessagesOptions, messages } from './messages.ts';
import { receivers } from './receivers.ts';

/** A clock that is set, or jumps because the machine slept, is noticed within this time. */
const LOOK_MS = 250;

export type MemoryQueue = Queue & {
  /** From now on a group's messages are received only while it may take them. `look` is called when that has changed. */
  limitGroups(mayTake: MayTake): void;
  look(): void;
  /** Ends the waiting receives empty. */
  close(): void;
};

export function memoryQueue(o: Omit<MessagesOptions, 'bury'> & { deadLetters?: Queue }): MemoryQueue {
  const { deadLetters } = o;
  const kept = messages({ ...o, ...(deadLetters && { bury: (sent) => bury(sent, deadLetters) }) });
  const waiting = receivers<Received>();
  let mayTake: MayTake = () => true;
  const take = (most: number): Received[] => kept.take(most, mayTake);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function serve(): void {
    clearTimeout(timer);
    waiting.serve(take);
    if (!waiting.waiting()) return;
    timer = setTimeout(serve, Math.min(kept.nextAt() - o.clock.now(), LOOK_MS)).unref();
  }

  return {
    async send(batch) {
      checkSend(batch);
      for (const sent of batch) kept.add(sent);
      serve();
    },
    async receive(most, waitSeconds) {
      checkReceive(most, waitSeconds);
      const received = take(most);
      if (received.length > 0 || waitSeconds === 0 || closed) return received;
      const come = waiting.wait(most, waitSeconds);
      serve();
      return come;
    },
    async done(receipts) {
      for (const receipt of receipts) kept.done(receipt);
    },
    async release(receipt, seconds) {
      checkRelease(seconds);
      kept.release(receipt, seconds);
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

/** The dead letters are in memory too: what this queue took, they take. */
function bury({ body, group }: Outgoing, deadLetters: Queue): void {
  void deadLetters.send([group === undefined ? { body } : { body, group }]);
}
