/** What each kind of line does to the walk through Markdown or plain prose. */
import { type Block, begin, close, extend, MAX_BLOCK, setHeading, type Walk } from './block-walk.ts';
import type { Line } from './lines.ts';

const MAX_HEADING = 100;

type Take = (walk: Walk, line: Line, next: Line | undefined) => void;

const TAKES: Record<Line['kind'], Take> = {
  blank: close,
  rule: takeRule,
  row: takeRow,
  heading: (walk, line) => takeHeading(walk, line, line.level),
  item: (walk, line, next) => (standsAlone(walk, line, next) ? takeHeading(walk, line, 6) : takeItem(walk, line)),
  plain: (walk, line, next) => (standsAlone(walk, line, next) ? takeHeading(walk, line, 6) : takePlain(walk, line)),
  pair(walk, line) {
    if (walk.open?.kind !== 'pair') walk.group = line.start;
    begin(walk, 'pair', line);
  },
  fence(walk) {
    close(walk);
    walk.inFence = true;
  },
};

export function takeLine(walk: Walk, line: Line, next: Line | undefined): void {
  if (line.kind !== 'row') walk.header = undefined;
  TAKES[line.kind](walk, line, next);
}

function takePlain(walk: Walk, line: Line): void {
  const { open } = walk;
  const goesOn = open && open.kind !== 'row' && open.kind !== 'heading' && line.end - open.start <= MAX_BLOCK;
  if (goesOn) {
    extend(walk, open, line);
    return;
  }
  begin(walk, 'prose', line);
}

function takeItem(walk: Walk, line: Line): void {
  const listed = walk.open?.kind === 'item' || (walk.open === undefined && walk.last?.kind === 'item');
  const before = walk.open ?? walk.last;
  close(walk);
  if (!listed) walk.group = line.start;
  begin(walk, 'item', line, listed ? before?.lead : introduction(walk, before));
}

/** The line before a list, if it ends with a colon. */
function introduction({ text }: Walk, before: Block | undefined): Block['lead'] {
  if (!before || before.kind === 'heading' || text.charAt(before.end - 1) !== ':') return undefined;
  return { start: Math.max(before.start, before.end - 300), end: before.end };
}

function takeRow(walk: Walk, line: Line, next: Line | undefined): void {
  if (line.level === 0) return;
  const fresh = walk.open?.kind !== 'row' && walk.header === undefined;
  if (fresh) {
    close(walk);
    walk.group = line.start;
    if (next?.kind === 'row' && next.level === 0) {
      walk.header = { start: line.start, end: line.end };
      return;
    }
  }
  begin(walk, 'row', line, walk.header);
}

/** A row of = or - makes the single line above it a heading. */
function takeRule(walk: Walk): void {
  const { open } = walk;
  if (open?.kind === 'prose' && walk.openLines === 1 && open.end - open.start <= MAX_HEADING) {
    walk.open = undefined;
    setHeading(walk, open, 2);
  } else close(walk);
}

function takeHeading(walk: Walk, line: Line, level: number): void {
  close(walk);
  setHeading(walk, line, level);
}

/** A short line between blank ones that ends like no sentence does is read as a heading. */
function standsAlone(walk: Walk, line: Line, next: Line | undefined): boolean {
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
