/** What each kind of line does to the walk through Markdown or plain prose. */
import {
  type BlockWalk,
  beginBlock,
  closeBlock,
  extendBlock,
  MAX_BLOCK,
  setHeading,
  type TextBlock,
} from './block-walk.ts';
import type { TextLine } from './lines.ts';

const MAX_HEADING = 100;

type LineHandler = (walk: BlockWalk, line: TextLine, next: TextLine | undefined) => void;

const LINE_HANDLERS: Record<TextLine['kind'], LineHandler> = {
  blank: closeBlock,
  rule: takeRule,
  row: takeRow,
  heading: (walk, line) => takeHeading(walk, line, line.level),
  item: (walk, line, next) => (standsAlone(walk, line, next) ? takeHeading(walk, line, 6) : takeItem(walk, line)),
  plain: (walk, line, next) => (standsAlone(walk, line, next) ? takeHeading(walk, line, 6) : takePlain(walk, line)),
  pair(walk, line) {
    if (walk.open?.kind !== 'pair') walk.group = line.start;
    beginBlock(walk, 'pair', line);
  },
  fence(walk) {
    closeBlock(walk);
    walk.inFence = true;
  },
};

export function takeLine(walk: BlockWalk, line: TextLine, next: TextLine | undefined): void {
  if (line.kind !== 'row') walk.header = undefined;
  LINE_HANDLERS[line.kind](walk, line, next);
}

function takePlain(walk: BlockWalk, line: TextLine): void {
  const { open } = walk;
  const goesOn = open && open.kind !== 'row' && open.kind !== 'heading' && line.end - open.start <= MAX_BLOCK;
  if (goesOn) {
    extendBlock(walk, open, line);
    return;
  }
  beginBlock(walk, 'prose', line);
}

function takeItem(walk: BlockWalk, line: TextLine): void {
  const listed = walk.open?.kind === 'item' || (walk.open === undefined && walk.last?.kind === 'item');
  const before = walk.open ?? walk.last;
  closeBlock(walk);
  if (!listed) walk.group = line.start;
  beginBlock(walk, 'item', line, listed ? before?.lead : introduction(walk, before));
}

/** The line before a list, if it ends with a colon. */
function introduction({ text }: BlockWalk, before: TextBlock | undefined): TextBlock['lead'] {
  if (!before || before.kind === 'heading' || text.charAt(before.end - 1) !== ':') return undefined;
  return { start: Math.max(before.start, before.end - 300), end: before.end };
}

function takeRow(walk: BlockWalk, line: TextLine, next: TextLine | undefined): void {
  if (line.level === 0) return;
  const fresh = walk.open?.kind !== 'row' && walk.header === undefined;
  if (fresh) {
    closeBlock(walk);
    walk.group = line.start;
    if (next?.kind === 'row' && next.level === 0) {
      walk.header = { start: line.start, end: line.end };
      return;
    }
  }
  beginBlock(walk, 'row', line, walk.header);
}

/** A row of = or - makes the single line above it a heading. */
function takeRule(walk: BlockWalk): void {
  const { open } = walk;
  if (open?.kind === 'prose' && walk.openLines === 1 && open.end - open.start <= MAX_HEADING) {
    walk.open = undefined;
    setHeading(walk, open, 2);
  } else closeBlock(walk);
}

function takeHeading(walk: BlockWalk, line: TextLine, level: number): void {
  closeBlock(walk);
  setHeading(walk, line, level);
}

/** A short line between blank ones that ends like no sentence does is read as a heading. */
function standsAlone(walk: BlockWalk, line: TextLine, next: TextLine | undefined): boolean {
  if (
    !line.afterBlank ||
    walk.open ||
    line.end - line.start > 70 ||
    (next?.kind === 'plain' && line.end - line.start > 50) ||
    /[.,;:]$/.test(walk.text.charAt(line.end - 1))
  ) {
    return false;
  }
  return next !== undefined && (next.kind === 'blank' || (line.kind === 'item' && next.kind === 'plain'));
}
