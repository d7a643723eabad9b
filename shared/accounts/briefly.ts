/** Reads by id and remembers the answer for a short while, also that there is none. Never more than so many of either. */
import type { Clock } from '../ports.ts';

/** As a promise, so that giving it again makes none. */
type Kept<T> = { at: number; value: Promise<T | undefined> };
type Brief<T> = { clock: Clock; keptMs: number; most: number; read: (id: string) => Promise<T | undefined> };

export function briefly<T>({ clock, keptMs, most, read }: Brief<T>): (id: string) => Promise<T | undefined> {
  // Apart, so that a flood of invented ids never pushes a real one out.
  const present = new Map<string, Kept<T>>();
  const absent = new Map<string, Kept<T>>();
  const reading = new Map<string, Promise<T | undefined>>();

  async function readAnew(id: string): Promise<T | undefined> {
    const at = clock.now(); // before the read: what is kept is never older than it says
    const value = await read(id);
    present.delete(id);
    absent.delete(id);
    keep(value === undefined ? absent : present, id, { at, value: Promise.resolve(value) });
    return value;
  }

  function keep(kept: Map<string, Kept<T>>, id: string, entry: Kept<T>): void {
    const [oldest] = kept.keys();
    if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
    kept.set(id, entry);
  }

  return (id) => {
    const kept = present.get(id) ?? absent.get(id);
    const age = kept ? clock.now() - kept.at : keptMs;
    if (kept && age >= 0 && age < keptMs) return kept.value;
    // Callers that come together share one read.
    const shared = reading.get(id) ?? readAnew(id).finally(() => reading.delete(id));
    reading.set(id, shared);
    return shared;
  };
}
