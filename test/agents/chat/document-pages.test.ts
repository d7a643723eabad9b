/** The parts of a document in the pages of a workspace, and whole again. */
import { describe, expect, it } from 'vitest';
import { joinedParts, PAGE_CHARACTERS, pagesOf } from '../../../agents/chat/document-pages.ts';
import type { DocumentPart } from '../../../engines/documents/document.ts';

const wordAt = (text: string, word: string) => {
  const start = text.indexOf(word);
  return { start, end: start + word.length, confidence: 0.4 };
};
const unsureIn = ({ text, unsure = [] }: DocumentPart) => unsure.map(({ start, end }) => text.slice(start, end));
const rejoined = (parts: DocumentPart[]) => joinedParts(pagesOf({ parts }));

describe('the parts of a document', () => {
  it('keep what text recognition says of them, and the number of their page', () => {
    const text = 'TOTAL 13.80';
    const unsure = [wordAt(text, '13.80')];
    const parts = [
      { label: 'page 1', text, unsure, ocr: { confidence: 0.6 } },
      { label: 'sheet Costs', text: 'a', page: 2 },
      { label: 'sheet Costs', text: 'b', page: 2, hidden: true },
    ];
    expect(rejoined(parts)).toEqual(parts);
  });

  it('keep the positions of unsure words where a page ends before, behind and within them', () => {
    const text = `early ${'x'.repeat(PAGE_CHARACTERS - 10)} parted late ${'y'.repeat(PAGE_CHARACTERS)} last`;
    const unsure = ['early', 'parted', 'late', 'last'].map((word) => wordAt(text, word));
    const parts = [
      { label: 'page 1', text: 'short' },
      { label: 'page 2', text, unsure },
    ];
    expect(text.slice(PAGE_CHARACTERS - 3, PAGE_CHARACTERS + 3)).toBe('parted');
    expect(
      pagesOf({ parts }).flatMap((page) => page.parts.flatMap((part) => unsureIn({ label: '', ...part }))),
    ).toEqual([...['early', 'par', 'ted', 'late', 'last']]);
    expect(rejoined(parts)).toEqual(parts);
  });

  it('lose invisible characters, and unsure words stay where they are', () => {
    const text = `a\u{e0041}\u{e0042} b\u{e0043}c d`;
    const [part] = rejoined([
      { label: 'page 1', text, unsure: ['b\u{e0043}c', 'd'].map((word) => wordAt(text, word)) },
    ]);
    expect(part?.text).toBe('a bc d');
    expect(part && unsureIn(part)).toEqual(['bc', 'd']);
  });
});
