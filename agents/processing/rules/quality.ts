/** How much of a text can be read: the share of its characters that are letters, digits, punctuation, symbols or white space. */

import type { DocumentPart } from '../../../engines/documents/document.ts';

const READABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S}\s]/gu;
const LOST = /[\uFFFD\uE000-\uF8FF]/g;
/** Judges a long text by its beginning. */
const JUDGED = 200_000;

export function readableShare(parts: readonly DocumentPart[]): number {
  const text = parts
    .map((part) => part.text)
    .join('\n')
    .slice(0, JUDGED);
  const readable = [...text.replaceAll(LOST, '\0').matchAll(READABLE)].length;
  return text.length === 0 ? 0 : Math.min(1, readable / [...text].length);
}
