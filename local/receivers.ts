/** Receivers that wait for something to come, the first of them served first. */

export type Receivers<T> = {
  waiting(): boolean;
  wait(most: number, seconds: number): Promise<T[]>;
  /** Gives each what `take` finds for it, until it finds nothing. */
  serve(take: (most: number) => T[]): void;
  sendAway(): void;
};

type Receiver<T> = { most: number; give: (items: T[]) => void };

export function receivers<T>(): Receivers<T> {
  const line = new Set<Receiver<T>>();

  return {
    waiting: () => line.size > 0,
    wait: (most, seconds) =>
      new Promise((resolve) => {
        const give = (items: T[]) => {
          clearTimeout(timer);
          line.delete(receiver);
          resolve(items);
        };
        const receiver = { most, give };
        const timer = setTimeout(give, seconds * 1_000, []).unref();
        line.add(receiver);
      }),
    serve(take) {
      for (const { most, give } of line) {
        const items = take(most);
        if (items.length === 0) return;
        give(items);
      }
    },
    sendAway() {
      for (const { give } of line) give([]);
    },
  };
}
