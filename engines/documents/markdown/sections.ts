/** A flowing document in parts that begin at its headings; one without headings is cut by size and counts paragraphs. */
import type { DocumentPart } from '../document.ts';
import { joinBlocks, type MarkdownBlock } from './blocks.ts';

const MAX_SECTION_LENGTH = 6_000;
const LABEL_LENGTH = 80;

export function sectionsOf(blocks: readonly MarkdownBlock[]): DocumentPart[] {
  const sections = cutAtHeadings(blocks);
  if (!sections.some(({ title }) => title)) return cutBySize(blocks).map(asParagraphs);
  const seenTitles = new Map<string, number>();
  return sections.flatMap(({ title, blocks: own }) => {
    const pieces = cutBySize(own);
    const name = uniqueTitle(title, seenTitles);
    return pieces.map((piece, at) => ({
      label: pieces.length > 1 ? `${name}, part ${at + 1}` : name,
      text: joinBlocks(piece.blocks),
    }));
  });
}

type Section = { title?: string; blocks: MarkdownBlock[] };

/** Headings that follow each other without a text between them open one section, named after the last. */
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

/** A heading that comes again is told apart by its number. */
function uniqueTitle(title: string | undefined, seen: Map<string, number>): string {
  if (title === undefined) return 'beginning';
  const name = `section ${title.length > LABEL_LENGTH ? `${title.slice(0, LABEL_LENGTH - 1).trimEnd()}…` : title}`;
  const times = (seen.get(name) ?? 0) + 1;
  seen.set(name, times);
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
