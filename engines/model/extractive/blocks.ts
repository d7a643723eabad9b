/** Walks a text, Markdown or plain, block by block: headings, paragraphs, list items, table rows, `key: value` lines, code. */
import {
  type BlockHeading,
  type BlockWalk,
  beginBlock,
  closeBlock,
  extendBlock,
  MAX_BLOCK,
  startWalk,
  type TextBlock,
} from './block-walk.ts';
import { lineAt, type TextLine } from './lines.ts';
import { takeLine } from './take-line.ts';

/** A few lines of code tell little: blank ones part a block only when it has this many. */
const MIN_CODE_LINES = 4;
const MAX_CODE_LINES = 20;
/** This many blocks may be of any size; beyond them a block has this many signs on average. */
const FINE = 5_000;
const MIN_AVERAGE = 16;

/** `code` says that the text is source code or data rather than prose; `heading` stands above its beginning. */
type WalkInput = { text: string; code: boolean; heading?: BlockHeading | undefined };

/** Calls `seen` with each block, and answers with the heading that is in force at the end. */
export function walkBlocks(
  { text, code, heading }: WalkInput,
  onBlock: (block: TextBlock) => void,
): BlockHeading | undefined {
  const walk = startWalk({ text, code, heading, seen: onBlock });
  let line = lineAt(text, 0, true, code);
  while (line) {
    if (walk.count > FINE && walk.count * MIN_AVERAGE > line.start) {
      line = takeCoarse(walk, line);
      continue;
    }
    const next = lineAt(text, line.next, line.kind === 'blank', code);
    if (code || walk.inFence) takeCode(walk, line);
    else takeLine(walk, line, next);
    line = next;
  }
  closeBlock(walk);
  return walk.heading;
}

/** A text of nothing but crumbs is read in larger pieces, so that it costs no more than another. */
function takeCoarse(walk: BlockWalk, line: TextLine): TextLine | undefined {
  const { text } = walk;
  const newline = text.indexOf('\n', Math.min(line.start + MAX_BLOCK / 2, text.length));
  const end = Math.min(newline === -1 ? text.length : newline, line.start + MAX_BLOCK);
  beginBlock(walk, 'prose', { ...line, end });
  closeBlock(walk);
  return lineAt(text, end, true, walk.code);
}

function takeCode(walk: BlockWalk, line: TextLine): void {
  if (!walk.code && line.kind === 'fence') {
    closeBlock(walk);
    walk.inFence = false;
    return;
  }
  const { open } = walk;
  if (line.kind === 'blank') {
    if (walk.openLines >= MIN_CODE_LINES) closeBlock(walk);
    return;
  }
  const full = open && (walk.openLines >= MAX_CODE_LINES || line.end - open.start > MAX_BLOCK);
  if (open && !full) extendBlock(walk, open, line);
  else beginBlock(walk, 'code', { ...line, start: line.from });
}
