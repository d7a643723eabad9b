/** What stands around a quote and belongs to what it says: its whole lines, headings, the head of its table, neighbours. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import { tablesIn } from '../../values/tables.ts';
import type { Place, Stretch, Surroundings } from '../located-quote.ts';
import { headingsIn, plainLine } from './headings.ts';

const LONGEST_LINES = 600;
const LONGEST_TITLE = 120;
const LONGEST_NEIGHBOUR = 200;
const NEIGHBOURS = 2;
const MOST_HEADINGS = 6;
const LONGEST_HEAD = 600;
const MOST_SECTION_ROWS = 4;
const MOST_LINES_ABOVE = 3;

/** Lines end where a text says so; a text without line ends is cut at sentences. */
export function surroundingsOf(parts: readonly DocumentPart[], located: Place): Surroundings {
  const part = parts[located.part];
  if (!part) return { lines: '', headings: [] };
  const { text } = part;
  const lines = linesAround(text, located);
  const title = titleOf(parts);
  const head = headOf(parts, located);
  const before = neighbours(text, lines.from, -1);
  const after = neighbours(text, lines.to, 1);
  return {
    lines: text.slice(lines.from, lines.to).trim(),
    headings: headingsAbove(parts, located),
    ...(title === undefined ? {} : { title }),
    ...(head === '' ? {} : { head }),
    ...(before === '' ? {} : { before }),
    ...(after === '' ? {} : { after }),
  };
}

/** All of it in one text, in the order of the document, for searching figures and names. */
export const surroundingText = ({ title, headings, head, before, lines, after }: Surroundings): string =>
  [title, ...headings, head, before, lines, after].filter((text) => text !== undefined && text !== '').join('\n');

function linesAround(text: string, { from, to }: Stretch): Stretch {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const stop = text.indexOf('\n', to);
  const end = stop < 0 ? text.length : stop;
  const room = LONGEST_LINES - (to - from);
  if (end - start <= LONGEST_LINES) return { from: from === 0 ? 0 : start, to: end };
  if (room <= 0) return wholeWords(text, { from, to });
  const around = {
    from: Math.max(start, from - Math.ceil(room / 2)),
    to: Math.min(end, to + Math.ceil(room / 2)),
  };
  return sentences(text, { from, to }, around);
}

/** A word is no longer than this. */
const LONGEST_WORD = 60;

function wholeWords(text: string, { from, to }: Stretch): Stretch {
  const before = /\S*$/.exec(text.slice(Math.max(0, from - LONGEST_WORD), from))?.[0] ?? '';
  const behind = /^\S*/.exec(text.slice(to, to + LONGEST_WORD))?.[0] ?? '';
  return { from: from - before.length, to: to + behind.length };
}

const SENTENCE_END = /[.!?。！？|](?=\s|\p{Lo})/gu;

/** As many whole sentences around the quote as fit, or else words. */
function sentences(text: string, quote: Stretch, room: Stretch): Stretch {
  const before = text.slice(room.from, quote.from);
  const behind = text.slice(quote.to, room.to);
  const isLineStart = room.from === 0 || text[room.from - 1] === '\n';
  const isLineEnd = room.to === text.length || text[room.to] === '\n';
  const starts = Array.from(before.matchAll(SENTENCE_END), ({ index }) => index + 1);
  const ends = Array.from(behind.matchAll(SENTENCE_END), ({ index }) => index + 1);
  return {
    from: isLineStart ? room.from : room.from + (starts[0] ?? orElse(before.search(/\s/), before.length)),
    to: isLineEnd ? room.to : quote.to + (ends.at(-1) ?? orElse(behind.search(/\s\S*$/), 0)),
  };
}

const orElse = (index: number, fallback: number): number => (index < 0 ? fallback : index);

const MOST_LINES = 20;

/** The nearest lines that say something, each cut to what is nearer. */
function neighbours(text: string, at: number, step: 1 | -1): string {
  const lines: string[] = [];
  let line: Stretch | undefined = { from: at, to: at };
  for (let nth = 0; nth < MOST_LINES && lines.length < NEIGHBOURS; nth++) {
    line = step < 0 ? lineBefore(text, line) : lineBehind(text, line);
    if (!line) break;
    const { from, to }: Stretch = line;
    const short =
      step < 0
        ? text.slice(Math.max(from, to - LONGEST_NEIGHBOUR), to)
        : text.slice(from, Math.min(to, from + LONGEST_NEIGHBOUR));
    if (/[\p{L}\p{N}]/u.test(short)) lines.push(short.trim());
  }
  return (step < 0 ? lines.reverse() : lines).join('\n');
}

function lineBefore(text: string, { from }: Stretch): Stretch | undefined {
  const to = from - 1;
  return to < 0 ? undefined : { from: to === 0 ? 0 : text.lastIndexOf('\n', to - 1) + 1, to };
}

function lineBehind(text: string, { to }: Stretch): Stretch | undefined {
  const from = to + 1;
  const stop = text.indexOf('\n', from);
  return from > text.length ? undefined : { from, to: stop < 0 ? text.length : stop };
}

function titleOf(parts: readonly DocumentPart[]): string | undefined {
  const firstPart = parts.find(({ hidden, text }) => !hidden && text.trim() !== '');
  if (!firstPart) return undefined;
  const heading = headingsIn(firstPart)[0]?.text;
  const title =
    heading ?? plainLine(/\S.*/.exec(firstPart.text.slice(0, firstPart.text.search(/\S/) + 500))?.[0] ?? '');
  return title === '' ? undefined : title.slice(0, LONGEST_TITLE);
}

/** The headings above in this part, the outermost first, or else the last one of an earlier part. */
function headingsAbove(parts: readonly DocumentPart[], { part, from }: Place): string[] {
  const open: { level: number; text: string }[] = [];
  const here = parts[part];
  for (const heading of here ? headingsIn(here) : []) {
    if (heading.start >= from) break;
    while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop();
    open.push(heading);
  }
  if (open.length > 0) return open.slice(-MOST_HEADINGS).map(({ text }) => text);
  const earlier = parts.slice(0, part).findLast((candidate) => !candidate.hidden && headingsIn(candidate).length > 0);
  const last = earlier && headingsIn(earlier).at(-1);
  return last ? [last.text] : [];
}

type Table = ReturnType<typeof tablesIn>[number];
const tablesCache = new WeakMap<DocumentPart, Table[]>();

/** Many quotes stand in the tables of one part. */
function cachedTables(part: DocumentPart): Table[] {
  const cached = tablesCache.get(part);
  if (cached) return cached;
  const tables = part.text.includes('|') ? tablesIn(part.text) : [];
  tablesCache.set(part, tables);
  return tables;
}

const sectionRowsCache = new WeakMap<Table, Table['rows']>();

/** Rows with one filled cell, which head the rows below them. */
function sectionRowsOf(table: Table): Table['rows'] {
  const cached = sectionRowsCache.get(table);
  if (cached) return cached;
  const rows = table.rows.filter(({ cells }) => cells.filter(({ text }) => text !== '').length === 1);
  sectionRowsCache.set(table, rows);
  return rows;
}

/** The last section that begins above, with the ones that stand right above it: those before have rows of their own. */
function ownSections(sections: Table['rows'], from: number): Table['rows'] {
  const last = sections.findLastIndex((row) => row.end <= from);
  let first = last;
  const isAdjacent = () => (sections[first - 1]?.end ?? 0) + 1 >= (sections[first]?.start ?? 0);
  while (first > 0 && last - first + 1 < MOST_SECTION_ROWS && isAdjacent()) first--;
  return last < 0 ? [] : sections.slice(first, last + 1);
}

function headOf(parts: readonly DocumentPart[], { part: nth, from, to }: Place): string {
  const part = parts[nth];
  const tables = part ? cachedTables(part) : [];
  const table = tables.find(({ start, end }) => from < end && start < to);
  if (!part || !table) return '';
  const lineOf = ({ start, end }: { start: number; end: number }): string => part.text.slice(start, end);
  const sections = ownSections(sectionRowsOf(table), from);
  return [
    headOfContinued(parts, nth, table),
    ...linesAbove(part.text, firstOfBlock(part.text, tables, table).start),
    ...(from < table.head.end ? [] : [lineOf(table.head), ...sections.map(lineOf)]),
  ]
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, LONGEST_HEAD);
}

/** The head of a table that the page before ends with, if this page begins with as many columns. */
function headOfContinued(parts: readonly DocumentPart[], nth: number, table: Table): string {
  const isFirst = parts[nth]?.text.slice(0, table.start).trim() === '';
  const before = isFirst
    ? parts.slice(0, nth).findLast(({ hidden, text }) => !hidden && text.trim() !== '')
    : undefined;
  const last = before && cachedTables(before).at(-1);
  const isContinued =
    last && before.text.slice(last.end).trim() === '' && last.head.cells.length === table.head.cells.length;
  return isContinued ? before.text.slice(last.head.start, last.head.end) : '';
}

/** A table whose head is repeated in its middle is several tables in one block of lines. */
function firstOfBlock(text: string, tables: readonly Table[], table: Table): Table {
  let nth = tables.indexOf(table);
  while (nth > 0 && text[(tables[nth]?.start ?? 0) - 2] === '|') nth--;
  return tables[nth] ?? table;
}

/** The titles of a table stand in several lines above it, often with its unit; a heading is among the headings already. */
function linesAbove(text: string, at: number): string[] {
  const lines = text
    .slice(Math.max(0, at - MOST_LINES_ABOVE * 2 * LONGEST_NEIGHBOUR), at)
    .trimEnd()
    .split('\n');
  const titles: string[] = [];
  for (const line of lines.toReversed().map((above) => above.trim())) {
    if (/^(?:#|\|)/.test(line) || titles.length === MOST_LINES_ABOVE) break;
    // A paragraph above may end with the sentence that introduces the table; one further away is about something else.
    if (titles.length > 0 && line.length > LONGEST_TITLE) break;
    if (line !== '') titles.unshift(line.slice(-LONGEST_NEIGHBOUR));
  }
  return titles;
}
