/** The paragraphs of a DOC with what their properties say: heading, list, cell or end of a row ([MS-DOC] 2.9.32). */
import type { WordText } from './word-text.ts';

export type Paragraph = {
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
/** Properties hold for the bytes from `from` to the next run. */
type Run = { from: number; to: number; at: number };

const PAGE_BYTES = 512;
const RUNS_AT = 0x102;
const CELL_MARK = '\x07';
const PARAGRAPH_ENDS = new Set(['\r', CELL_MARK, '\f']);
const LAST_HEADING_STYLE = 9;
const FIELD = { begins: 0x13, result: 0x14, ends: 0x15 } as const;
const FIRST_PRINTED = 0x20;
/** Tab, line break, hyphen that does not break. Others stand for pictures and the marks of notes. */
const SIGNS: Record<number, string> = { 9: '\t', 11: '\n', 30: '-' };
const BODY_LEVEL = 9;

export function paragraphsIn(word: WordText, from: number, to: number): Paragraph[] {
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

/** Fields are `0x13 code 0x14 result 0x15`, one in another too: only results are read. */
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

/** By the place of a paragraph's last character. */
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

/** The last of a sorted list that begins at or before. */
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

/** The changes of properties that matter here, by their number. */
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

/** The three highest bits say how long what follows is. */
function operandBytes(main: Buffer, sprm: number, at: number): number {
  const size = SIZES[sprm >> 13] ?? 0;
  if (size > 0) return size;
  return sprm === TABLE_DEFINITION ? main.readUInt16LE(at) + 1 : (main[at] ?? 0) + 1;
}
