/**
 * Room in memory for what chats have read. While it is full only the chat that came first reads on, so that each comes to
 * its end, whatever the others hold.
 */

export type Seat = {
  isFree(): boolean;
  /** Resolves when it is. */
  free(signal: AbortSignal): Promise<void>;
  take(characters: number): void;
  leave(): void;
};

export type Room = { enter(): Seat };

export function roomFor(mostCharacters: number): Room {
  /** What each holds, in the order they came in. */
  const held: { characters: number }[] = [];
  let waiting: (() => void)[] = [];
  const isFull = () => held.reduce((sum, { characters }) => sum + characters, 0) >= mostCharacters;

  function lookAgain(): void {
    const all = waiting;
    waiting = [];
    for (const look of all) look();
  }

  return {
    enter() {
      const own = { characters: 0 };
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
        take(characters) {
          own.characters += characters;
        },
        leave() {
          held.splice(held.indexOf(own), 1);
          lookAgain();
        },
      };
    },
  };
}
