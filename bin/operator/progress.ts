/** Progress of long commands, on standard error: standard output has only the result. */
import type { Operator } from './command.ts';

const SAY_EVERY_MS = 5_000;

export function progressOf({ clock, err }: Pick<Operator, 'clock' | 'err'>): (text: string) => void {
  let saidAt = clock.now();
  return (text) => {
    if (clock.now() - saidAt < SAY_EVERY_MS) return;
    saidAt = clock.now();
    err(text);
  };
}
