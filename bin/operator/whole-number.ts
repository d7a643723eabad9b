/** Reads a figure from the words of a line. */
import { Problem } from '../../shared/core/problem.ts';

export function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Problem('invalid', `--${option} takes a whole number, not ${JSON.stringify(text.slice(0, 80))}.`);
}
