/** Walks a text, Markdown or plain, block by block: headings, paragraphs, list items, table rows, `key: value` lines, code. */
import { type Line, lineAt } from './lines.ts';

export type Heading = { text: string; level: number; parent: Heading | undefined };

export type BlockKind = 'heading' | 'prose' | 'item' | 'row' | 'pair' | 'code';

/** `lead` is what the block cannot be understood without: a table's header, or the line that introduces a list. */
export type Block = {
  kind: BlockKind;
  start: number;
  end: number;
  heading: Heading | undefined;
  lead: { start: number; end: number } | undefined;
  /** Where the list or table begins that this block is a part of. */
  group: number;
};

const MAX_BLOCK = 2_000;
const MIN_CODE_LINES = 4;
const MAX_CODE_LINES = 20;
const MAX_HEADING = 100;
/** This many blocks may be of any size; beyond them a block has this many signs on average. */
const FINE = 5_000;
const MIN_AVERAGE = 16;

type Walk = {
  text: string;
  code: boolean;
  heading: Heading | undefined;
  open: Block | undefined;
  openLines: number;
  /** The last block that was closed: a list's or table's introduction. */
  last: Block | undefined;
  header: { start: number; end: number } | undefined;
  fence: string;
  group: number;
  count: number;
  seen: (block: Block) => void;
};

/** Calls `seen` with each block. `code` says that the text is source code or data rather than prose. */
export function walkBlocks(text: string, code: boolean, seen: (block: Block) => void): void {
  const walk: Walk = {
    text,
    code,
    heading: undefined,
    open: undefined,
    openLines: 0,
    last: undefined,
    header: undefined,
    fence: '',
    group: -1,
    count: 0,
    seen,
  };
  let line = lineAt(text, 0, true, code);
  while (line) {
    if (walk.count > FINE && walk.count * MIN_AVERAGE > line.start) {
      line = takeCoarse(walk, line);
      continue;
    }
    const next = lineAt(text, line.next, line.kind === 'blank', code);
    if (code || walk.fence !== '') takeCode(walk, line);
    else takeLine(walk, line, next);
    line = next;
  }
  close(walk);
}

/** A text of nothing but crumbs is read in larger pieces, so that it costs no more than another. */
function takeCoarse(walk: Walk, line: Line): Line | undefined {
  const { text } = walk;
  const newline = text.indexOf('\n', Math.min(line.start + MAX_BLOCK / 2, text.length));
  const end = Math.min(newline === -1 ? text.length : newline, line.start + MAX_BLOCK);
  begin(walk, 'prose', { ...line, end });
  close(walk);
  return lineAt(text, end, true, walk.code);
}

function close(walk: Walk): void {
  const { open } = walk;
  if (!open) return;
  walk.open = undefined;
  walk.last = open;
  walk.count++;
  walk.seen(open);
}

function begin(walk: Walk, kind: BlockKind, { start, end }: Line, lead?: Block['lead']): void {
  close(walk);
  walk.open = { kind, start, end, heading: walk.heading, lead, group: kind === 'prose' ? start : walk.group };
  walk.openLines = 1;
}

function extend(walk: Walk, open: Block, { end }: Line): void {
  open.end = end;
  walk.openLines++;
}

function takeCode(walk: Walk, line: Line): void {
  if (!walk.code && line.kind === 'fence') {
    close(walk);
    walk.fence = '';
    return;
  }
  const { open } = walk;
  if (line.start === line.end) {
    if (walk.openLines >= MIN_CODE_LINES) close(walk);
    return;
  }
  const full = open && (walk.openLines >= MAX_CODE_LINES || line.end - open.start > MAX_BLOCK);
  if (open && !full) extend(walk, open, line);
  else begin(walk, 'code', line);
}

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
    walk.fence = '`';
  },
};

function takeLine(walk: Walk, line: Line, next: Line | undefined): void {
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
  for (let at = line.start; at < line.end; at += MAX_BLOCK) {
    begin(walk, 'prose', { ...line, start: at, end: Math.min(at + MAX_BLOCK, line.end) });
  }
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

function setHeading(walk: Walk, { start, end }: { start: number; end: number }, level: number): void {
  let parent = walk.heading;
  while (parent && parent.level >= level) parent = parent.parent;
  const above = parent;
  walk.heading = { text: walk.text.slice(start, Math.min(end, start + 200)), level, parent };
  walk.last = { kind: 'heading', start, end, heading: above, lead: undefined, group: start };
  walk.count++;
  walk.seen(walk.last);
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
