/** The words that OCR found, with their places and confidences, in the order in which a person reads them. */
import { definedFields } from '../../../shared/core/optional-fields.ts';
import type { Box, DocumentBlock } from '../../../shared/files/reading-format.ts';
import type { DocumentPart, UnsureWord } from '../document.ts';

type OcrWord = { text: string; confidence: number; left: number; right: number; top: number; bottom: number };
export type OcrLine = { words: OcrWord[]; paragraph: string };

const WORD_LEVEL = '5';

/** Reads Tesseract's table of words (TSV): level, page, block, paragraph, line, word, box, confidence, text. */
export function linesOfWords(table: string): OcrLine[] {
  const lines: OcrLine[] = [];
  let last = '';
  for (const row of table.split('\n')) {
    const [level, , block, paragraph, line, , x, y, width, height, confidence, text = ''] = row.split('\t');
    if (level !== WORD_LEVEL || text.trim() === '') continue;
    const [left, top] = [Number(x), Number(y)];
    const box = { left, right: left + Number(width), top, bottom: top + Number(height) };
    const key = `${block} ${paragraph} ${line}`;
    if (key !== last) lines.push({ words: [], paragraph: `${block} ${paragraph}` });
    last = key;
    lines.at(-1)?.words.push({ text: text.trim(), confidence: Number(confidence) / 100, ...box });
  }
  return withoutSpecks(lines);
}

/** Of the usual height of a word: a dash is wider, and letters are higher. */
const SPECK = 0.3;

/** Dust is read as points, strokes and brackets, also with much confidence, and the side of a frame as an upright stroke. */
function withoutSpecks(lines: readonly OcrLine[]): OcrLine[] {
  const heights = lines.flatMap(({ words }) => words.map(({ top, bottom }) => bottom - top)).sort((a, b) => a - b);
  const least = SPECK * (heights[heights.length >> 1] ?? 0);
  const isSpeck = ({ text, left, right, top, bottom }: OcrWord) =>
    text === '|' || (bottom - top < least && (right - left < least || /[\p{L}\p{N}]/u.test(text)));
  return lines
    .map((line) => ({ ...line, words: line.words.filter((word) => !isSpeck(word)) }))
    .filter(({ words }) => words.length > 0);
}

/** The mean over all letters, from 0 to 1, as a long word says more than a stray sign. */
export function ocrConfidence(lines: readonly OcrLine[]): number {
  let sum = 0;
  let letters = 0;
  for (const { words } of lines)
    for (const { text, confidence } of words) {
      sum += text.length * confidence;
      letters += text.length;
    }
  return letters === 0 ? 0 : sum / letters;
}

/** The text line by line, with an empty line between paragraphs. */
export function textOfLines(lines: readonly OcrLine[]): string {
  const grid = gridOf(lines);
  return paragraphsOf(lines)
    .map((paragraph) => textOf(paragraph, grid))
    .join('\n\n');
}

/** The paragraphs as blocks of a document. `boxOf` tells where a word stands. */
export function blocksOfLines(lines: readonly OcrLine[], boxOf: (word: OcrWord) => Box): DocumentBlock[] {
  const grid = gridOf(lines);
  return paragraphsOf(lines).map((paragraph) => {
    const words = paragraph.flatMap((line) =>
      line.words.map((word) => ({ text: word.text, confidence: roundConfidence(word.confidence), box: boxOf(word) })),
    );
    const ocr = { confidence: roundConfidence(ocrConfidence(paragraph)), words };
    const corners = words.flatMap(({ box: { x, y, width, height } }): Point[] => [
      [x, y],
      [x + width, y + height],
    ]);
    return { kind: 'paragraph', text: textOf(paragraph, grid), box: boxAround(corners), ocr };
  });
}

/** Words above this confidence are rarely misread. */
const SURE = 0.7;
/** Tables and margins move words in a text, but not far. */
const MAX_MOVE = 500;

/** In a code such as `F018`, a letter beside a figure of the same shape may be either, however sure OCR is. */
const LOOKALIKE = /^[\p{L}\d-]*(?:[OQDIlSBZ](?=\d)|(?<=\d)[OQDIlSBZ]|[01](?=\p{L})|(?<=\p{L})[01])[\p{L}\d-]*$/u;
const CONFIDENCE_OF_LOOKALIKES = 0.4;

/** Finds the words of a part that OCR read with little confidence. They come in the order of the text. */
export function unsureWords({ text, blocks = [] }: Pick<DocumentPart, 'text' | 'blocks'>): UnsureWord[] {
  const unsure: UnsureWord[] = [];
  let at = 0;
  for (const word of blocks.flatMap(({ ocr }) => ocr?.words ?? [])) {
    const moved = text.slice(at, at + MAX_MOVE).indexOf(word.text);
    if (moved < 0) continue;
    const start = at + moved;
    at = start + word.text.length;
    const confidence = Math.min(word.confidence, LOOKALIKE.test(word.text) ? CONFIDENCE_OF_LOOKALIKES : 1);
    if (confidence < SURE) unsure.push({ start, end: at, confidence });
  }
  return unsure;
}

/** The part with its unsure words in place of its blocks. */
export function withUnsure({ blocks, ...part }: DocumentPart): DocumentPart {
  const unsure = unsureWords({ text: part.text, ...definedFields({ blocks }) });
  return unsure.length > 0 ? { ...part, unsure } : part;
}

const roundConfidence = (confidence: number): number => Math.round(confidence * 100) / 100;

type Point = readonly [x: number, y: number];

/** The box of a word whose corners `place` finds on the page. */
export const boxOnPage = ({ left, right, top, bottom }: OcrWord, place: (x: number, y: number) => Point): Box =>
  boxAround([place(left, top), place(right, top), place(left, bottom), place(right, bottom)]);

function boxAround(points: readonly Point[]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x: tenth(x), y: tenth(y), width: tenth(Math.max(...xs) - x), height: tenth(Math.max(...ys) - y) };
}

const tenth = (value: number): number => Math.round(value * 10) / 10;

/** The lines of each paragraph, and the left column before the right one where a page has two. */
function paragraphsOf(lines: readonly OcrLine[]): OcrLine[][] {
  const gutter = gutterOf(lines);
  if (gutter === undefined) return splitParagraphs(lines);
  const pieces: OcrLine[][] = [];
  let open: OcrLine[] = [];
  const closeColumns = (): void => {
    for (const isIn of [({ left }: OcrWord) => left < gutter, ({ left }: OcrWord) => left >= gutter]) {
      const side = open.map((line) => ({ ...line, words: line.words.filter(isIn) }));
      pieces.push(...splitParagraphs(side.filter(({ words }) => words.length > 0)));
    }
    open = [];
  };
  for (const line of lines) {
    if (!crosses(line, gutter)) open.push(line);
    else {
      closeColumns();
      pieces.push([line]);
    }
  }
  closeColumns();
  return pieces;
}

function splitParagraphs(lines: readonly OcrLine[]): OcrLine[][] {
  const paragraphs: OcrLine[][] = [];
  for (const line of lines) {
    const open = paragraphs.at(-1);
    const above = open?.at(-1);
    if (open && above && (above.paragraph === line.paragraph || isNextRow(above, line))) open.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs;
}

/** The left edge of a page, and the width of a letter on it. */
type Grid = { left: number; letter: number };

const gridOf = (lines: readonly OcrLine[]): Grid => ({
  left: Math.min(...lines.flatMap(({ words }) => words.map(({ left }) => left))),
  letter: letterOf(lines),
});

function letterOf(lines: readonly OcrLine[]): number {
  const words = lines.flatMap((line) => line.words);
  const width = words.reduce((sum, { left, right }) => sum + right - left, 0);
  return Math.max(1, width / Math.max(1, words.map(({ text }) => text).join('').length));
}

/** Words farther apart than this, in heights and in letters of their line, stand in columns. */
const COLUMN_GAP = { heights: 1.5, letters: 1.8 };
const MAX_COLUMN = 200;

/** For each word of a line, whether a wide gap stands before it. */
function gapsOf(line: OcrLine): boolean[] {
  const least = COLUMN_GAP.letters * letterOf([line]);
  const heightOf = ({ top, bottom }: OcrWord) => bottom - top;
  return line.words.map((word, at) => {
    const last = line.words[at - 1];
    if (!last) return false;
    const height = Math.min(heightOf(last), heightOf(word));
    return word.left - last.right > Math.max(least, COLUMN_GAP.heights * height);
  });
}

const hasColumns = (line: OcrLine): boolean => gapsOf(line).includes(true);

/** Between rows, in heights of a row. */
const ROW_GAP = 1.5;

/** Rows with gaps at the distance of lines belong together, though Tesseract takes each for a paragraph. */
function isNextRow(above: OcrLine, line: OcrLine): boolean {
  const bottom = Math.max(...above.words.map((word) => word.bottom));
  const top = Math.min(...line.words.map((word) => word.top));
  const height = Math.max(...line.words.map((word) => word.bottom)) - top;
  return hasColumns(above) && hasColumns(line) && top - bottom < ROW_GAP * height;
}

/** Words in columns keep their distance as spaces, so that they stand below each other as on the page. */
const textOf = (lines: readonly OcrLine[], grid: Grid): string => lines.map((line) => rowOf(line, grid)).join('\n');

function rowOf(line: OcrLine, { left, letter }: Grid): string {
  const gaps = gapsOf(line);
  if (!gaps.includes(true)) return line.words.map(({ text }) => text).join(' ');
  let row = '';
  for (const [at, word] of line.words.entries()) {
    const column = Math.min(MAX_COLUMN, Math.round((word.left - left) / letter));
    if (at === 0) row = ' '.repeat(column);
    else row = gaps[at] ? row.padEnd(Math.max(column, row.length + 2)) : `${row} `;
    row += word.text;
  }
  return row;
}

/** Two columns of prose have at least this many lines beside each other, and words enough on both sides. */
const MIN_LINES = 8;
const MIN_WORDS = 3;
const MAX_FIGURES = 0.2;
/** The gap between columns, in heights of a line. */
const GUTTER = 1.2;
const MIN_SHARE = 0.7;

/**
 * The place of the gap between two columns of prose. The columns of a table also have gaps, but few words or many
 * figures beside them, and its rows have to stay whole.
 */
function gutterOf(lines: readonly OcrLine[]): number | undefined {
  const gaps = lines.flatMap(({ words }) => {
    const wide = words.flatMap(({ left, top, bottom }, at) => {
      const from = words[at - 1]?.right;
      return from !== undefined && left - from > GUTTER * (bottom - top) ? [{ from, to: left }] : [];
    });
    return wide.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, 1);
  });
  const places = gaps.map(({ to }) => to - 1).sort((a, b) => a - b);
  const countAt = (place: number): number => gaps.filter(({ from, to }) => from < place && place < to).length;
  const [best] = places.map((place) => ({ place, count: countAt(place) })).sort((a, b) => b.count - a.count);
  if (!best || best.count < MIN_LINES) return undefined;
  const beside = lines.filter((line) => isParted(line, best.place));
  const crossing = lines.filter((line) => crosses(line, best.place));
  return beside.length >= MIN_SHARE * (beside.length + crossing.length) && isProse(beside, best.place)
    ? best.place
    : undefined;
}

const isParted = ({ words }: OcrLine, gutter: number): boolean =>
  words.some(({ right }) => right <= gutter) && words.some(({ left }) => left >= gutter);

/** A heading over both columns. */
const crosses = ({ words }: OcrLine, gutter: number): boolean =>
  words.some(({ left, right }, at) => {
    const next = words[at + 1];
    return (left < gutter && right > gutter) || (right <= gutter && next !== undefined && isTight(right, next, gutter));
  });

const isTight = (right: number, { left, top, bottom }: OcrWord, gutter: number): boolean =>
  left >= gutter && left - right < GUTTER * (bottom - top);

function isProse(lines: readonly OcrLine[], gutter: number): boolean {
  const words = lines.flatMap((line) => line.words);
  const left = words.filter((word) => word.left < gutter).length;
  const figures = words.filter(({ text }) => /\d/.test(text)).length;
  const fewest = Math.min(left, words.length - left);
  return fewest >= MIN_WORDS * lines.length && figures <= MAX_FIGURES * words.length;
}
