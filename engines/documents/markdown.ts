/** Markdown of a document: blocks, tables, and parts that begin at headings. */
import { oneLine } from '../../shared/core/one-line.ts';
import type { DocumentPart, ReadingBudget } from './document.ts';

/** Writes rows of cells as a Markdown table; the first row is the header. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows.map((row) => row.map(cellText));
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell) => ` ${cell} |`).join('')}${'  |'.repeat(width - cells.length)}`;
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n');
}

/** Puts a cell on one line and escapes pipes, which would end the cell. */
const cellText = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');

/** A block of a text document: a heading, a paragraph, a list item or a table. */
export type MarkdownBlock = {
  text: string;
  /** Text at this block that a person does not see. It becomes a part of its own. */
  hidden?: string;
  /** 1 to 6 for a heading. */
  level?: number;
  /** Consecutive items are not separated by an empty line. */
  item?: boolean;
};

export type MarkdownBlocks = {
  readonly all: MarkdownBlock[];
  heading(text: string, level: number): void;
  paragraph(text: string): void;
  item(text: string, depth: number, mark?: string): void;
  table(rows: string[][]): void;
  hide(text: string): void;
};

export const hiddenPart = ({ label, text }: DocumentPart): DocumentPart => ({
  label: `${label} (hidden)`,
  text,
  hidden: true,
});

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
    hide(text) {
      const trimmed = tidy(text);
      if (trimmed === '') return;
      const last = all.at(-1);
      if (last) last.hidden = last.hidden === undefined ? trimmed : `${last.hidden}\n\n${trimmed}`;
      else all.push({ text: '', hidden: trimmed });
      budget.countText(trimmed);
    },
  };
}

export function joinBlocks(blocks: readonly MarkdownBlock[]): string {
  let text = '';
  for (const [at, block] of blocks.entries()) {
    const between = text === '' || block.text === '' ? '' : block.item && blocks[at - 1]?.item ? '\n' : '\n\n';
    text += between + block.text;
  }
  return text;
}

/** Writes a slide as a part, and what a person does not see of it as another one. */
export function slideParts(label: string, { all }: MarkdownBlocks, isShown: boolean): DocumentPart[] {
  const hidden = all.flatMap((block) => block.hidden ?? []).join('\n\n');
  const text = joinBlocks(all);
  if (!isShown) return [hiddenPart({ label, text: hidden === '' ? text : `${text}\n\n${hidden}` })];
  return hidden === '' ? [{ label, text }] : [{ label, text }, hiddenPart({ label, text: hidden })];
}

const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim().replaceAll(/[^\S\n]+/g, ' '))
    .join('\n')
    .trim();

const MAX_SECTION_LENGTH = 6_000;
const LABEL_LENGTH = 80;

/**
 * Divides a document into parts that begin at its headings. Without headings, parts have a limited size and are
 * numbered by paragraphs.
 */
export function sectionsOf(blocks: readonly MarkdownBlock[]): DocumentPart[] {
  const sections = cutAtHeadings(blocks);
  if (!sections.some(({ title }) => title))
    return cutBySize(blocks).flatMap((piece) => partsOf(asParagraphs(piece), piece));
  const seenTitles = new Map<string, number>();
  return sections.flatMap(({ title, blocks: sectionBlocks }) => {
    const pieces = cutBySize(sectionBlocks);
    const name = uniqueTitle(title, seenTitles);
    return pieces.flatMap((piece, at) =>
      partsOf({ label: pieces.length > 1 ? `${name}, part ${at + 1}` : name, text: joinBlocks(piece.blocks) }, piece),
    );
  });
}

function partsOf(part: DocumentPart, { blocks }: Piece): DocumentPart[] {
  const hidden = blocks.flatMap((block) => block.hidden ?? []);
  return hidden.length === 0 ? [part] : [part, hiddenPart({ label: part.label, text: hidden.join('\n\n') })];
}

type Section = { title?: string; blocks: MarkdownBlock[] };

/** Consecutive headings without text between them begin one section, named after the last of them. */
function cutAtHeadings(blocks: readonly MarkdownBlock[]): Section[] {
  const sections: Section[] = [];
  let current: Section | undefined;
  for (const block of blocks) {
    const opens = block.level !== undefined;
    const bare = current?.blocks.every(({ level }) => level !== undefined) ?? false;
    if (!current || (opens && !bare)) {
      current = { blocks: [] };
      sections.push(current);
    }
    current.blocks.push(block);
    if (opens) current.title = block.text.replace(/^#+ /, '');
  }
  return sections;
}

/** Adds a number to a heading that occurs again. */
function uniqueTitle(title: string | undefined, counts: Map<string, number>): string {
  if (title === undefined) return 'beginning';
  const name = `section ${title.length > LABEL_LENGTH ? `${title.slice(0, LABEL_LENGTH - 1).trimEnd()}…` : title}`;
  const times = (counts.get(name) ?? 0) + 1;
  counts.set(name, times);
  return times === 1 ? name : `${name} (${times})`;
}

type Piece = { first: number; blocks: MarkdownBlock[] };

function cutBySize(blocks: readonly MarkdownBlock[]): Piece[] {
  const pieces: Piece[] = [];
  let length = 0;
  for (const [at, block] of blocks.entries()) {
    const current = pieces.at(-1);
    if (!current || length + block.text.length > MAX_SECTION_LENGTH) {
      pieces.push({ first: at, blocks: [block] });
      length = 0;
    } else current.blocks.push(block);
    length += block.text.length;
  }
  return pieces;
}

function asParagraphs({ first, blocks }: Piece): DocumentPart {
  const label = blocks.length === 1 ? `paragraph ${first + 1}` : `paragraphs ${first + 1}-${first + blocks.length}`;
  return { label, text: joinBlocks(blocks) };
}
