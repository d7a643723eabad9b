/** Divides the parts of a document into the pages of a workspace, and joins them again. */

import type { Document, DocumentPart, UnsureWord } from '../../engines/documents/document.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';

/** A page of a document, as the model reads it. People do not see `hidden` parts. */
export type WorkspacePage = { parts: PagePart[] };

type PagePart = { place: string; hidden?: true } & Pick<DocumentPart, 'text' | 'page' | 'ocr' | 'unsure'>;

export const PAGE_CHARACTERS = 20_000;

/** Divides a document into pages of a limited length, whatever its parts are. */
export function pagesOf({ parts }: Pick<Document, 'parts'>): WorkspacePage[] {
  const pages: WorkspacePage[] = [];
  let room = 0;
  for (const { label: place, text: partText, hidden, page, ocr, unsure: words = [] } of parts) {
    const text = visibleText(partText);
    const unsure = text === partText ? words : words.map((word) => shiftedWord(partText, word));
    const about = { ...(hidden ? { hidden } : {}), ...definedFields({ page, ocr }) };
    for (let from = 0; from < Math.max(1, text.length); from += PAGE_CHARACTERS) {
      const piece = text.slice(from, from + PAGE_CHARACTERS);
      if (piece.length > room) {
        pages.push({ parts: [] });
        room = PAGE_CHARACTERS;
      }
      pages.at(-1)?.parts.push({ place, text: piece, ...about, ...unsureWithin(unsure, from, piece.length) });
      room -= piece.length;
    }
  }
  return pages;
}

/** The parts of the document, of which those that were divided are whole again. */
export function joinedParts(pages: readonly WorkspacePage[]): DocumentPart[] {
  const parts: DocumentPart[] = [];
  for (const { place: label, ...part } of pages.flatMap((page) => page.parts)) {
    const last = parts.at(-1);
    const isContinuation = last?.label === label && last.text.length > 0 && last.text.length % PAGE_CHARACTERS === 0;
    if (last && isContinuation) parts[parts.length - 1] = joinedPart(last, part);
    else parts.push({ label, ...part });
  }
  return parts;
}

/** Invisible characters that models read but users cannot see: tag characters, and sequences of variation selectors. */
const INVISIBLE = /[\u{e0000}-\u{e007f}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;

const visibleText = (text: string): string => text.replace(INVISIBLE, '');

/** Where a word stands once the invisible characters before it are gone. */
const shiftedWord = (text: string, { start, end, confidence }: UnsureWord): UnsureWord => ({
  start: visibleText(text.slice(0, start)).length,
  end: visibleText(text.slice(0, end)).length,
  confidence,
});

/** The words of a piece by their positions in it; a word that is cut stands in both pieces. */
function unsureWithin(words: readonly UnsureWord[], from: number, length: number): Pick<DocumentPart, 'unsure'> {
  const unsure = words
    .filter(({ start, end }) => start < from + length && end > from)
    .map(({ start, end, confidence }) => ({
      start: Math.max(start - from, 0),
      end: Math.min(end - from, length),
      confidence,
    }));
  return unsure.length > 0 ? { unsure } : {};
}

function joinedPart(part: DocumentPart, continuation: Omit<PagePart, 'place'>): DocumentPart {
  const unsure = [...(part.unsure ?? [])];
  const at = part.text.length;
  for (const { start, end, confidence } of continuation.unsure ?? []) {
    const last = unsure.at(-1);
    // Two words have a space between them, so this one was cut.
    const isCut = start === 0 && last?.end === at;
    if (last && isCut) unsure[unsure.length - 1] = { ...last, end: at + end };
    else unsure.push({ start: at + start, end: at + end, confidence });
  }
  return { ...part, text: part.text + continuation.text, ...(unsure.length > 0 ? { unsure } : {}) };
}
