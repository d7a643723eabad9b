/** What the tags of an HTML page do to the text that is being gathered. */
import type { MarkdownBlocks } from '../markdown/blocks.ts';

export type PageState = {
  blocks: MarkdownBlocks;
  text: string;
  /** Level of the heading we are in, or 0. */
  heading: number;
  inItem: boolean;
  preformatted: number;
  lists: { ordered: boolean; count: number }[];
  /** How deep we are in tables: one inside another gives its words to the cell it stands in. */
  tables: number;
  rows: string[][];
};

type Change = (page: PageState) => void;

/** Puts down what has been gathered; inside a table it only goes on after a space. */
export function flushText(page: PageState): void {
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
  page.rows.at(-1)?.push(page.text);
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

export const OPENERS: Record<string, Change> = {
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
    if (++page.tables === 1) page.rows = [];
  },
  tr: ({ tables, rows }) => {
    if (tables === 1) rows.push([]);
  },
  td: openCell,
  th: openCell,
};

export const CLOSERS: Record<string, Change> = {
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
