/** Lines of a PDF page: text items joined to lines, list marks, and heading levels by type size. */

/** A text item of pdf.js. */
type TextItem = { str: string; transform: number[]; width: number; height: number; hasEOL: boolean };

/** A line of text. Coordinates are in points from the lower left corner. */
export type PdfLine = {
  text: string;
  left: number;
  right: number;
  base: number;
  size: number;
  /** The mark of the list item that begins here. */
  mark?: string;
};

/** These distances are fractions of the font size. */
const SAME_BASE = 0.35;
const SPACE = 0.18;
/** A gap this wide separates cells or columns, not words. */
const GAP = 0.8;
/** Text this much smaller, and shifted by at most this much, is a note number. */
const RAISED_SIZE = 0.75;
const RAISED_BY = 0.7;
const BACKWARDS = 0.6;

export function linesOf(items: readonly TextItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let current: PdfLine | undefined;
  let spaced = false;
  for (const item of items) {
    // A space may be as wide as the gap between two columns, so only its presence counts.
    if (item.str.trim() === '') {
      spaced ||= item.str !== '';
      continue;
    }
    const piece = pieceOf(item);
    if (!piece) continue;
    if (current && follows(current, piece)) appendToLine(current, piece, spaced);
    else {
      current = piece;
      lines.push(current);
    }
    spaced = false;
  }
  return withMarks(lines.map((line) => ({ ...line, text: line.text.trim() })));
}

const MARK = /^(?:[•▪◦‣●○■–\uf0b7-]|\(?(?:\d{1,3}|[a-z])[.)])$/;

/** A list mark may be far from its item: it belongs to the nearest line to its right. */
function withMarks(lines: PdfLine[]): PdfLine[] {
  const marks = lines.filter(({ text }) => MARK.test(text));
  if (marks.length === 0) return lines;
  const used = new Set<PdfLine>();
  for (const mark of marks) {
    const candidates = lines.filter((line) => !MARK.test(line.text) && line.left > mark.left && onOneBase(line, mark));
    const [nearest] = candidates.sort((a, b) => a.left - b.left);
    if (!nearest || nearest.mark !== undefined) continue;
    nearest.mark = mark.text;
    used.add(mark);
  }
  return lines.filter((line) => !used.has(line));
}

const onOneBase = (a: PdfLine, b: PdfLine): boolean => Math.abs(a.base - b.base) < SAME_BASE * Math.max(a.size, b.size);

/** Vertical text is measured as if it were horizontal; only its words matter. */
function pieceOf({ str, transform, width }: TextItem): PdfLine | undefined {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = transform;
  const size = Math.hypot(c, d) || Math.hypot(a, b);
  if (!Number.isFinite(size) || size === 0) return undefined;
  const isTurned = Math.abs(b) > Math.abs(a);
  const [left, base] = isTurned ? [y * Math.sign(b), -x * Math.sign(b)] : [x, y];
  return { text: str, left, right: left + width, base, size };
}

function follows(line: PdfLine, piece: PdfLine): boolean {
  const size = Math.max(line.size, piece.size);
  const gap = piece.left - line.right;
  const isRaised = piece.size < RAISED_SIZE * line.size && Math.abs(piece.base - line.base) < RAISED_BY * line.size;
  return (onOneBase(piece, line) || isRaised) && gap < GAP * size && gap > -BACKWARDS * size;
}

function appendToLine(line: PdfLine, piece: PdfLine, spaced: boolean): void {
  const isApart = spaced || piece.left - line.right > SPACE * Math.min(line.size, piece.size);
  const needsSpace = isApart && !/\s$/.test(line.text) && !/^\s/.test(piece.text);
  line.text += (needsSpace ? ' ' : '') + piece.text;
  line.right = Math.max(line.right, piece.right);
  line.size = Math.max(line.size, piece.size);
}

const MIN_HEADING_RATIO = 1.12;
const MAX_LEVELS = 4;
const MAX_LENGTH = 150;
/** If more than this share of all text has a size, that size is not a heading. */
const MAX_SHARE = 0.2;

export type HeadingLevelOf = (line: PdfLine) => number | undefined;

/** Finds headings: lines in a larger font than most of the document. The largest font is level 1. */
export function headingLevels(lines: readonly PdfLine[]): HeadingLevelOf {
  const lengths = new Map<number, number>();
  for (const { size, text } of lines) {
    lengths.set(rounded(size), (lengths.get(rounded(size)) ?? 0) + text.length);
  }
  const total = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  const [body = 0] = [...lengths].sort((a, b) => b[1] - a[1])[0] ?? [];
  const sizes = [...lengths]
    .filter(([size, length]) => size > body * MIN_HEADING_RATIO && length < total * MAX_SHARE)
    .map(([size]) => size)
    .sort((a, b) => b - a);
  return ({ size, text }) => {
    const at = sizes.indexOf(rounded(size));
    return at < 0 || text.length > MAX_LENGTH ? undefined : Math.min(at + 1, MAX_LEVELS);
  };
}

const rounded = (size: number): number => Math.round(size * 2) / 2;
