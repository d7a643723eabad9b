/** Pages of a PDF report: drawing operators, the tag structure for accessibility, the flow from page to page, and lines of text. */
import { type PdfFile, type PdfFont, ref, textString } from './pdf-file.ts';

/** A structure element of a tagged PDF. It marks headings, tables and figures for screen readers and for reflowing. */
export type StructureTag = {
  id: number;
  role: string;
  parent: StructureTag | undefined;
  alt: string;
  entries: string[];
  attributes: string;
};

type StructureTags = {
  root: StructureTag;
  open: (parent: StructureTag, role: string, more?: { alt?: string; attributes?: string }) => StructureTag;
  /** Assigns a part of a page to the tag; returns its number on that page. */
  mark: (tag: StructureTag, page: { id: number; index: number }) => number;
  /** Assigns a link annotation to the tag; returns its key. */
  markLink: (tag: StructureTag, annotation: number, page: { id: number }) => number;
  write: () => number;
};

export function structureTags(file: PdfFile): StructureTags {
  const tree = file.reserve();
  const allTags: StructureTag[] = [];
  const pages: StructureTag[][] = [];
  const links: StructureTag[] = [];
  const open: StructureTags['open'] = (parent, role, { alt = '', attributes = '' } = {}) =>
    add(parent, role, alt, attributes);
  function add(parent: StructureTag | undefined, role: string, alt = '', attributes = ''): StructureTag {
    const tag = { id: file.reserve(), role, parent, alt, attributes, entries: [] };
    parent?.entries.push(ref(tag.id));
    allTags.push(tag);
    return tag;
  }
  return {
    root: add(undefined, 'Document'),
    open,
    mark: (tag, { id, index }) => {
      pages[index] ??= [];
      const number = pages[index].push(tag) - 1;
      tag.entries.push(`<< /Type /MCR /Pg ${ref(id)} /MCID ${number} >>`);
      return number;
    },
    markLink: (tag, annotation, { id }) => {
      tag.entries.push(`<< /Type /OBJR /Pg ${ref(id)} /Obj ${ref(annotation)} >>`);
      return LINKS_FROM + links.push(tag) - 1;
    },
    write: () => writeTags(file, tree, { allTags, pages, links }),
  };
}

/** Keys of links begin here; smaller keys belong to pages. */
const LINKS_FROM = 10_000;

type Collected = {
  allTags: readonly StructureTag[];
  pages: readonly (StructureTag[] | undefined)[];
  links: readonly StructureTag[];
};

function writeTags(file: PdfFile, tree: number, { allTags, pages, links }: Collected): number {
  for (const { id, role, parent, alt, entries, attributes } of allTags) {
    const more = (alt ? ` /Alt ${textString(alt)}` : '') + (attributes ? ` /A ${attributes}` : '');
    file.put(id, `<< /Type /StructElem /S /${role} /P ${ref(parent?.id ?? tree)} /K [${entries.join(' ')}]${more} >>`);
  }
  const numbers = [
    ...pages.map((tags, index) => `${index} [${(tags ?? []).map(({ id }) => ref(id)).join(' ')}]`),
    ...links.map(({ id }, at) => `${LINKS_FROM + at} ${ref(id)}`),
  ];
  const parents = file.add(`<< /Nums [${numbers.join(' ')}] >>`);
  const [root] = allTags;
  return file.put(
    tree,
    `<< /Type /StructTreeRoot /K [${ref(root?.id ?? tree)}] /ParentTree ${ref(parents)} /ParentTreeNextKey ${LINKS_FROM + links.length} >>`,
  );
}

/** A4 in points. */
export const A4 = { width: 595.28, height: 841.89 };

type PageText = {
  text: string;
  x: number;
  y: number;
  size: number;
  font: PdfFont;
  colour: string;
  isTabular?: boolean;
};

/** A named destination in the file, or a URL. */
type LinkTarget = { to: string } | { address: string };

export type ReportPage = {
  id: number;
  index: number;
  /** Assigns what `draw` draws to the tag. Without a tag it is decoration, which screen readers skip. */
  within: (tag: StructureTag | undefined, draw: () => void) => void;
  text: (ink: PageText) => void;
  /** Writes operators unchanged, in points from the bottom left. */
  raw: (operators: string) => void;
  link: (tag: StructureTag, box: { x: number; top: number; width: number; height: number }, target: LinkTarget) => void;
  write: (parent: number, resources: string) => void;
};

/** A page that is drawn from the top down, in points. */
function openPage(file: PdfFile, tags: StructureTags, index: number): ReportPage {
  const id = file.reserve();
  const operators: string[] = [];
  const links: number[] = [];
  const raw = (line: string) => void operators.push(line);
  return {
    id,
    index,
    raw,
    within: (tag, draw) => {
      raw(tag ? `/${tag.role} << /MCID ${tags.mark(tag, { id, index })} >> BDC` : '/Artifact BMC');
      draw();
      raw('EMC');
    },
    text: ({ text, x, y, size, font, colour, isTabular }) =>
      raw(
        `BT /${font.name} ${short(size)} Tf ${fill(colour)} 1 0 0 1 ${short(x)} ${short(A4.height - y)} Tm ${font.show(text, isTabular)} TJ ET`,
      ),
    link: (tag, { x, top, width, height }, target) => {
      const annotation = file.reserve();
      const key = tags.markLink(tag, annotation, { id });
      const rect = [x, A4.height - top - height, x + width, A4.height - top].map(short).join(' ');
      const action = 'to' in target ? `/Dest (${target.to})` : `/A << /S /URI /URI (${escapeUrl(target.address)}) >>`;
      const words = 'to' in target ? '' : ` /Contents ${textString(target.address)}`;
      file.put(
        annotation,
        `<< /Type /Annot /Subtype /Link /Rect [${rect}] /Border [0 0 0] /F 4 /StructParent ${key} ${action}${words} >>`,
      );
      links.push(annotation);
    },
    write: (parent, resources) => {
      const contents = file.addStream(Buffer.from(operators.join('\n'), 'latin1'));
      const annotations = links.length > 0 ? `/Annots [${links.map(ref).join(' ')}] ` : '';
      file.put(
        id,
        `<< /Type /Page /Parent ${ref(parent)} /MediaBox [0 0 ${A4.width} ${A4.height}] /Resources ${resources} /Contents ${ref(contents)} ${annotations}/StructParents ${index} /Tabs /S >>`,
      );
    },
  };
}

/** URLs were checked before and contain only ASCII. */
const escapeUrl = (address: string): string => address.replaceAll(/[\\()]/g, '\\$&');

export const short = (value: number): string => String(Math.round(value * 100) / 100);

const parts = (colour: string): string =>
  [1, 3, 5].map((at) => short(Number.parseInt(colour.slice(at, at + 2), 16) / 255)).join(' ');

export const fill = (colour: string): string => `${parts(colour)} rg`;
export const stroke = (colour: string): string => `${parts(colour)} RG`;

/** The page layout; pages are filled from the top down. */
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

/** The target of a link within the file. */
export type PagePosition = { page: number; y: number };

export type PageFlow = {
  file: PdfFile;
  tags: StructureTags;
  fonts: PdfFonts;
  pages: ReportPage[];
  page: ReportPage;
  /** How far the page is filled, from the top. */
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

/** Starts a new page if `height` does not fit on this one, unless this page is still empty. */
export function ensureSpace(flow: PageFlow, height: number): void {
  if (flow.y + height > BOTTOM && flow.y > MARGIN.top) startPage(flow);
}

export const currentPosition = ({ page, y }: PageFlow): PagePosition => ({ page: page.id, y: A4.height - y + 12 });

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
type LayoutWord = { pieces: StyledText[]; spaced: boolean };

const BREAKS = /(?<=[^\s\-/][-/])(?=[^\s\-/])/u;

/** Breaks text of several styles into lines of a given width. */
export function breakLines(pieces: readonly StyledText[], room: number): LaidOutLine[] {
  const lines: LaidOutLine[] = [];
  let line: LaidOutLine = { placed: [], width: 0 };
  for (const word of wordsOf(pieces).flatMap((unsplitWord) => splitLongWord(unsplitWord, room))) {
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

function wordsOf(pieces: readonly StyledText[]): LayoutWord[] {
  const words: LayoutWord[] = [];
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

function add(words: LayoutWord[], piece: StyledText, isNew: boolean, spaced: boolean): void {
  if (isNew) words.push({ pieces: [], spaced });
  words.at(-1)?.pieces.push(piece);
}

const spaceIn = ({ font, size }: TextStyle): number => font.widthOf(' ', size);
const widthOf = (pieces: readonly StyledText[]): number =>
  pieces.reduce((sum, { text, look }) => sum + look.font.widthOf(text, look.size, look.isTabular), 0);

/** Cuts a word that is wider than a line. */
function splitLongWord(word: LayoutWord, room: number): LayoutWord[] {
  if (widthOf(word.pieces) <= room) return [word];
  const cut: LayoutWord[] = [];
  let width = 0;
  for (const { text, look } of word.pieces) {
    for (const letter of text) {
      const letterWidth = look.font.widthOf(letter, look.size, look.isTabular);
      const current = cut.at(-1);
      if (!current || width + letterWidth > room) {
        cut.push({ pieces: [{ text: letter, look }], spaced: cut.length === 0 && word.spaced });
        width = letterWidth;
        continue;
      }
      const piece = current.pieces.at(-1);
      if (piece?.look === look) piece.text += letter;
      else current.pieces.push({ text: letter, look });
      width += letterWidth;
    }
  }
  return cut;
}

/** Joins adjacent words of one style, including the spaces, so that copied text has its spaces. */
function appendWord(line: LaidOutLine, { pieces, spaced }: LayoutWord): void {
  let space = line.placed.length > 0 && spaced;
  for (const { text, look } of pieces) {
    const last = line.placed.at(-1);
    const spacedText = space ? ` ${text}` : text;
    if (last && last.look === look) {
      last.text += spacedText;
      line.width += look.font.widthOf(last.text, look.size, look.isTabular) - last.width;
      last.width = line.width - last.x;
    } else {
      const width = look.font.widthOf(spacedText, look.size, look.isTabular);
      line.placed.push({ text: spacedText, look, x: line.width, width });
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
    const remaining = lines.length - at;
    const fit = Math.floor((BOTTOM - flow.y) / leading + 1e-6);
    if (fit < 1 || (remaining === 2 && fit === 1)) startPage(flow);
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
    const textTag = isLink ? tags.open(tag, 'Link') : tag;
    // The added space separates words for programs that read the text by its tags, as they do not see line ends.
    const text = at === line.placed.length - 1 && !isLink ? `${placed.text} ` : placed.text;
    const left = x + shift + placed.x;
    const { font, size, colour, rise = 0, isTabular = false } = placed.look;
    page.within(textTag, () =>
      page.text({ text, x: left, y: top + baseOf(leading, size) - rise, size, font, colour, isTabular }),
    );
    if (isLink) putLink(page, textTag, placed, left, top, leading);
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
