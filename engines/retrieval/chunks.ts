/** Divides documents into the stretches that a search finds and shows: whole blocks under one heading, of a limited length. */
import { type BlockHeading, type TextBlock, walkBlocks } from './blocks.ts';
import { headingsOf, isCode, type Passage } from './passages.ts';

/** A stretch of `text` of the passage with this index. Rows of a table have the header of their table in `lead`. */
export type Chunk = {
  passage: number;
  start: number;
  end: number;
  /** The headings above it, the nearest first. */
  headings: string[];
  lead?: { start: number; end: number };
};

/** Long enough for a paragraph with its neighbours, short enough to be read at a glance. */
const MAX_CHUNK = 700;

/** Returns the chunks of all passages. A heading goes with the text below it, also across the end of a page. */
export function chunksOf(passages: readonly Passage[]): Chunk[] {
  const chunks: Chunk[] = [];
  let heading: BlockHeading | undefined;
  for (const [passage, { source, text }] of passages.entries()) {
    const above = source === passages[passage - 1]?.source ? heading : undefined;
    let open: Chunk | undefined;
    let group: unknown;
    const add = (block: TextBlock) => {
      if (block.kind === 'heading') {
        open = undefined;
        return;
      }
      const fits = open && block.end - open.start <= MAX_CHUNK && group === groupOf(block);
      if (open && fits) {
        open.end = block.end;
        return;
      }
      group = groupOf(block);
      open = { passage, start: block.start, end: block.end, headings: headingsOf(block) };
      if (block.kind === 'row' && block.lead) open.lead = block.lead;
      chunks.push(open);
    };
    heading = walkBlocks({ text, code: isCode(source), heading: above }, add);
  }
  return chunks;
}

/** Rows of one table stay together and apart from prose. */
const groupOf = ({ kind, group }: TextBlock): unknown => (kind === 'row' ? group : kind === 'code' ? 'code' : 'text');
