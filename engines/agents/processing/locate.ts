/** Finds the words of a model's citation in the document, whatever its white space, and gives back the document's own. */
import type { Part } from '../../documents/document.ts';

type Located = { place: string; excerpt: string };

const MOST_EXCERPT = 400;

export function locate(parts: readonly Part[], cited: string): Located | undefined {
  const wanted = cited.replaceAll(/\s+/g, ' ').trim();
  if (wanted === '') return undefined;
  for (const { label, text } of parts) {
    const { plain, at } = plainOf(text);
    const found = plain.indexOf(wanted);
    if (found < 0) continue;
    const start = at[found] ?? 0;
    const end = (at[found + wanted.length - 1] ?? start) + 1;
    return { place: label, excerpt: text.slice(start, Math.min(end, start + MOST_EXCERPT)) };
  }
  return undefined;
}

/** With one space for each run of white space, and where each character stood. */
function plainOf(text: string): { plain: string; at: number[] } {
  let plain = '';
  const at: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const isSpace = /\s/.test(text[index] ?? '');
    if (isSpace && plain.endsWith(' ')) continue;
    plain += isSpace ? ' ' : text[index];
    at.push(index);
  }
  return { plain, at };
}
