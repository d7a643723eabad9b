/** The text of a document in the pieces that a model is shown, one call for each. */

import type { DocumentPart } from '../engines/documents/document.ts';

const STRETCH = 40_000;

/** Groups whole parts into stretches. A part that is longer than a stretch is cut. */
export function stretchesOf(parts: readonly DocumentPart[]): string[] {
  const stretches: string[] = [];
  for (const { label, text } of parts) {
    for (let from = 0; from < text.length; from += STRETCH) {
      const piece = `[${label}]\n${text.slice(from, from + STRETCH)}\n\n`;
      const last = stretches.at(-1);
      if (last !== undefined && last.length + piece.length <= STRETCH) stretches[stretches.length - 1] = last + piece;
      else stretches.push(piece);
    }
  }
  return stretches;
}
