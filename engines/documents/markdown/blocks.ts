/** What a flowing document is made of, one after the other: headings, paragraphs, list items, tables. */
import type { ReadingBudget } from './budget.ts';
import { markdownTable } from './table.ts';

export type MarkdownBlock = {
  text: string;
  /** 1 to 6 for a heading. */
  level?: number;
  /** Items follow each other without an empty line. */
  item?: boolean;
};

export type MarkdownBlocks = {
  readonly all: MarkdownBlock[];
  heading(text: string, level: number): void;
  paragraph(text: string): void;
  item(text: string, depth: number, mark?: string): void;
  table(rows: string[][]): void;
};

const MAX_HEADING_LEVEL = 6;

export function markdownBlocks(budget: ReadingBudget): MarkdownBlocks {
  const all: MarkdownBlock[] = [];
  const add = (block: MarkdownBlock) => {
    budget.countText(block.text);
    all.push(block);
  };
  return {
    all,
    heading(text, level) {
      const line = oneLine(text);
      const depth = Math.min(Math.max(level, 1), MAX_HEADING_LEVEL);
      if (line !== '') add({ text: `${'#'.repeat(depth)} ${line}`, level: depth });
    },
    paragraph(text) {
      const trimmed = tidy(text);
      if (trimmed !== '') add({ text: trimmed });
    },
    item(text, depth, mark = '-') {
      const trimmed = tidy(text);
      if (trimmed !== '')
        add({ text: `${'  '.repeat(Math.min(Math.max(depth, 0), 8))}${mark} ${trimmed}`, item: true });
    },
    table(rows) {
      const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
      if (filled.length > 0) add({ text: markdownTable(filled) });
    },
  };
}

/** Blocks as one Markdown text. */
export function joinBlocks(blocks: readonly MarkdownBlock[]): string {
  let text = '';
  for (const [at, block] of blocks.entries()) {
    const between = at === 0 ? '' : block.item && blocks[at - 1]?.item ? '\n' : '\n\n';
    text += between + block.text;
  }
  return text;
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim().replaceAll(/[^\S\n]+/g, ' '))
    .join('\n')
    .trim();
