/** HTML: the visible text of a page with its headings, lists and tables. */

import { Parser } from 'htmlparser2';
import { type DocumentPart, type ReaderInput, type ReadingBudget, unreadable } from '../document.ts';
import { type MarkdownBlock, type MarkdownBlocks, markdownBlocks, sectionsOf } from '../markdown.ts';
import { decodeText } from '../text.ts';
import { pageLooks } from './html-styles.ts';

/** The state while a page is parsed; tags change it. */
type PageState = {
  blocks: MarkdownBlocks;
  text: string;
  /** The level of the current heading, or 0. */
  heading: number;
  inItem: boolean;
  preformatted: number;
  lists: { ordered: boolean; count: number }[];
  /** The nesting depth of tables. A nested table adds its text to the cell around it. */
  tables: number;
  rows: string[][];
  /** How many columns and rows the open cell takes. */
  span: Span;
  /** By column, the row before which a cell from above ends. */
  takenTo: number[];
};

type Span = { columns: number; rows: number };
const ONE: Span = { columns: 1, rows: 1 };
const MAX_COLUMNS = 30;
const MAX_ROWS = 1_000;

const spanOf = ({ colspan, rowspan }: Record<string, string>): Span => ({
  columns: wholeFrom1(colspan, MAX_COLUMNS),
  rows: wholeFrom1(rowspan, MAX_ROWS),
});

const wholeFrom1 = (text: string | undefined, max: number): number =>
  Math.min(max, Math.max(1, Number.parseInt(text ?? '', 10) || 1));

type Change = (page: PageState) => void;

/** Writes the collected text as a block. Inside a table it only adds a space. */
function flushText(page: PageState): void {
  if (page.tables > 0) {
    page.text += ' ';
    return;
  }
  const { blocks, text } = page;
  page.text = '';
  if (text.trim() === '') return;
  if (page.heading > 0) blocks.heading(text, page.heading);
  else if (page.inItem) {
    const list = page.lists.at(-1);
    blocks.item(text, page.lists.length - 1, list?.ordered ? `${list.count}.` : '-');
    page.inItem = false;
  } else blocks.paragraph(text);
}

const openCell: Change = (page) => {
  if (page.tables === 1) page.text = '';
};

const closeCell: Change = (page) => {
  if (page.tables !== 1) return;
  if (page.rows.length === 0) page.rows.push([]);
  const row = page.rows.at(-1) ?? [];
  const at = page.rows.length - 1;
  while ((page.takenTo[row.length] ?? 0) > at) row.push('');
  const { columns, rows } = page.span;
  for (let column = row.length; column < row.length + columns; column++) page.takenTo[column] = at + rows;
  row.push(page.text, ...Array.from({ length: columns - 1 }, () => ''));
  page.text = '';
};

const openHeading =
  (level: number): Change =>
  (page) => {
    if (page.tables === 0) page.heading = level;
  };

const closeHeading: Change = (page) => {
  page.heading = 0;
};

const openList =
  (ordered: boolean): Change =>
  ({ lists }) =>
    lists.push({ ordered, count: 0 });

const closeList: Change = ({ lists }) => lists.pop();

const OPENERS: Record<string, Change> = {
  h1: openHeading(1),
  h2: openHeading(2),
  h3: openHeading(3),
  h4: openHeading(4),
  h5: openHeading(5),
  h6: openHeading(6),
  br: (page) => {
    page.text += page.tables > 0 ? ' ' : '\n';
  },
  pre: (page) => page.preformatted++,
  ol: openList(true),
  ul: openList(false),
  li: (page) => {
    const list = page.lists.at(-1);
    if (list) list.count++;
    page.inItem = list !== undefined;
  },
  table: (page) => {
    if (++page.tables > 1) return;
    page.rows = [];
    page.takenTo = [];
  },
  tr: ({ tables, rows }) => {
    if (tables === 1) rows.push([]);
  },
  td: openCell,
  th: openCell,
};

const CLOSERS: Record<string, Change> = {
  h1: closeHeading,
  h2: closeHeading,
  h3: closeHeading,
  h4: closeHeading,
  h5: closeHeading,
  h6: closeHeading,
  pre: (page) => page.preformatted--,
  ol: closeList,
  ul: closeList,
  li: (page) => {
    page.inItem = false;
  },
  td: closeCell,
  th: closeCell,
  caption: (page) => {
    if (page.tables !== 1) return;
    page.blocks.paragraph(page.text);
    page.text = '';
  },
  table: (page) => {
    if (--page.tables > 0) return;
    page.blocks.table(page.rows);
    page.rows = [];
    page.text = '';
  },
};

/** Elements that contain no visible text. */
export const SKIPPED_ELEMENTS = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'head',
  'select',
  'iframe',
  'object',
]);
const BLOCK_ELEMENTS = new Set(
  `address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html
  main nav ol p pre section summary table tbody tfoot thead tr ul h1 h2 h3 h4 h5 h6 li td th caption`.split(/\s+/),
);
const MAX_DEPTH = 2_000;
const PIECE = 65_536;

/** Collects the visible text of HTML as blocks, from the tags and texts that a parser or a tree reports. */
export type HtmlBlocks = {
  open(name: string, attributes?: Record<string, string>): void;
  text(piece: string): void;
  close(name: string): void;
  /** Adds text that the page does not show. */
  hide(text: string): void;
  /** Ends the document. */
  end(): MarkdownBlock[];
};

export function htmlBlocks(budget: ReadingBudget): HtmlBlocks {
  const page: PageState = {
    blocks: markdownBlocks(budget),
    text: '',
    heading: 0,
    inItem: false,
    preformatted: 0,
    lists: [],
    tables: 0,
    rows: [],
    span: ONE,
    takenTo: [],
  };
  return {
    open(name, attributes = {}) {
      if (BLOCK_ELEMENTS.has(name)) flushText(page);
      if (page.tables === 1 && (name === 'td' || name === 'th')) page.span = spanOf(attributes);
      OPENERS[name]?.(page);
    },
    text(piece) {
      page.text += page.preformatted > 0 ? piece : piece.replaceAll(/\s+/g, ' ');
    },
    close(name) {
      if (BLOCK_ELEMENTS.has(name)) flushText(page);
      CLOSERS[name]?.(page);
    },
    hide: (text) => page.blocks.hide(text.replaceAll(/\s+/g, ' ')),
    end() {
      page.tables = 0;
      flushText(page);
      return page.blocks.all;
    },
  };
}

/** In XHTML an element such as `<title/>` is closed; HTML would go on with it to the end of the page. */
export const isXhtml = (text: string): boolean => text.startsWith('<?xml');

/** `skipped` names further elements to leave out. What the page does not show becomes hidden parts. */
export function readHtml(
  { bytes, budget }: Pick<ReaderInput, 'bytes' | 'budget'>,
  skipped: readonly string[] = [],
): DocumentPart[] {
  const isSkipped = (name: string) => SKIPPED_ELEMENTS.has(name) || skipped.includes(name);
  const blocks = htmlBlocks(budget);
  const looks = pageLooks();
  const text = decodeText(bytes);
  let depth = 0;
  let skippedDepth = 0;
  /** The depth of the hidden element around the current position, or 0. */
  let hiddenAt = 0;
  let hidden = '';
  const hide = () => {
    if (hidden.trim() !== '') blocks.hide(hidden);
    hidden = '';
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH) throw unreadable('tooLarge');
        if (isSkipped(name)) skippedDepth++;
        if (!looks.open(name, attributes) && hiddenAt === 0) hiddenAt = depth;
        if (hiddenAt > 0) hidden += ' ';
        else if (skippedDepth === 0) blocks.open(name, attributes);
      },
      ontext(piece) {
        const isShown = looks.text(piece);
        if (skippedDepth > 0) return;
        if (!isShown) hidden += piece;
        else blocks.text(piece);
      },
      onclosetag(name) {
        looks.close();
        const wasHidden = hiddenAt > 0;
        if (hiddenAt === depth--) hiddenAt = 0;
        if (hiddenAt === 0) hide();
        if (skippedDepth > 0) {
          if (isSkipped(name)) skippedDepth--;
        } else if (!wasHidden) blocks.close(name);
      },
    },
    { decodeEntities: true, recognizeSelfClosing: isXhtml(text) },
  );
  for (let at = 0; at < text.length; at += PIECE) parser.write(text.slice(at, at + PIECE));
  parser.end();
  return sectionsOf(blocks.end());
}
