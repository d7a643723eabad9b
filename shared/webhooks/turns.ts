/** Lets so many at a time do something of one kind; the others wait in line. */

export type InTurn = <T>(kind: string, run: () => Promise<T>) => Promise<T>;

export function turns(most: number): InTurn {
  const lines = new Map<string, { busy: number; waiting: (() => void)[] }>();

  return async function inTurn(kind, run) {
    const line = lines.get(kind) ?? { busy: 0, waiting: [] };
    lines.set(kind, line);
    if (line.busy < most) line.busy++;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = line.waiting.shift();
      // The place goes on to the next one in line.
      if (next) next();
      else if (--line.busy === 0) lines.delete(kind);
    }
  };
}
