/** Lets so many at a time do something of one kind; the others wait in line. */

export type Turns = {
  inTurn<T>(kind: string, run: () => Promise<T>): Promise<T>;
  /** A place, if one is free: to be given back. */
  takeFree(kind: string): (() => void) | undefined;
};

export function turns(most: number): Turns {
  const lines = new Map<string, { busy: number; waiting: (() => void)[] }>();

  function takeFree(kind: string): (() => void) | undefined {
    const line = lines.get(kind) ?? { busy: 0, waiting: [] };
    if (line.busy >= most) return undefined;
    lines.set(kind, line);
    line.busy++;
    return () => giveBack(kind);
  }

  function giveBack(kind: string): void {
    const line = lines.get(kind);
    const next = line?.waiting.shift();
    // The place goes on to the next one in line.
    if (next) next();
    else if (line && --line.busy === 0) lines.delete(kind);
  }

  return {
    takeFree,
    async inTurn(kind, run) {
      if (!takeFree(kind)) await new Promise<void>((resolve) => lines.get(kind)?.waiting.push(resolve));
      try {
        return await run();
      } finally {
        giveBack(kind);
      }
    },
  };
}
