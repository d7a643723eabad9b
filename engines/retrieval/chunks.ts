/** Divides documents into the stretches that a search finds and shows: whole blocks under one heading, of a limited length. */
import { definedFields } from '../../shared/core/optional-fields.ts';
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
  /** The lines right above the table of these rows, which say what it is about. */
  caption?: { start: number; end: number };
};

/** Long enough for a paragraph with its neighbours, short enough to be read at a glance. */
const MAX_CHUNK = 700;

/** The lines above a table say more of it than a paragraph before them, of which only the end counts. */
const MAX_CAPTION = 300;
const MAX_CAPTION_LINE = 160;
const MAX_CAPTION_BLOCKS = 4;

/** Returns the chunks of all passages. A heading goes with the text below it, also across the end of a page. */
export function passageChunks(passages: readonly Passage[]): Chunk[] {
  const chunks: Chunk[] = [];
  let heading: BlockHeading | undefined;
  for (const [passage, { source, text }] of passages.entries()) {
    const inherited = source === passages[passage - 1]?.source ? heading : undefined;
    let open: Chunk | undefined;
    let group: unknown;
    const captionAt = captionReader();
    const add = (block: TextBlock) => {
      const caption = captionAt(block);
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
      const table = block.kind === 'row' ? definedFields({ lead: block.lead, caption }) : {};
      open = { passage, start: block.start, end: block.end, headings: headingsOf(block), ...table };
      chunks.push(open);
    };
    heading = walkBlocks({ text, code: isCode(source), heading: inherited }, add);
  }
  return chunks;
}

/** Rows of one table stay together and apart from prose. */
const groupOf = ({ kind, group }: TextBlock): unknown => (kind === 'row' ? group : kind === 'code' ? 'code' : 'text');

/** Returns a function that is called with one block of a passage after the other, and returns the caption of the last table. */
function captionReader(): (block: TextBlock) => Chunk['caption'] {
  let table: number | undefined;
  let caption: Chunk['caption'];
  let above: TextBlock[] = [];
  return (block) => {
    if (block.kind === 'row' && block.group !== table) {
      table = block.group;
      caption = captionOf(above, block.group);
    }
    above = [...above.slice(1 - MAX_CAPTION_BLOCKS), block];
    return caption;
  };
}

/** The last blocks above a table, up to another table or the first long paragraph. */
function captionOf(above: readonly TextBlock[], table: number): Chunk['caption'] {
  let caption: Chunk['caption'];
  for (const { kind, start, end } of above.toReversed()) {
    const from = Math.max(start, (caption?.end ?? end) - MAX_CAPTION);
    if (kind === 'row' || kind === 'code' || (caption && from > start) || end > table) break;
    caption = { start: from, end: caption?.end ?? end };
    if (end - start > MAX_CAPTION_LINE) break;
  }
  return caption;
}
