/**
 * Splits Markdown or plain text into blocks: headings, paragraphs, list items, table rows, `key: value` lines, code.
 */

/** The kind of a line, by how it begins. */
type LineKind = 'blank' | 'plain' | 'heading' | 'item' | 'row' | 'pair' | 'rule' | 'fence';

/**
 * `start` and `end` exclude the white space around the line, which begins at `from`. `level` is that of a heading, or 0
 * for the rule under a table's header.
 */
type TextLine = {
  kind: LineKind;
  from: number;
  start: number;
  end: number;
  next: number;
  level: number;
  afterBlank: boolean;
};

/** A line's kind is decided by this many characters. */
const HEAD = 64;
const ITEM = /^(?:[-*+•–·▪◦‣]\s|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]\s|\[[ x]\]\s)/iu;
/** The title of a clause: `§ 3 Miete`. */
const CLAUSE_SIGN = /^§{1,2}\s?\d+[a-z]?\.?\s+\p{Lu}[^.;:!?]*$/u;
const HASHES = /^(#{1,6})\s/;
const BOLD = /^\*\*[^*]+\*\*$|^__[^_]+__$/;
/** A frame around a label is read as a bracket or a bar. */
const PAIR = /^[[(|]?[\p{Lu}\p{Lt}\p{Lo}\d*"][^:.;!?|]{0,40}:\*{0,2}\s+\S/u;
const TABLE_RULE = /^[|\s:-]+$/;
const RULE = /^(?:[-*_=]\s?)+$/;
const MAX_PAIR = 300;
const CAPITALS = /^[^\p{Ll}]*\p{Lu}{2}[^\p{Ll}]*$/u;

function lineAt(text: string, from: number, afterBlank: boolean, code: boolean): TextLine | undefined {
  if (from >= text.length) return undefined;
  const newline = text.indexOf('\n', from);
  const stop = newline === -1 ? text.length : newline;
  let start = from;
  let end = stop;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  const line: TextLine = { kind: 'plain', from, start, end, next: stop + 1, level: 6, afterBlank };
  if (start === end) line.kind = 'blank';
  else if (!code) classify(text, line);
  if (line.kind === 'plain' && !code)
    while (text.charCodeAt(line.start) === 0x3e && line.start < end) skipQuoteMark(text, line);
  return line;
}

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;

function skipQuoteMark(text: string, line: TextLine): void {
  line.start++;
  while (line.start < line.end && isBlank(text.charCodeAt(line.start))) line.start++;
  if (line.start === line.end) line.kind = 'blank';
}

function classify(text: string, line: TextLine): void {
  const head = text.slice(line.start, Math.min(line.end, line.start + HEAD));
  const hashes = HASHES.exec(head);
  if (hashes) {
    line.level = hashes[1]?.length ?? 6;
    line.start += hashes[0].length;
  }
  if (head.startsWith('|')) line.level = TABLE_RULE.test(head) ? 0 : 1;
  line.kind = KINDS.find(([, fits]) => fits(head, line))?.[0] ?? 'plain';
}

/** `FAX: 555 0100` names a number, and heads nothing. */
const LABELLED_NUMBER = /^[^:]{1,30}:\s+[+(]?\d[\d ()+./-]*$/;

const KINDS: [LineKind, (head: string, line: TextLine) => boolean][] = [
  ['heading', (head) => HASHES.test(head)],
  ['row', (head) => head.startsWith('|')],
  ['fence', (head) => head.startsWith('```') || head.startsWith('~~~')],
  ['rule', (head) => head.length > 2 && RULE.test(head)],
  [
    'heading',
    (head, line) =>
      isShort(line, HEAD) &&
      (BOLD.test(head) ||
        CLAUSE_SIGN.test(head) ||
        (line.afterBlank && CAPITALS.test(head) && !LABELLED_NUMBER.test(head))),
  ],
  ['item', (head) => ITEM.test(head)],
  ['pair', (head, line) => isShort(line, MAX_PAIR) && PAIR.test(head)],
];

const isShort = ({ start, end }: TextLine, length: number): boolean => end - start <= length;

/** A heading, linked to the heading above it. */
export type BlockHeading = { text: string; level: number; parent: BlockHeading | undefined };

/** The marks of Markdown before the text of a heading, with the spaces behind them; an empty text for any other heading. */
export const headingMarks = (text: string, start: number): string =>
  /#+ *$/.exec(text.slice(Math.max(0, start - 8), start))?.[0] ?? '';

type BlockKind = 'heading' | 'prose' | 'item' | 'row' | 'pair' | 'code';

/** `lead` is what the block needs to be understood: a table's header, or the line that introduces a list. */
export type TextBlock = {
  kind: BlockKind;
  start: number;
  end: number;
  heading: BlockHeading | undefined;
  lead: { start: number; end: number } | undefined;
  /** The position where the block's list or table begins. */
  group: number;
};

/** A longer block is closed; a block more than twice as long is cut. */
const MAX_BLOCK = 2_000;

type BlockWalk = {
  text: string;
  code: boolean;
  heading: BlockHeading | undefined;
  open: TextBlock | undefined;
  openLines: number;
  /** The block that was closed last. It may introduce a list. */
  last: TextBlock | undefined;
  /** The header of the current table. */
  header: { start: number; end: number } | undefined;
  inFence: boolean;
  group: number;
  count: number;
  seen: (block: TextBlock) => void;
};

const startWalk = (start: Pick<BlockWalk, 'text' | 'code' | 'heading' | 'seen'>): BlockWalk => ({
  ...start,
  open: undefined,
  openLines: 0,
  last: undefined,
  header: undefined,
  inFence: false,
  group: -1,
  count: 0,
});

function closeBlock(walk: BlockWalk): void {
  const { open, text } = walk;
  if (!open) return;
  walk.open = undefined;
  walk.last = open;
  for (let { start } = open; start < open.end || start === open.start; ) {
    const end = open.end - start > 2 * MAX_BLOCK ? cutBefore(text, start + MAX_BLOCK) : open.end;
    walk.count++;
    walk.seen(start === open.start && end === open.end ? open : { ...open, start, end });
    start = Math.max(end, start + 1);
  }
}

const MAX_WORD = 200;
/** Cuts a long line between two words, if there is a space nearby. */
function cutBefore(text: string, at: number): number {
  const from = Math.max(0, at - MAX_WORD + 1);
  const space = text.slice(from, at + 1).lastIndexOf(' ');
  return space < 0 ? at : from + space;
}

function beginBlock(walk: BlockWalk, kind: BlockKind, { start, end }: TextLine, lead?: TextBlock['lead']): void {
  closeBlock(walk);
  walk.open = { kind, start, end, heading: walk.heading, lead, group: kind === 'prose' ? start : walk.group };
  walk.openLines = 1;
}

function extendBlock(walk: BlockWalk, open: TextBlock, { end }: TextLine): void {
  open.end = end;
  walk.openLines++;
}

function setHeading(walk: BlockWalk, { start, end }: { start: number; end: number }, level: number): void {
  let parent = walk.heading;
  while (parent && parent.level >= level) parent = parent.parent;
  const above = parent;
  walk.heading = { text: walk.text.slice(start, Math.min(end, start + 200)), level, parent };
  walk.last = { kind: 'heading', start, end, heading: above, lead: undefined, group: start };
  walk.count++;
  walk.seen(walk.last);
}

const MAX_HEADING = 100;
/** The title of a clause stands below headings in capitals. */
const CLAUSE = 7;

type LineHandler = (walk: BlockWalk, line: TextLine, next: TextLine | undefined) => void;

const LINE_HANDLERS: Record<TextLine['kind'], LineHandler> = {
  blank: closeBlock,
  rule: takeRule,
  row: takeRow,
  heading: (walk, line) => takeHeading(walk, line, line.level),
  item: (walk, line, next) =>
    standsAlone(walk, line, next)
      ? takeHeading(walk, line, isNumberedTitle(walk.text, line) ? CLAUSE : 6)
      : takeItem(walk, line),
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

function takeLine(walk: BlockWalk, line: TextLine, next: TextLine | undefined): void {
  if (line.kind !== 'row') walk.header = undefined;
  LINE_HANDLERS[line.kind](walk, line, next);
}

function takePlain(walk: BlockWalk, line: TextLine): void {
  const { open } = walk;
  // A value such as `30 % in advance, the rest on delivery.` ends with its sentence.
  const isEnded = open?.kind === 'pair' && /[.!?]/.test(walk.text.charAt(open.end - 1));
  const goesOn =
    open && open.kind !== 'row' && open.kind !== 'heading' && !isEnded && line.end - open.start <= MAX_BLOCK;
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

/** Returns the line before a list, if it ends with a colon. */
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

/** A line of `=` or `-` turns the single line above it into a heading. */
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

/** Ends a sentence, or a condition that another one follows. */
const GOES_ON = /[.,;:]$|[;,] (?:and|or|und|oder|et|ou)$/;

/** Reads a short line between blank lines or right above a long one, without punctuation at its end, as a heading. */
function standsAlone(walk: BlockWalk, line: TextLine, next: TextLine | undefined): boolean {
  if (
    !line.afterBlank ||
    walk.open ||
    line.end - line.start > 70 ||
    (next?.kind === 'plain' && line.end - line.start > 50) ||
    (GOES_ON.test(walk.text.slice(Math.max(line.start, line.end - 6), line.end)) && !isNumberedTitle(walk.text, line))
  ) {
    return false;
  }
  if (next?.kind !== 'plain') return next?.kind === 'blank';
  return line.kind === 'item' || isAboveParagraph(walk.text, line, next);
}

const TITLE = /^\p{Lu}[^.:;!?,|]+$/u;
const LONG_LINE = /^\p{Lu}[^|\n]{58}/u;
/** Lines of one paragraph are about as long as each other. */
const isAboveParagraph = (text: string, line: TextLine, next: TextLine): boolean =>
  TITLE.test(text.slice(line.start, line.end)) && LONG_LINE.test(text.slice(next.start, next.start + HEAD));

/** The title of a clause, as in "11. Patents.": a few words behind a number. */
const isNumberedTitle = (text: string, { start, end, kind }: TextLine): boolean =>
  kind === 'item' && /^\d{1,3}\.? +\p{Lu}\p{L}{2,}(?: \p{L}{2,}){0,4}\.$/u.test(text.slice(start, end));

/** A few lines of code say little, so blank lines end a block only after this many lines. */
const MIN_CODE_LINES = 4;
const MAX_CODE_LINES = 20;
/**
 * Up to this many blocks may be of any size. After that, a text whose blocks are shorter than the average below is read
 * in larger pieces.
 */
const FINE = 5_000;
const MIN_AVERAGE = 16;

/**
 * `code`: the text is source code or data rather than prose. `heading` is the heading above the beginning of the text.
 */
type WalkInput = { text: string; code: boolean; heading?: BlockHeading | undefined };

/**
 * Walks through Markdown or plain text and calls `onBlock` with each block. Returns the heading in force at the end.
 */
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

/** Reads larger pieces, so that a text of very many tiny blocks costs no more than others. */
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
