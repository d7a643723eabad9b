/** Receivers that wait for items, first come, first served. */

type Receivers<T> = {
  waiting(): boolean;
  wait(max: number, seconds: number): Promise<T[]>;
  /** Gives each receiver what `take` returns, until it returns nothing. */
  serve(take: (max: number) => T[]): void;
  sendAway(): void;
};

type Receiver<T> = { max: number; give: (items: T[]) => void };

export function receivers<T>(): Receivers<T> {
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
