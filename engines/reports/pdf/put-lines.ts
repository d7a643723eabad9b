/** Puts lines of text on pages, breaking between them where a page ends. */
import { BOTTOM, ensureSpace, type PageFlow, startPage } from './flow.ts';
import type { LaidOutLine, PlacedText } from './lines.ts';
import type { ReportPage } from './pdf-page.ts';
import type { StructureTag, StructureTags } from './tags.ts';

export type LineLayout = {
  x: number;
  leading: number;
  tag: StructureTag;
  align?: 'start' | 'end';
  room?: number;
  before?: (page: ReportPage, top: number) => void;
};

/** Neither the first line of a paragraph stands alone at the foot of a page, nor its last at the head of one. */
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
    // A line ends a word, which readers of the structure cannot see.
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
