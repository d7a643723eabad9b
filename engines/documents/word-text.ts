/** The text of a DOC in the order of its stories, which the piece table puts together ([MS-DOC] 2.4.1). */

import type { CompoundFile } from './compound-file.ts';
import { unreadable } from './document.ts';
import { decodeAs } from './text.ts';

/**
 * A run of characters with one or two bytes each ([MS-DOC] 2.4.1, 2.5). `at` is the position of its first byte in the
 * main stream.
 */
type Piece = { from: number; to: number; at: number; wide: boolean };

export type WordText = {
  main: Buffer;
  table: Buffer;
  text: string;
  pieces: Piece[];
  /**
   * The body, footnotes, headers and footers, comments, endnotes, text boxes, and text boxes in headers and footers.
   */
  stories: { from: number; to: number }[];
};

const WORD = 0xa5ec;
const WORD_97 = 0x00c1;
const ENCRYPTED = 0x0100;
const SECOND_TABLE = 0x0200;
const PIECES = 2;
/** The positions of the story lengths in the file header. The gap is a story that programs no longer write. */
const STORY_LENGTHS_AT = [0x4c, 0x50, 0x54, 0x5c, 0x60, 0x64, 0x68];
const PIECES_AT = 0x1a2;
const COMPRESSED = 0x40000000;

export function openWordText(main: Buffer, compound: CompoundFile): WordText {
  if (main.readUInt16LE(0) !== WORD) throw unreadable('corrupt');
  if (main.readUInt16LE(2) < WORD_97) throw unreadable('unsupported');
  const flags = main.readUInt16LE(0x0a);
  if ((flags & ENCRYPTED) !== 0) throw unreadable('encrypted');
  const table = compound.stream((flags & SECOND_TABLE) !== 0 ? '1Table' : '0Table');
  if (!table) throw unreadable('corrupt');
  const pieces = piecesIn(table, main.readUInt32LE(PIECES_AT), main.readUInt32LE(PIECES_AT + 4));
  const text = pieces.map((piece) => textOf(main, piece)).join('');
  let at = 0;
  const stories = STORY_LENGTHS_AT.map((place) => {
    const from = at;
    at += main.readUInt32LE(place);
    return { from, to: Math.min(at, text.length) };
  });
  return { main, table, text, pieces, stories };
}

/** The piece table follows after any number of property lists. */
function piecesIn(table: Buffer, from: number, length: number): Piece[] {
  let at = from;
  while (at < from + length && table[at] !== PIECES) at += 3 + table.readUInt16LE(at + 1);
  const amount = Math.floor((table.readUInt32LE(at + 1) - 4) / 12);
  const begin = at + 5;
  const pieces: Piece[] = [];
  let characters = 0;
  for (let n = 0; n < amount; n++) {
    const size = table.readUInt32LE(begin + 4 * (n + 1)) - table.readUInt32LE(begin + 4 * n);
    const place = table.readUInt32LE(begin + 4 * (amount + 1) + 8 * n + 2);
    const wide = (place & COMPRESSED) === 0;
    const offset = (place & ~COMPRESSED) >>> 0;
    if (size < 0) throw unreadable('corrupt');
    pieces.push({ from: characters, to: characters + size, at: wide ? offset : offset / 2, wide });
    characters += size;
  }
  return pieces;
}

function textOf(main: Buffer, { from, to, at, wide }: Piece): string {
  const end = at + (to - from) * (wide ? 2 : 1);
  if (end > main.length) throw unreadable('corrupt');
  return wide ? main.toString('utf16le', at, end) : decodeAs(main.subarray(at, end), 'windows-1252');
}
