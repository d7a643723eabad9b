/** Breaks text into lines and puts them on pages. */

import {
  BOTTOM,
  ensureSpace,
  type LinkTarget,
  type PageFlow,
  type ReportPage,
  type StructureTag,
  type StructureTags,
  startPage,
} from './pages.ts';
import type { PdfFont } from './pdf-font.ts';

export type TextStyle = {
  font: PdfFont;
  size: number;
  colour: string;
  rise?: number;
  target?: LinkTarget;
  isTabular?: boolean;
};
export type StyledText = { text: string; look: TextStyle };
type PlacedText = StyledText & { x: number; width: number };
export type LaidOutLine = { placed: PlacedText[]; width: number };

/** Pieces of text that must not be separated. `spaced` is true if a space precedes them. */
type Word = { pieces: StyledText[]; spaced: boolean };

const BREAKS = /(?<=[^\s\-/][-/])(?=[^\s\-/])/u;

/** Breaks text of several styles into lines of a given width. */
export function breakLines(pieces: readonly StyledText[], room: number): LaidOutLine[] {
  const lines: LaidOutLine[] = [];
  let line: LaidOutLine = { placed: [], width: 0 };
  for (const word of wordsOf(pieces).flatMap((one) => splitLongWord(one, room))) {
    const last = line.placed.at(-1);
    const gap = last && word.spaced ? spaceIn(last.look) : 0;
    if (last && line.width + gap + widthOf(word.pieces) > room) {
      lines.push(line);
      line = { placed: [], width: 0 };
    }
    appendWord(line, word);
  }
  if (line.placed.length > 0) lines.push(line);
  return lines;
}

function wordsOf(pieces: readonly StyledText[]): Word[] {
  const words: Word[] = [];
  let spaced = true;
  for (const { text, look } of pieces) {
    for (const [part] of look.font.plain(text).matchAll(/\s+|\S+/g)) {
      const bits = part.trim() ? part.split(BREAKS) : [];
      for (const [at, bit] of bits.entries()) add(words, { text: bit, look }, at > 0 || spaced, at === 0 && spaced);
      spaced = bits.length === 0;
    }
  }
  return words;
}

function add(words: Word[], piece: StyledText, isNew: boolean, spaced: boolean): void {
  if (isNew) words.push({ pieces: [], spaced });
  words.at(-1)?.pieces.push(piece);
}

const spaceIn = ({ font, size }: TextStyle): number => font.widthOf(' ', size);
const widthOf = (pieces: readonly StyledText[]): number =>
  pieces.reduce((sum, { text, look }) => sum + look.font.widthOf(text, look.size, look.isTabular), 0);

/** Cuts a word that is wider than a line. */
function splitLongWord(word: Word, room: number): Word[] {
  if (widthOf(word.pieces) <= room) return [word];
  const cut: Word[] = [];
  let width = 0;
  for (const { text, look } of word.pieces) {
    for (const letter of text) {
      const own = look.font.widthOf(letter, look.size, look.isTabular);
      const current = cut.at(-1);
      if (!current || width + own > room) {
        cut.push({ pieces: [{ text: letter, look }], spaced: cut.length === 0 && word.spaced });
        width = own;
        continue;
      }
      const piece = current.pieces.at(-1);
      if (piece?.look === look) piece.text += letter;
      else current.pieces.push({ text: letter, look });
      width += own;
    }
  }
  return cut;
}

/** Joins adjacent words of one style, including the spaces, so that copied text has its spaces. */
function appendWord(line: LaidOutLine, { pieces, spaced }: Word): void {
  let space = line.placed.length > 0 && spaced;
  for (const { text, look } of pieces) {
    const last = line.placed.at(-1);
    const shown = space ? ` ${text}` : text;
    if (last && last.look === look) {
      last.text += shown;
      line.width += look.font.widthOf(last.text, look.size, look.isTabular) - last.width;
      last.width = line.width - last.x;
    } else {
      const width = look.font.widthOf(shown, look.size, look.isTabular);
      line.placed.push({ text: shown, look, x: line.width, width });
      line.width += width;
    }
    space = false;
  }
}

type LineLayout = {
  x: number;
  leading: number;
  tag: StructureTag;
  align?: 'start' | 'end';
  room?: number;
  before?: (page: ReportPage, top: number) => void;
};

/**
 * Puts lines on pages, without leaving the first line of a paragraph alone at the bottom of a page, or the last one
 * alone at the top.
 */
export function putLines(flow: PageFlow, lines: readonly LaidOutLine[], layout: LineLayout): void {
  const { leading } = layout;
  if (lines.length > 1) ensureSpace(flow, 2 * leading);
  for (const [at, line] of lines.entries()) {
    const left = lines.length - at;
    const fit = Math.floor((BOTTOM - flow.y) / leading + 1e-6);
    if (fit < 1 || (left === 2 && fit === 1)) startPage(flow);
    if (at === 0) layout.before?.(flow.page, flow.y);
    putLine(flow.page, flow.tags, line, flow.y, layout);
    flow.y += leading;
  }
}

export function putLine(
  page: ReportPage,
  tags: StructureTags,
  line: LaidOutLine,
  top: number,
  { x, leading, tag, align, room = 0 }: LineLayout,
): void {
  const shift = align === 'end' ? room - line.width : 0;
  for (const [at, placed] of line.placed.entries()) {
    const isLink = placed.look.target !== undefined;
    const own = isLink ? tags.open(tag, 'Link') : tag;
    // The added space separates words for programs that read the text by its tags, as they do not see line ends.
    const text = at === line.placed.length - 1 && !isLink ? `${placed.text} ` : placed.text;
    const left = x + shift + placed.x;
    const { font, size, colour, rise = 0, isTabular = false } = placed.look;
    page.within(own, () =>
      page.text({ text, x: left, y: top + baseOf(leading, size) - rise, size, font, colour, isTabular }),
    );
    if (isLink) putLink(page, own, placed, left, top, leading);
  }
}

const baseOf = (leading: number, size: number): number => leading / 2 + Math.max(size, leading / 1.5) * 0.36;

function putLink(
  page: ReportPage,
  tag: StructureTag,
  { width, look: { target } }: PlacedText,
  x: number,
  top: number,
  height: number,
): void {
  if (target) page.link(tag, { x, top, width, height }, target);
}
