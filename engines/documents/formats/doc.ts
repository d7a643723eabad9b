/** DOC of Word 97 and later: paragraphs, headings and tables, then notes, margins and text boxes. */

import { type CompoundFile, openCompoundFile } from '../compound-file.ts';
import type { ReaderInput } from '../document.ts';
import { type DocumentPart, unreadable } from '../document.ts';
import { hiddenPart, joinBlocks, type MarkdownBlocks, markdownBlocks, sectionsOf } from '../markdown.ts';
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
  /** What a person does not see. */
  hidden: string;
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
  /** Whether the paragraph, or at the end of a row one of its cells, has a color behind it. */
  isFilled: boolean;
  /** Whether the file describes fills where they are not read: outside of the main stream, or for an inner row. */
  hasUnreadFills: boolean;
};
/** Properties apply to the bytes from `from` to the next run. */
type Run = { from: number; to: number; at: number };

const PAGE_BYTES = 512;
/** Where the file header says where the runs of paragraphs and of characters are, and the bytes of an entry of a page. */
const PARAGRAPHS = { at: 0x102, entryBytes: 13 };
const CHARACTERS = { at: 0xfa, entryBytes: 1 };
const CELL_MARK = '\x07';
const PARAGRAPH_ENDS = new Set(['\r', CELL_MARK, '\f']);
const LAST_HEADING_STYLE = 9;
const FIELD = { begins: 0x13, result: 0x14, ends: 0x15 } as const;
const FIRST_PRINTED = 0x20;
/** Tab, line break and non-breaking hyphen. Other control characters stand for pictures and note marks. */
const SIGNS: Record<number, string> = { 9: '\t', 11: '\n', 30: '-' };
const BODY_LEVEL = 9;

/** `onPaper` is false where something may be behind the text. */
function paragraphsIn(word: WordText, { from, to }: { from: number; to: number }, onPaper: boolean): Paragraph[] {
  const propertiesAt = propertiesOf(word);
  const lookAt = looksOf(word);
  type Table = { hasUnreadFills: boolean };
  type Mark = {
    begin: number;
    end: number;
    mark: string | undefined;
    properties: ParagraphProperties;
    table: Table | undefined;
  };
  const marks: Mark[] = [];
  let table: Table | undefined;
  const story = word.text.slice(from, to);
  let begin = 0;
  for (let index = 0; index <= story.length; index++) {
    const mark = story[index];
    if (mark !== undefined && !PARAGRAPH_ENDS.has(mark)) continue;
    if (mark === undefined && begin === index) break;
    const properties = propertiesAt(from + Math.min(index, story.length - 1));
    const { inTable, hasUnreadFills } = properties;
    table = inTable || hasUnreadFills || mark === CELL_MARK ? (table ?? { hasUnreadFills: false }) : undefined;
    if (table) table.hasUnreadFills ||= hasUnreadFills;
    marks.push({ begin: from + begin, end: from + index, mark, properties, table });
    begin = index + 1;
  }
  // The end of a row says which of its cells are filled.
  let isRowFilled = false;
  const paragraphs = marks.toReversed().map(({ begin, end, mark, properties, table }): Paragraph => {
    const { level, style, inTable, endsRow, isItem, isFilled } = properties;
    if (endsRow) isRowFilled = isFilled;
    // A style may fill the paragraph.
    const isKnown = style === 0 && !table?.hasUnreadFills;
    const isBare = onPaper && isKnown && !isFilled && !(inTable && isRowFilled);
    return {
      ...textBetween(word.text, begin, end, (at) => isUnseen(lookAt(at), isBare)),
      level: level ?? (style >= 1 && style <= LAST_HEADING_STYLE ? style : undefined),
      inTable: inTable || mark === CELL_MARK,
      endsCell: mark === CELL_MARK,
      endsRow,
      isItem,
    };
  });
  return paragraphs.reverse();
}

function textBetween(
  all: string,
  from: number,
  to: number,
  isHidden: (at: number) => boolean,
): Pick<Paragraph, 'text' | 'hidden'> {
  const found = { text: '', hidden: '' };
  for (const [at, sign] of signsBetween(all, from, to)) found[isHidden(at) ? 'hidden' : 'text'] += sign;
  return found;
}

/** Fields have the form `0x13 code 0x14 result 0x15` and may be nested. Only results are read. */
function* signsBetween(all: string, from: number, to: number): Generator<[at: number, sign: string]> {
  const fields: ('code' | 'result')[] = [];
  for (let at = from; at < to; at++) {
    const code = all.charCodeAt(at);
    if (code === FIELD.begins) fields.push('code');
    else if (code === FIELD.result && fields.length > 0) fields[fields.length - 1] = 'result';
    else if (code === FIELD.ends) fields.pop();
    else if (!fields.includes('code')) yield [at, SIGNS[code] ?? (code < FIRST_PRINTED ? '' : all.charAt(at))];
  }
}

/** Looks up properties by the position of a paragraph's last character. */
function propertiesOf(word: WordText): (character: number) => ParagraphProperties {
  const runAt = runsByCharacter(word, PARAGRAPHS);
  return (character) => readProperties(word.main, runAt(character)?.at ?? 0);
}

function runsByCharacter({ main, table, pieces }: WordText, kind: RunKind): (character: number) => Run | undefined {
  const runs = runsIn(main, table, kind);
  const byteOf = (character: number): number => {
    const piece = pieces[indexOfLast(pieces, character)];
    return piece ? piece.at + (character - piece.from) * (piece.wide ? 2 : 1) : -1;
  };
  return (character) => {
    const byte = byteOf(character);
    const run = runs[indexOfLast(runs, byte)];
    return run && byte < run.to ? run : undefined;
  };
}

/** Looks up how a character looks. Neighbours mostly share a run. */
function looksOf(word: WordText): (character: number) => Look {
  const runAt = runsByCharacter(word, CHARACTERS);
  const known = new Map<number, Look>();
  return (character) => {
    const at = runAt(character)?.at ?? 0;
    const look = known.get(at) ?? readLook(word.main, at);
    known.set(at, look);
    return look;
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

type RunKind = { at: number; entryBytes: number };

function runsIn(main: Buffer, table: Buffer, kind: RunKind): Run[] {
  const from = main.readUInt32LE(kind.at);
  const amount = Math.floor((main.readUInt32LE(kind.at + 4) - 4) / 8);
  const runs: Run[] = [];
  for (let n = 0; n < amount; n++) {
    const page = (table.readUInt32LE(from + 4 * (amount + 1) + 4 * n) & 0x3fffff) * PAGE_BYTES;
    const count = main[page + PAGE_BYTES - 1] ?? 0;
    for (let k = 0; k < count; k++) {
      const offset = (main[page + 4 * (count + 1) + kind.entryBytes * k] ?? 0) * 2;
      const at = offset === 0 ? 0 : page + offset;
      runs.push({ from: main.readUInt32LE(page + 4 * k), to: main.readUInt32LE(page + 4 * (k + 1)), at });
    }
  }
  return runs.sort((a, b) => a.from - b.from);
}

function readProperties(main: Buffer, at: number): ParagraphProperties {
  const found: ParagraphProperties = {
    style: 0,
    level: undefined,
    inTable: false,
    endsRow: false,
    isItem: false,
    isFilled: false,
    hasUnreadFills: false,
  };
  if (at === 0) return found;
  const half = main[at] ?? 0;
  const begin = half === 0 ? at + 2 : at + 1;
  const end = begin + (half === 0 ? 2 * (main[at + 1] ?? 0) : 2 * half - 1);
  found.style = main.readUInt16LE(begin);
  for (const [sprm, operand] of changesIn(main, begin + 2, end)) PROPERTY_READERS[sprm]?.(found, main, operand);
  return found;
}

/** Yields each property change and the position of its operand. */
function* changesIn(main: Buffer, from: number, to: number): Generator<[sprm: number, at: number]> {
  let position = from;
  while (position + 2 < to) {
    const sprm = main.readUInt16LE(position);
    yield [sprm, position + 2];
    position += 2 + operandBytes(main, sprm, position + 2);
  }
}

/** Readers for the property changes that matter here, by sprm number. */
const PROPERTY_READERS: Record<number, (into: ParagraphProperties, main: Buffer, at: number) => void> = {
  9238: (into, main, at) => {
    into.inTable = main[at] === 1;
  },
  9239: (into, main, at) => {
    into.endsRow = main[at] === 1;
  },
  // sprmPFInnerTtp and sprmPHugePapx.
  9292: (into, main, at) => {
    into.hasUnreadFills ||= main[at] === 1;
  },
  26182: (into) => {
    into.hasUnreadFills = true;
  },
  9792: (into, main, at) => {
    const level = main[at] ?? BODY_LEVEL;
    if (level < BODY_LEVEL) into.level = level + 1;
  },
  17931: (into, main, at) => {
    into.isItem = main.readUInt16LE(at) > 0;
  },
  17453: (into, main, at) => {
    into.isFilled = isOldFill(main, at);
  },
  50765: (into, main, at) => {
    into.isFilled = isFill(main, at + 1);
  },
  // The fills of a row's cells, in the old and in the new form.
  54793: (into, main, at) => {
    for (let fill = at + 1; fill + 2 <= at + 1 + (main[at] ?? 0); fill += 2) into.isFilled ||= isOldFill(main, fill);
  },
  54802: (into, main, at) => {
    for (let fill = at + 1; fill + 10 <= at + 1 + (main[at] ?? 0); fill += 10) into.isFilled ||= isFill(main, fill);
  },
};

/** Two numbers of the 16 colors and a pattern, or two colors and a pattern ([MS-DOC] 2.9.245, 2.9.248). */
const isOldFill = (main: Buffer, at: number): boolean => {
  const fill = main.readUInt16LE(at);
  return fill !== 0xffff && (fill >> 10 !== 0 || !NO_FILL.has((fill >> 5) & 31));
};
const isFill = (main: Buffer, at: number): boolean => {
  const [color, pattern] = [main.readUInt32LE(at + 4), main.readUInt16LE(at + 8)];
  return (pattern !== 0 && pattern !== 0xffff) || !(isDefault(color) || isWhite(color));
};
const NO_FILL = new Set([0, 8]);
const WHITE_FROM = 250;
const isDefault = (color: number): boolean => color >>> 24 === 0xff;
const isWhite = (color: number): boolean =>
  !isDefault(color) && [0, 8, 16].every((shift) => ((color >>> shift) & 0xff) >= WHITE_FROM);

/** How a character looks. `isMarked`: a color is behind it. */
type Look = { isOff: boolean; isTiny: boolean; isWhite: boolean; isMarked: boolean };

const isUnseen = ({ isOff, isTiny, isWhite, isMarked }: Look, onPaper: boolean): boolean =>
  isOff || isTiny || (onPaper && isWhite && !isMarked);

function readLook(main: Buffer, at: number): Look {
  const look: Look = { isOff: false, isTiny: false, isWhite: false, isMarked: false };
  if (at === 0) return look;
  for (const [sprm, operand] of changesIn(main, at + 1, at + 1 + (main[at] ?? 0)))
    LOOK_READERS[sprm]?.(look, main, operand);
  return look;
}

/** Text under 3 pt cannot be read; sizes are in halves of a point. */
const TINY = 6;
const WHITE = 8;

/** Readers for the changes of how a character looks, by sprm number ([MS-DOC] 2.6.1). */
const LOOK_READERS: Record<number, (into: Look, main: Buffer, at: number) => void> = {
  // 1 switches on, 0x81 turns what the style says round.
  2108: (into, main, at) => {
    into.isOff = main[at] === 1 || main[at] === 0x81;
  },
  19011: (into, main, at) => {
    into.isTiny = main.readUInt16LE(at) < TINY;
  },
  10818: (into, main, at) => {
    into.isWhite = main[at] === WHITE;
  },
  26736: (into, main, at) => {
    into.isWhite = isWhite(main.readUInt32LE(at));
  },
  10764: (into, main, at) => {
    into.isMarked = !NO_FILL.has(main[at] ?? 0);
  },
  18534: (into, main, at) => {
    into.isMarked = isOldFill(main, at);
  },
  51825: (into, main, at) => {
    into.isMarked = isFill(main, at + 1);
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
const FIRST_BOXES = 5;
const ASIDES = ['footnotes', 'header or footer', 'comments', 'endnotes', 'text boxes', 'text boxes of the margins'];

export function readDoc({ bytes, budget }: ReaderInput): DocumentPart[] {
  const compound = openCompoundFile(bytes);
  const main = compound.stream('WordDocument');
  if (!main) throw unreadable('corrupt');
  const word = openWordText(main, compound);
  // Text boxes may be filled with a color.
  const [body = [], ...asides] = word.stories.map((story, at) => paragraphsIn(word, story, at < FIRST_BOXES));
  const parts = sectionsOf(flowOf(body, markdownBlocks(budget)).all);
  return [
    ...parts,
    ...asides.flatMap((story, at) => {
      const label = ASIDES[at] ?? 'notes';
      const blocks = flowOf(story, markdownBlocks(budget)).all;
      const shown = { label, text: joinBlocks(blocks) };
      const hidden = hiddenPart({ label, text: blocks.flatMap((block) => block.hidden ?? []).join('\n\n') });
      return [shown, hidden].filter(({ text }) => text !== '');
    }),
  ];
}

function flowOf(paragraphs: Paragraph[], blocks: MarkdownBlocks): MarkdownBlocks {
  let table: Paragraph[] = [];
  const endTable = () => {
    blocks.table(rowsOf(table));
    blocks.hide(table.map(({ hidden }) => hidden).join(' '));
    table = [];
  };
  for (const paragraph of paragraphs) {
    if (paragraph.inTable) {
      table.push(paragraph);
      continue;
    }
    endTable();
    const { text, hidden, level, isItem } = paragraph;
    if (level !== undefined) blocks.heading(text, level);
    else if (isItem) blocks.item(text, 0);
    else blocks.paragraph(text);
    blocks.hide(hidden);
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
