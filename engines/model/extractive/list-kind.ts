/** "List all dates": whatever looks like the kind of thing, in the order of the documents. */
import type { AnswerKind } from './hints.ts';
import { looksLike } from './looks-like.ts';
import type { Passage } from './passage.ts';
import { type QuoteUnit, readUnits } from './units.ts';

const MAX_LISTED = 40;
const MAX_READ = 400_000;

export function unitsOfKind(kind: AnswerKind, passages: Passage[], language: string): QuoteUnit[] {
  const listed: QuoteUnit[] = [];
  let read = 0;
  for (const [at, { text }] of passages.entries()) {
    read += text.length;
    if (listed.length >= MAX_LISTED || read > MAX_READ) break;
    listed.push(...readUnits(at, passages, language).filter((unit) => looksLike(kind, unit.text)));
  }
  return listed.slice(0, MAX_LISTED);
}
