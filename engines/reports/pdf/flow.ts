/** Fills page after page from the top down. */

import type { PdfFile } from './pdf-file.ts';
import type { PdfFont } from './pdf-font.ts';
import { A4, openPage, type ReportPage } from './pdf-page.ts';
import type { StructureTags } from './tags.ts';

export const MARGIN = { side: 66, top: 64, bottom: 74 };
export const BOTTOM = A4.height - MARGIN.bottom;
export const WIDTH = A4.width - 2 * MARGIN.side;

export const INK = {
  text: '#1b2330',
  soft: '#55606e',
  line: '#d5dae1',
  strong: '#1b2330',
  link: '#0a5c99',
  note: '#fff6e0',
  noteLine: '#c98a00',
};

export type PdfFonts = { regular: PdfFont; semiBold: PdfFont };

/** Somewhere to jump to. */
export type PagePosition = { page: number; y: number };

export type PageFlow = {
  file: PdfFile;
  tags: StructureTags;
  fonts: PdfFonts;
  pages: ReportPage[];
  page: ReportPage;
  /** How far down the page is full. */
  y: number;
  places: Map<string, PagePosition>;
  outline: { title: string; place: PagePosition }[];
};

export function startFlow(file: PdfFile, tags: StructureTags, fonts: PdfFonts): PageFlow {
  const page = openPage(file, tags, 0);
  return { file, tags, fonts, pages: [page], page, y: MARGIN.top, places: new Map(), outline: [] };
}

export function startPage(flow: PageFlow): void {
  flow.page = openPage(flow.file, flow.tags, flow.pages.length);
  flow.pages.push(flow.page);
  flow.y = MARGIN.top;
}

/** A new page unless so much fits on this one; nothing ever fits better than on an empty one. */
export function ensureSpace(flow: PageFlow, height: number): void {
  if (flow.y + height > BOTTOM && flow.y > MARGIN.top) startPage(flow);
}

export const currentPosition = ({ page, y }: PageFlow): PagePosition => ({ page: page.id, y: A4.height - y + 12 });
