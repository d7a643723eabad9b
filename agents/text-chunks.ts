/** The text of a document in the pieces that a model is shown, one call for each. */

import type { DocumentPart } from '../engines/documents/document.ts';

const CHUNK_LENGTH = 40_000;

/** Groups whole parts into chunks. A part that is longer than a chunk is cut. */
export function textChunks(parts: readonly DocumentPart[]): string[] {
  const chunks: string[] = [];
  for (const { label, text } of parts) {
    for (let from = 0; from < text.length; from += CHUNK_LENGTH) {
      const piece = `[${label}]\n${text.slice(from, from + CHUNK_LENGTH)}\n\n`;
      const last = chunks.at(-1);
      if (last !== undefined && last.length + piece.length <= CHUNK_LENGTH) chunks[chunks.length - 1] = last + piece;
      else chunks.push(piece);
    }
  }
  return chunks;
}
