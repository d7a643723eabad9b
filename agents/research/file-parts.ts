/** The parts of a document that a research reads, such as the pages of a file. */

import type { DocumentPart } from '../../engines/documents/document.ts';

/** The label of a part of a file, as its text has it. */
const PART = /^\[([^[\]\n]{1,100})\]\n\n/gm;

/** An item without a text of its own is its title. */
export function documentParts({ title, text }: { title: string; text: string }): DocumentPart[] {
  const body = text.trim() === '' ? title : text;
  const marks = [...body.matchAll(PART)];
  if (marks[0]?.index !== 0) return [{ label: 'text', text: body }];
  return marks.map(({ 0: mark, 1: label = '', index }, at) => ({
    label,
    text: body.slice(index + mark.length, marks[at + 1]?.index).trimEnd(),
  }));
}
