/** Lines of a PDF page: words joined to rows and segments, right-to-left runs, and list marks. */

/** Quarter turns of a text's direction against the page: 0 reads to the right, 1 upwards. */
export type Turn = 0 | 1 | 2 | 3;

/** Coordinates are in points from the lower left corner, in the frame in which the word reads to the right. */
export type Word = {
  text: string;
  left: number;
  right: number;
  base: number;
  size: number;
  turn: Turn;
  /** A space was drawn before it. */
  spaced: boolean;
  hidden: boolean;
};

/** A rectangle in points from the lower left corner of the page. */
export type Area = { left: number; bottom: number; right: number; top: number };
/** Returns a rectangle of a frame that is turned against the page as a rectangle of the page. */
export function toPage({ left, right, bottom, top }: Area, turn: Turn): Area {
  const back = ((4 - turn) % 4) as Turn;
  const [[ax, ay], [bx, by]] = [rotatePoint([left, bottom], back), rotatePoint([right, top], back)];
  return { left: Math.min(ax, bx), right: Math.max(ax, bx), bottom: Math.min(ay, by), top: Math.max(ay, by) };
}

/** Returns a point of the page in a frame that is turned by quarters. */
export function rotatePoint([x, y]: readonly [number, number], turn: Turn): readonly [number, number] {
  if (turn === 0) return [x, y];
  if (turn === 1) return [y, -x];
  return turn === 2 ? [-x, -y] : [-y, x];
}

type Matrix = readonly [number, number, number, number, number, number];

function multiply(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] * b[0] + a[2] * b[1],
    a[1] * b[0] + a[3] * b[1],
    a[0] * b[2] + a[2] * b[3],
    a[1] * b[2] + a[3] * b[3],
    a[0] * b[4] + a[2] * b[5] + a[4],
    a[1] * b[4] + a[3] * b[5] + a[5],
  ];
}

const apply = (m: Matrix, x: number, y: number): readonly [number, number] => [
  m[0] * x + m[2] * y + m[4],
  m[1] * x + m[3] * y + m[5],
];

function areaOf(m: Matrix, x0: number, y0: number, x1: number, y1: number): Area {
  const [ax, ay] = apply(m, x0, y0);
  const [bx, by] = apply(m, x1, y1);
  const [cx, cy] = apply(m, x0, y1);
  const [dx, dy] = apply(m, x1, y0);
  return {
    left: Math.min(ax, bx, cx, dx),
    right: Math.max(ax, bx, cx, dx),
    bottom: Math.min(ay, by, cy, dy),
    top: Math.max(ay, by, cy, dy),
  };
}

function turnOf([x, y]: readonly [number, number]): Turn {
  if (Math.abs(x) >= Math.abs(y)) return x >= 0 ? 0 : 2;
  return y > 0 ? 1 : 3;
}

const intersection = ({ left, bottom, right, top }: Area, other: Area | undefined): Area => ({
  left: Math.max(left, other?.left ?? left),
  bottom: Math.max(bottom, other?.bottom ?? bottom),
  right: Math.min(right, other?.right ?? right),
  top: Math.min(top, other?.top ?? top),
});

const contains = ({ left, right, bottom, top }: Area, { x, y }: { x: number; y: number }): boolean =>
  x >= left && x <= right && y >= bottom && y <= top;

/** Matrices of PDF turn, scale and move; areas are compared and cut. */
export const geometry = { multiply, apply, areaOf, turnOf, intersection, contains };

/** A piece of a row without a wide gap: a line of a column, or a cell of a table. */
export type Segment = { words: Word[]; left: number; right: number; base: number; size: number };
/** What stands on one base line, from left to right. */
export type TextRow = { segments: Segment[]; base: number; size: number };

/** A line of text. Coordinates are in points from the lower left corner, in the frame of the text's direction. */
export type PdfLine = {
  text: string;
  left: number;
  right: number;
  base: number;
  size: number;
  turn: Turn;
  /** The mark of the list item that begins here. */
  mark?: string;
};

/** These distances are fractions of the font size. */
const SAME_BASE = 0.35;
const SPACE = 0.15;
/** A gap this wide separates cells or columns, not words. */
const GAP = 0.8;
/** Where a space was drawn, a gap may be wider: lines are justified. */
const SPACED_GAP = 1.2;
/** Text this much smaller, and shifted by at most this much, is a note number. */
const RAISED_SIZE = 0.75;
const RAISED_BY = 0.7;
const RAISED_GAP = 0.4;
/** How far a mark may stand from the item, and a currency sign from its amount. */
const MARK_GAP = 6;
const SIGN_GAP = 9;
const UNIT_GAP = 1.5;

/** Joins words of one direction to rows from top to bottom. `rules` are vertical lines, which divide cells. */
export function rowsOf(words: readonly Word[], rules: readonly Area[]): TextRow[] {
  const rows: Word[][] = [];
  for (const word of [...words].sort((a, b) => b.base - a.base || a.left - b.left)) {
    const last = rows.at(-1);
    const [first] = last ?? [];
    if (last && first && first.base - word.base < SAME_BASE * Math.max(first.size, word.size)) last.push(word);
    else rows.push([word]);
  }
  return withRaised(rows).map((row) => toRow(row, rules));
}

/** Moves note numbers, which stand a little above or below a line, into that line. */
function withRaised(rows: Word[][]): Word[][] {
  rows.forEach((row, at) => {
    const moved = row.filter((word) =>
      [rows[at + 1], rows[at - 1]].some((adjacentRow) => {
        const isBeside = (big: Word) =>
          word.size < RAISED_SIZE * big.size &&
          Math.abs(word.base - big.base) < RAISED_BY * big.size &&
          word.left - big.right < RAISED_GAP * big.size &&
          big.left - word.right < RAISED_GAP * big.size;
        if (!adjacentRow?.some(isBeside)) return false;
        adjacentRow.push(word);
        return true;
      }),
    );
    if (moved.length > 0) rows[at] = row.filter((word) => !moved.includes(word));
  });
  return rows.filter((row) => row.length > 0);
}

function toRow(unsorted: Word[], rules: readonly Area[]): TextRow {
  const words = unsorted.sort((a, b) => a.left - b.left);
  const size = Math.max(...words.map((word) => word.size));
  const base = words.find((word) => word.size === size)?.base ?? 0;
  const crossing = rules.filter(({ bottom, top }) => bottom < base + size / 2 && top > base);
  const segments: Segment[] = [];
  let before: Word | undefined;
  for (const word of words) {
    if (before && isRepeated(before, word)) continue;
    const segment = segments.at(-1);
    if (!segment || !before || isApart(segment, word, crossing)) segments.push(segmentOf(word));
    else {
      segment.words.push(word);
      segment.right = Math.max(segment.right, word.right);
      segment.size = Math.max(segment.size, word.size);
    }
    before = word;
  }
  return { segments: joinSigns(segments), base, size };
}

const segmentOf = (word: Word): Segment => ({
  words: [word],
  left: word.left,
  right: word.right,
  base: word.base,
  size: word.size,
});

/** Bold text may be the same text drawn twice. */
const isRepeated = (before: Word, { text, left, right, base, size }: Word): boolean =>
  before.text === text &&
  Math.abs(before.left - left) < 0.1 * size &&
  Math.abs(before.right - right) < 0.1 * size &&
  Math.abs(before.base - base) < 0.1 * size;

function isApart(segment: Segment, word: Word, rules: readonly Area[]): boolean {
  const gap = word.left - segment.right;
  const size = Math.max(Math.min(segment.size, word.size), 0.6 * Math.max(segment.size, word.size));
  if (gap > (word.spaced ? SPACED_GAP : GAP) * size) return true;
  const middle = (segment.right + word.left) / 2;
  return rules.some(({ left, right }) => Math.abs((left + right) / 2 - middle) <= Math.abs(gap) / 2 + 1);
}

const MARK = /^(?:[•▪◦‣●○■–\uf0b7-]|\(?(?:\d{1,3}|[a-z])[.)])$/;
const CURRENCY = /^(?:[A-Z]{0,3}\p{Sc}|\(\p{Sc}|[-–—]\p{Sc})$/u;
const CLOSING = /^(?:%|\)|\)%|%\))$/;

/** A currency sign may stand far before its amount, and a percent sign or a bracket a little behind it. */
function joinSigns(segments: Segment[]): Segment[] {
  if (segments.length < 2) return segments;
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    const gap = segment.left - (last?.right ?? 0);
    const isSign =
      last?.words.length === 1 &&
      CURRENCY.test(last.words[0]?.text ?? '') &&
      /^[(\d.,–—-]/.test(segment.words[0]?.text ?? '');
    const isClosing = segment.words.length === 1 && CLOSING.test(segment.words[0]?.text ?? '');
    if (last && ((isSign && gap < SIGN_GAP * segment.size) || (isClosing && gap < UNIT_GAP * segment.size))) {
      last.words.push(...segment.words);
      last.right = segment.right;
    } else joined.push(segment);
  }
  return joined;
}

/** Returns the lines of a row outside tables. A list mark may be far from its item. */
export function linesOfRow({ segments, ...row }: TextRow): PdfLine[] {
  const lines = segments.map((segment) => lineOf(segment));
  const [first, second] = lines;
  const isItem =
    first && second && lines.length === 2 && MARK.test(first.text) && second.left - first.right < MARK_GAP * row.size;
  if (isItem) return [{ ...second, mark: first.text }];
  return lines.length > 1 && isMostlyRtl(lines.map(({ text }) => text).join('')) ? lines.reverse() : lines;
}

export const isMarked = ({ segments, ...row }: TextRow): boolean => {
  const [line] = linesOfRow({ segments, ...row });
  return line?.mark !== undefined;
};

function lineOf({ words, left, right, base, size }: Segment): PdfLine {
  return { text: textOfWords(words), left, right, base, size, turn: words[0]?.turn ?? 0 };
}

/** Returns the words of one line, sorted from left to right, in the order in which they are read. */
export function textOfWords(words: readonly Word[]): string {
  let text = '';
  let right = 0;
  let size = 0;
  for (const word of words) {
    const isSpaced = word.spaced || word.left - right > SPACE * Math.min(size, word.size);
    text += text !== '' && isSpaced ? ` ${word.text}` : word.text;
    ({ right, size } = word);
  }
  return normalizeText(RTL.test(text) ? inReadingOrder(text) : text);
}

const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const RTL_RUN =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc](?:[^\p{L}\p{N}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc])*/gu;
const LETTER = /\p{L}/gu;

export function isMostlyRtl(text: string): boolean {
  const letters = RTL.test(text) ? (text.match(LETTER) ?? []) : [];
  return letters.filter((letter) => RTL.test(letter)).length * 2 > letters.length;
}

/**
 * Reverses what reads from right to left, in a text whose characters are sorted from left to right. Numbers and words of
 * other scripts keep their order; in a line that is mostly right to left, the runs are reversed, too.
 */
function inReadingOrder(text: string): string {
  const isRtl = isMostlyRtl(text);
  const runs: string[] = [];
  let end = 0;
  for (const { index, 0: run } of text.matchAll(RTL_RUN)) {
    runs.push(text.slice(end, index), [...run].reverse().join(''));
    end = index + run.length;
  }
  runs.push(text.slice(end));
  return isRtl ? runs.map(turnSpaces).reverse().join('') : runs.join('');
}

/** The spaces around a run change sides with it. */
const turnSpaces = (run: string): string => {
  const [, before = '', inner = '', after = ''] = /^(\s*[.,:;!?]?)(.*?)(\s*[.,:;!?]?)$/su.exec(run) ?? [];
  return inner === '' ? [...run].reverse().join('') : after + inner + before;
};

/** Ligatures, such as fi, and forms of Arabic letters are replaced by letters. */
const FORMS = /[\u00a0\u2000-\u200a\u202f\ufb00-\ufb06\ufb1d-\ufdff\ufe70-\ufefc]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: fonts without a mapping give control characters.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f\u00ad\u200b\ufeff]+/g;
const normalizeText = (text: string): string =>
  text
    .replaceAll('\u00ad', '-')
    .replaceAll(CONTROLS, '')
    .replaceAll(FORMS, (form) => form.normalize('NFKC'))
    .trim();
