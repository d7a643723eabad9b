/** DOC of Word 97 and later: paragraphs, headings and tables, then notes, margins and text boxes. */

import { type CompoundFile, openCompoundFile } from '../compound-file.ts';
import type { ReaderInput } from '../document.ts';
import { type DocumentPart, unreadable } from '../document.ts';
import { joinBlocks, type MarkdownBlocks, markdownBlocks, sectionsOf } from '../markdown.ts';
import { decodeAs } from '../text.ts';

/**
 * A run of characters with one or two bytes each ([MS-DOC] 2.4.1, 2.5). `at` is the position of its first byte in the
 * main stream.
 */
type Piece = { from: number; to: number; at: number; wide: boolean };

type WordText = {
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

function openWordText(main: Buffer, compound: CompoundFile): WordText {
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

/** A paragraph with its properties: heading, list item, end of a cell or row ([MS-DOC] 2.9.32). */
type Paragraph = {
  text: string;
  level: number | undefined;
  inTable: boolean;
  endsCell: boolean;
  endsRow: boolean;
  isItem: boolean;
};

type ParagraphProperties = {
  style: number;
  level: number | undefined;
  inTable: boolean;
  endsRow: boolean;
  isItem: boolean;
};
/** Properties apply to the bytes from `from` to the next run. */
type Run = { from: number; to: number; at: number };

const PAGE_BYTES = 512;
const RUNS_AT = 0x102;
const CELL_MARK = '\x07';
const PARAGRAPH_ENDS = new Set(['\r', CELL_MARK, '\f']);
const LAST_HEADING_STYLE = 9;
const FIELD = { begins: 0x13, result: 0x14, ends: 0x15 } as const;
const FIRST_PRINTED = 0x20;
/** Tab, line break and non-breaking hyphen. Other control characters stand for pictures and note marks. */
const SIGNS: Record<number, string> = { 9: '\t', 11: '\n', 30: '-' };
const BODY_LEVEL = 9;

function paragraphsIn(word: WordText, from: number, to: number): Paragraph[] {
  const propertiesAt = propertiesOf(word);
  const paragraphs: Paragraph[] = [];
  const story = word.text.slice(from, to);
  let begin = 0;
  for (let index = 0; index <= story.length; index++) {
    const mark = story[index];
    if (mark !== undefined && !PARAGRAPH_ENDS.has(mark)) continue;
    const raw = story.slice(begin, index);
    begin = index + 1;
    if (mark === undefined && raw === '') break;
    const { level, style, inTable, endsRow, isItem } = propertiesAt(from + Math.min(index, story.length - 1));
    paragraphs.push({
      text: visible(raw),
      level: level ?? (style >= 1 && style <= LAST_HEADING_STYLE ? style : undefined),
      inTable: inTable || mark === CELL_MARK,
      endsCell: mark === CELL_MARK,
      endsRow,
      isItem,
    });
  }
  return paragraphs;
}

/** Fields have the form `0x13 code 0x14 result 0x15` and may be nested. Only results are read. */
function visible(raw: string): string {
  let text = '';
  const fields: ('code' | 'result')[] = [];
  for (const sign of raw) {
    const code = sign.charCodeAt(0);
    if (code === FIELD.begins) fields.push('code');
    else if (code === FIELD.result && fields.length > 0) fields[fields.length - 1] = 'result';
    else if (code === FIELD.ends) fields.pop();
    else if (!fields.includes('code')) text += SIGNS[code] ?? (code < FIRST_PRINTED ? '' : sign);
  }
  return text;
}

/** Looks up properties by the position of a paragraph's last character. */
function propertiesOf({ main, table, pieces }: WordText): (character: number) => ParagraphProperties {
  const runs = runsIn(main, table);
  const byteOf = (character: number): number => {
    const piece = pieces[indexOfLast(pieces, character)];
    return piece ? piece.at + (character - piece.from) * (piece.wide ? 2 : 1) : -1;
  };
  return (character) => {
    const byte = byteOf(character);
    const run = runs[indexOfLast(runs, byte)];
    return readProperties(main, run && byte < run.to ? run.at : 0);
  };
}

/** Returns the index of the last range in a sorted list that begins at or before the position. */
function indexOfLast(list: readonly { from: number }[], position: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.from ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function runsIn(main: Buffer, table: Buffer): Run[] {
  const from = main.readUInt32LE(RUNS_AT);
  const amount = Math.floor((main.readUInt32LE(RUNS_AT + 4) - 4) / 8);
  const runs: Run[] = [];
  for (let n = 0; n < amount; n++) {
    const page = (table.readUInt32LE(from + 4 * (amount + 1) + 4 * n) & 0x3fffff) * PAGE_BYTES;
    const count = main[page + PAGE_BYTES - 1] ?? 0;
    for (let k = 0; k < count; k++) {
      const offset = (main[page + 4 * (count + 1) + 13 * k] ?? 0) * 2;
      const at = offset === 0 ? 0 : page + offset;
      runs.push({ from: main.readUInt32LE(page + 4 * k), to: main.readUInt32LE(page + 4 * (k + 1)), at });
    }
  }
  return runs.sort((a, b) => a.from - b.from);
}

function readProperties(main: Buffer, at: number): ParagraphProperties {
  const found: ParagraphProperties = { style: 0, level: undefined, inTable: false, endsRow: false, isItem: false };
  if (at === 0) return found;
  const half = main[at] ?? 0;
  const begin = half === 0 ? at + 2 : at + 1;
  const end = begin + (half === 0 ? 2 * (main[at + 1] ?? 0) : 2 * half - 1);
  found.style = main.readUInt16LE(begin);
  let position = begin + 2;
  while (position + 2 < end) {
    const sprm = main.readUInt16LE(position);
    PROPERTY_READERS[sprm]?.(found, main, position + 2);
    position += 2 + operandBytes(main, sprm, position + 2);
  }
  return found;
}

/** Readers for the property changes that matter here, by sprm number. */
const PROPERTY_READERS: Record<number, (into: ParagraphProperties, main: Buffer, at: number) => void> = {
  9238: (into, main, at) => {
    into.inTable = main[at] === 1;
  },
  9239: (into, main, at) => {
    into.endsRow = main[at] === 1;
  },
  9792: (into, main, at) => {
    const level = main[at] ?? BODY_LEVEL;
    if (level < BODY_LEVEL) into.level = level + 1;
  },
  17931: (into, main, at) => {
    into.isItem = main.readUInt16LE(at) > 0;
  },
};

const SIZES = [1, 1, 2, 4, 2, 2, 0, 3];
const TABLE_DEFINITION = 0xd608;

/** The three highest bits encode the length of the operand. */
function operandBytes(main: Buffer, sprm: number, at: number): number {
  const size = SIZES[sprm >> 13] ?? 0;
  if (size > 0) return size;
  return sprm === TABLE_DEFINITION ? main.readUInt16LE(at) + 1 : (main[at] ?? 0) + 1;
}

/** The labels of the stories after the body. */
const ASIDES = ['footnotes', 'header or footer', 'comments', 'endnotes', 'text boxes', 'text boxes of the margins'];

export function readDoc({ bytes, budget }: ReaderInput): DocumentPart[] {
  const compound = openCompoundFile(bytes);
  const main = compound.stream('WordDocument');
  if (!main) throw unreadable('corrupt');
  const word = openWordText(main, compound);
  const [body = [], ...asides] = word.stories.map(({ from, to }) => paragraphsIn(word, from, to));
  const parts = sectionsOf(flowOf(body, markdownBlocks(budget)).all);
  return [
    ...parts,
    ...asides.flatMap((story, at) => {
      const text = joinBlocks(flowOf(story, markdownBlocks(budget)).all);
      return text === '' ? [] : [{ label: ASIDES[at] ?? 'notes', text }];
    }),
  ];
}

function flowOf(paragraphs: Paragraph[], blocks: MarkdownBlocks): MarkdownBlocks {
  let table: Paragraph[] = [];
  const endTable = () => {
    blocks.table(rowsOf(table));
    table = [];
  };
  for (const paragraph of paragraphs) {
    if (paragraph.inTable) {
      table.push(paragraph);
      continue;
    }
    endTable();
    const { text, level, isItem } = paragraph;
    if (level !== undefined) blocks.heading(text, level);
    else if (isItem) blocks.item(text, 0);
    else blocks.paragraph(text);
  }
  endTable();
  return blocks;
}

function rowsOf(paragraphs: Paragraph[]): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  for (const { text, endsCell, endsRow } of paragraphs) {
    if (!endsRow) cell += `${text} `;
    if (endsCell && !endsRow) cells.push(cell);
    if (endsCell) cell = '';
    if (endsRow) rows.push(cells);
    if (endsRow) cells = [];
  }
  return cells.length > 0 ? [...rows, cells] : rows;
}
