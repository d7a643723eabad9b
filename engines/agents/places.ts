/** So many at once; the others wait in line. */

export type Places = <T>(run: () => Promise<T>) => Promise<T>;

export function placesFor(most: number): Places {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return async (run) => {
    if (taken < most) taken++;
    // The place is handed over by the one who leaves it, so nobody can slip in between.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else taken--;
    }
  };
}
