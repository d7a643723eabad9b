/** Cuts a text into pieces as a reader of plain text does: some lines each, parted where a line is blank. */
import type { Passage } from '../../engines/retrieval/passages.ts';

const LINES = 30;

export function passagesOfText(source: string, text: string): Passage[] {
  const lines = text.split('\n');
  const passages: Passage[] = [];
  let from = 0;
  lines.forEach((line, at) => {
    const last = at === lines.length - 1;
    if (!last && (line !== '' || at - from < LINES)) return;
    passages.push({ source, place: `lines ${from + 1}-${at + 1}`, text: lines.slice(from, at + 1).join('\n') });
    from = at + 1;
  });
  return passages;
}
