/** DOC of Word 97 and later: paragraphs, headings and tables, then notes, margins and text boxes. */

import { openCompoundFile } from '../compound-file.ts';
import type { ReaderInput } from '../document.ts';
import { type DocumentPart, unreadable } from '../document.ts';
import { hiddenPart, joinBlocks, type MarkdownBlocks, markdownBlocks, sectionsOf } from '../markdown.ts';
import { openWordText, type WordText } from '../word-text.ts';

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

/** `onWhite` is false where something may be behind the text. */
function paragraphsIn(word: WordText, { from, to }: { from: number; to: number }, onWhite: boolean): Paragraph[] {
  const propertiesAt = propertiesOf(word);
  const styleOf = stylesOf(word);
  const lookAt = looksOf(word, styleOf);
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
    const isKnown = !styleOf(style).isFilled && !table?.hasUnreadFills;
    const isBare = onWhite && isKnown && !isFilled && !(inTable && isRowFilled);
    return {
      ...textBetween(word.text, begin, end, (at) => isUnseen(lookAt(at, style), isBare)),
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
  wholeText: string,
  from: number,
  to: number,
  isHidden: (at: number) => boolean,
): Pick<Paragraph, 'text' | 'hidden'> {
  const texts = { text: '', hidden: '' };
  for (const [at, sign] of signsBetween(wholeText, from, to)) texts[isHidden(at) ? 'hidden' : 'text'] += sign;
  return texts;
}

/** Fields have the form `0x13 code 0x14 result 0x15` and may be nested. Only results are read. */
function* signsBetween(wholeText: string, from: number, to: number): Generator<[at: number, sign: string]> {
  const fields: ('code' | 'result')[] = [];
  for (let at = from; at < to; at++) {
    const code = wholeText.charCodeAt(at);
    if (code === FIELD.begins) fields.push('code');
    else if (code === FIELD.result && fields.length > 0) fields[fields.length - 1] = 'result';
    else if (code === FIELD.ends) fields.pop();
    else if (!fields.includes('code')) yield [at, SIGNS[code] ?? (code < FIRST_PRINTED ? '' : wholeText.charAt(at))];
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

/** Looks up how a character looks in a paragraph of a style. Neighbours mostly share a run. */
function looksOf(word: WordText, styleOf: StyleOf): (character: number, style: number) => Look {
  const runAt = runsByCharacter(word, CHARACTERS);
  const looks = new Map<string, Look>();
  return (character, style) => {
    const at = runAt(character)?.at ?? 0;
    const key = `${at} ${style}`;
    const look = looks.get(key) ?? readLook(word.main, at, styleOf, style);
    looks.set(key, look);
    return look;
  };
}

/** `restyle` makes the changes of the parents, then its own. */
type Style = { restyle: (look: Look) => void; isFilled: boolean };
type StyleOf = (index: number) => Style;

const PLAIN: Style = { restyle: () => undefined, isFilled: false };
/** A style that is not in the sheet may fill the paragraph. */
const UNKNOWN: Style = { ...PLAIN, isFilled: true };
const NO_STYLE = 0xfff;
const STYLES_AT = 0xa2;
const PARAGRAPH_STYLE = 1;
const CHARACTER_STYLE = 2;
const MOST_STYLES = 4_096;
const MOST_PARENTS = 20;
/** Operands of the last change may be cut off. */
const LONGEST_OPERAND = 256;

/** The style sheet ([MS-DOC] 2.9.271, 2.9.260): each style has a parent, and changes of paragraphs and characters. */
function stylesOf({ main, table }: WordText): StyleOf {
  const [from, bytes] = [main.readUInt32LE(STYLES_AT), main.readUInt32LE(STYLES_AT + 4)];
  const sheet = Buffer.concat([table.subarray(from, from + bytes), Buffer.alloc(LONGEST_OPERAND)]);
  const places = stylePlaces(sheet, sheet.length - LONGEST_OPERAND);
  const styles = new Map<number, Style>();
  const read = (index: number, depth: number): Style => {
    const place = places[index];
    if (!place || depth > MOST_PARENTS) return index === 0 || index === NO_STYLE ? PLAIN : UNKNOWN;
    const style = styles.get(index) ?? readStyle(sheet, place, (parent) => read(parent, depth + 1));
    styles.set(index, style);
    return style;
  };
  return (index) => read(index, 0);
}

type Place = { at: number; end: number; baseBytes: number };

/** Where the description of each style is; unused numbers have none. */
function stylePlaces(sheet: Buffer, end: number): (Place | undefined)[] {
  const places: (Place | undefined)[] = [];
  const baseBytes = sheet.readUInt16LE(4);
  for (let at = 2 + sheet.readUInt16LE(0); at + 2 <= end && places.length < MOST_STYLES; ) {
    const bytes = sheet.readUInt16LE(at);
    const isThere = bytes >= baseBytes + 2 && at + 2 + bytes <= end;
    places.push(isThere ? { at: at + 2, end: at + 2 + bytes, baseBytes } : undefined);
    at += 2 + bytes;
  }
  return places;
}

function readStyle(sheet: Buffer, { at, end, baseBytes }: Place, parentOf: StyleOf): Style {
  const [kind, parent] = [sheet.readUInt16LE(at + 2) & 15, parentOf(sheet.readUInt16LE(at + 2) >> 4)];
  if (kind !== PARAGRAPH_STYLE && kind !== CHARACTER_STYLE) return parent;
  // The name is followed by lists of changes, which begin at even places.
  let next = at + baseBytes + 4 + 2 * sheet.readUInt16LE(at + baseBytes);
  const list = (): [from: number, to: number] => {
    if (next + 2 > end) return [end, end];
    const [from, to] = [next + 2, Math.min(next + 2 + sheet.readUInt16LE(next), end)];
    next = to + ((to - at) % 2);
    return [from, to];
  };
  const properties = { ...noProperties(), isFilled: parent.isFilled };
  if (kind === PARAGRAPH_STYLE) {
    const [from, to] = list();
    for (const [sprm, operand] of changesIn(sheet, from + 2, to)) PROPERTY_READERS[sprm]?.(properties, sheet, operand);
  }
  const changes = Array.from(changesIn(sheet, ...list()));
  return {
    isFilled: properties.isFilled,
    restyle: (look) => {
      parent.restyle(look);
      for (const [sprm, operand] of changes) LOOK_READERS[sprm]?.(look, sheet, operand);
    },
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

const noProperties = (): ParagraphProperties => ({
  style: 0,
  level: undefined,
  inTable: false,
  endsRow: false,
  isItem: false,
  isFilled: false,
  hasUnreadFills: false,
});

function readProperties(main: Buffer, at: number): ParagraphProperties {
  const properties = noProperties();
  if (at === 0) return properties;
  const half = main[at] ?? 0;
  const begin = half === 0 ? at + 2 : at + 1;
  const end = begin + (half === 0 ? 2 * (main[at + 1] ?? 0) : 2 * half - 1);
  properties.style = main.readUInt16LE(begin);
  for (const [sprm, operand] of changesIn(main, begin + 2, end)) PROPERTY_READERS[sprm]?.(properties, main, operand);
  return properties;
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

const isUnseen = ({ isOff, isTiny, isWhite, isMarked }: Look, onWhite: boolean): boolean =>
  isOff || isTiny || (onWhite && isWhite && !isMarked);

function readLook(main: Buffer, at: number, styleOf: StyleOf, style: number): Look {
  const look: Look = { isOff: false, isTiny: false, isWhite: false, isMarked: false };
  styleOf(style).restyle(look);
  if (at === 0) return look;
  for (const [sprm, operand] of changesIn(main, at + 1, at + 1 + (main[at] ?? 0))) {
    if (sprm === USES_STYLE) styleOf(main.readUInt16LE(operand)).restyle(look);
    else LOOK_READERS[sprm]?.(look, main, operand);
  }
  return look;
}

/** Characters have a style of their own. */
const USES_STYLE = 0x4a30;
/** Text under 3 pt cannot be read; sizes are in halves of a point. */
const TINY = 6;
const WHITE = 8;

/** Readers for the changes of how a character looks, by sprm number ([MS-DOC] 2.6.1). */
const LOOK_READERS: Record<number, (into: Look, main: Buffer, at: number) => void> = {
  // 0x80 leaves what the style says, 0x81 turns it round.
  2108: (into, main, at) => {
    const says = main[at] ?? 0;
    if (says < 0x80) into.isOff = says === 1;
    else if (says === 0x81) into.isOff = !into.isOff;
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
      const visible = { label, text: joinBlocks(blocks) };
      const hidden = hiddenPart({ label, text: blocks.flatMap((block) => block.hidden ?? []).join('\n\n') });
      return [visible, hidden].filter(({ text }) => text !== '');
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
