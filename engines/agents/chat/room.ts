/**
 * Room in memory for what chats have read. While it is full only the chat that came first reads on, so that each comes to
 * its end, whatever the others hold.
 */

export type Seat = {
  isFree(): boolean;
  /** Resolves when it is. */
  free(signal: AbortSignal): Promise<void>;
  take(weight: number): void;
  leave(): void;
};

export type Room = { enter(): Seat };

export function roomFor(most: number): Room {
  /** What each holds, in the order they came in. */
  const held: { weight: number }[] = [];
  let waiting: (() => void)[] = [];
  const isFull = () => held.reduce((sum, { weight }) => sum + weight, 0) >= most;

  function lookAgain(): void {
    const all = waiting;
    waiting = [];
    for (const look of all) look();
  }

  return {
    enter() {
      const own = { weight: 0 };
      held.push(own);
      const isFree = () => held[0] === own || !isFull();
      return {
        isFree,
        async free(signal) {
          signal.addEventListener('abort', lookAgain);
          try {
            while (!isFree() && !signal.aborted) await new Promise<void>((resolve) => waiting.push(resolve));
            signal.throwIfAborted();
          } finally {
            signal.removeEventListener('abort', lookAgain);
          }
        },
        take(weight) {
          own.weight += weight;
        },
        leave() {
          held.splice(held.indexOf(own), 1);
          lookAgain();
        },
      };
    },
  };
}
