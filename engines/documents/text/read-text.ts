/** Plain text and source code as they are, in pieces that end at an empty line where they can. */
import type { DocumentPart } from '../document.ts';
import { unreadable } from '../failure.ts';
import { decodeText } from './decode-text.ts';

const MIN_PART_LENGTH = 2_000;
const MAX_PART_LENGTH = 4_000;

export function readText(bytes: Uint8Array, { textLength }: { textLength: number }): DocumentPart[] {
  const text = decodeText(bytes);
  if (text.length > textLength) throw unreadable('tooLarge');
  return piecesOf(text.replace(/\r?\n$/, '').split(/\r\n|\r|\n/));
}

function piecesOf(lines: string[]): DocumentPart[] {
  const parts: DocumentPart[] = [];
  let open: string[] = [];
  let length = 0;
  const close = (last: number) => {
    parts.push(...partOf(open, last));
    open = [];
    length = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (length > 0 && length + line.length > MAX_PART_LENGTH) close(at);
    open.push(line);
    length += line.length + 1;
    if (length >= MAX_PART_LENGTH || (length >= MIN_PART_LENGTH && line.trim() === '')) close(at + 1);
  }
  close(lines.length);
  return parts;
}

/** `last` counts from one. */
function partOf(lines: string[], last: number): DocumentPart[] {
  const text = lines.join('\n');
  if (text.trim() === '') return [];
  const firstLine = last - lines.length + 1;
  const label = lines.length === 1 ? `line ${last}` : `lines ${firstLine}-${last}`;
  if (text.length <= 2 * MAX_PART_LENGTH) return [{ label, text, firstLine }];
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${MAX_PART_LENGTH}}`, 'gu')) ?? [];
  return pieces.map((piece, at) => ({ label: `${label}, part ${at + 1}`, text: piece, firstLine }));
}
