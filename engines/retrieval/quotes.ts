/** Writes cited quotes and the numbered list of their sources. */
import {
  cellsOf,
  type Passage,
  plainText,
  type QuoteCitation,
  type QuoteUnit,
  rangeText,
  withNeighbours,
  withoutUnseen,
  withReferring,
} from './passages.ts';

const MAX_TITLE = 100;

/**
 * Escapes what Markdown or HTML would interpret, so that foreign text stays text. Square brackets are escaped, too, so
 * that only this code writes citations.
 */
const escapeMarkdown = (text: string): string =>
  plainText(text)
    .replace(/[\\[\]`|~]/g, '\\$&')
    .replace(/\*(?=\S)|(?<=\S)\*|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/<(?=[a-z/!?])/gi, '&lt;')
    .replace(/&(?=#?\w{1,8};)(?!lt;)/gi, '&amp;')
    .replace(/^[#>]/, '\\$&');

/** Shortens and escapes a name or a question for use as a title. */
export const titleOf = (text: string): string => escapeMarkdown(text.slice(0, MAX_TITLE));

const quoteProse = (text: string, mark: string): string => `> ${escapeMarkdown(text)} ${mark}`;

/** Quotes items of one list under the line that introduces them. */
function quoteList(lead: string, items: string[], mark: string): string {
  if (items.length === 1) return quoteProse(lead === '' ? (items[0] ?? '') : `${lead} … ${items[0]}`, mark);
  const introduced = lead === '' ? [] : [`> ${escapeMarkdown(lead)}`, '>'];
  const listed = items.map((item) => `> - ${escapeMarkdown(item)}`);
  return [...introduced, ...listed].join('\n').concat(` ${mark}`);
}

const MAX_CELLS = 24;

/** Names of columns do not stand below themselves: a first row with a cell that a row repeats is a row like the others. */
const isHeader = (header: string[], rows: string[][]): boolean =>
  !rows.some((row) => row.some((cell, at) => cell !== '' && cell === header[at]));

/** Quotes rows of one table under its header. */
function quoteRows(header: string, rows: string[], mark: string): string {
  const cells = rows.map(cellsOf);
  const first = cellsOf(header);
  const head = header !== '' && isHeader(first, cells) ? first : (cells[0] ?? []).map(() => '');
  const line = (row: string[]) => `> | ${row.slice(0, MAX_CELLS).map(escapeMarkdown).join(' | ')} |`;
  const rule = `> |${' --- |'.repeat(Math.min(head.length, MAX_CELLS))}`;
  return [line(head), rule, ...cells.map(line), '>', `> ${mark}`].join('\n');
}

function quoteCode(code: string, mark: string): string {
  const lines = withoutUnseen(code).replace(/\r/g, '').trimEnd().split('\n');
  const longest = Math.max(0, ...[...code.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return [fence, ...lines, fence, mark].join('\n');
}

const MAX_EXCERPT = 2_000;

export type Citations = {
  cited: QuoteCitation[];
  /** Records that `quoted` was taken from the unit, and returns the citation mark of its position. */
  cite(unit: QuoteUnit, quoted: string): string;
  list(): string;
};

/** Numbers the quoted positions in the order of their first quote, and writes the list of sources. */
export function citations(passages: Passage[]): Citations {
  const numbers = new Map<string, number>();
  const cited: QuoteCitation[] = [];
  return {
    cited,
    cite(unit, quoted) {
      const { source = '', place = '' } = passages[unit.passage] ?? {};
      const key = JSON.stringify([source, place]);
      const number = numbers.get(key) ?? numbers.size + 1;
      numbers.set(key, number);
      const excerpt = excerptOf(unit, quoted);
      const citation = cited[number - 1];
      if (!citation) cited.push({ source, place, excerpt: excerpt.slice(0, MAX_EXCERPT) });
      else if (!citation.excerpt.includes(excerpt))
        citation.excerpt = `${citation.excerpt}\n${excerpt}`.slice(0, MAX_EXCERPT);
      return `[${number}]`;
    },
    list: () => cited.map(({ source, place }, at) => `- [${at + 1}] ${sourceName(source, place)}`).join('\n'),
  };
}

const sourceName = (source: string, place: string): string =>
  [source || 'unnamed document', place]
    .filter((part) => part !== '')
    .map(titleOf)
    .join(', ');

function excerptOf({ block }: QuoteUnit, quoted: string): string {
  return block.kind === 'row' ? cellsOf(quoted).join(' | ') : quoted;
}

/**
 * Writes units as cited quotes. Rows of one table and items of one list are grouped; prose is quoted with its
 * neighbours, unless each sentence is to stand alone.
 */
export function writeQuotes(units: QuoteUnit[], citations: Citations, isAlone = false): string {
  const quotes: string[] = [];
  const done = new Set<QuoteUnit>();
  for (const unit of units) {
    if (done.has(unit)) continue;
    const together = units.filter((other) => other === unit || isTogether(unit, other));
    for (const one of together) done.add(one);
    quotes.push(
      isGrouped(unit)
        ? quoteGroup(together, citations)
        : quoteSentences(
            isAlone ? { unit, from: unit.nth, to: unit.nth } : withNeighbours(unit),
            units,
            done,
            citations,
          ),
    );
  }
  return quotes.join('\n\n');
}

const isGrouped = ({ block }: QuoteUnit): boolean => block.kind !== 'prose' && block.kind !== 'heading';

const isTogether = (one: QuoteUnit, other: QuoteUnit): boolean =>
  isGrouped(one) &&
  one.block.kind !== 'code' &&
  other.block.kind === one.block.kind &&
  one.passage === other.passage &&
  one.block.group === other.block.group;

function quoteGroup(units: QuoteUnit[], citations: Citations): string {
  const mark = units.map((unit) => citations.cite(unit, unit.text)).at(-1) ?? '';
  const [unit] = units;
  const texts = unit?.block.kind === 'item' ? itemTexts(units) : units.map(({ text }) => text);
  if (unit?.block.kind === 'row') return quoteRows(unit.lead, texts, mark);
  if (unit?.block.kind === 'code') return quoteCode(unit.text, mark);
  if (unit?.under !== undefined && units.length === 1) return quoteList(unit.under, texts, mark);
  return unit?.block.kind === 'item' ? quoteList(unit.lead, texts, mark) : quoteList('', texts, mark);
}

/** Of a long item, the picked sentences with those that refer to them, each item once. */
function itemTexts(units: QuoteUnit[]): string[] {
  const items = new Map<number, { sentences: string[]; picked: Set<number> }>();
  for (const unit of units) {
    const { from, to } = withReferring(unit);
    const item = items.get(unit.block.start) ?? { sentences: unit.sentences, picked: new Set() };
    for (let at = from; at <= to; at++) item.picked.add(at);
    items.set(unit.block.start, item);
  }
  return [...items.values()].map(({ sentences, picked }) => sentences.filter((_, at) => picked.has(at)).join(' '));
}

/** Units that are part of this quote are not quoted again. */
function quoteSentences(
  stretch: ReturnType<typeof withNeighbours>,
  units: QuoteUnit[],
  done: Set<QuoteUnit>,
  citations: Citations,
): string {
  const { unit } = stretch;
  for (const other of units) {
    const within = other.nth >= stretch.from && other.nth <= stretch.to;
    if (within && other.passage === unit.passage && other.block.start === unit.block.start) done.add(other);
  }
  const text = rangeText(stretch);
  const mark = citations.cite(unit, text);
  return unit.under === undefined ? quoteProse(text, mark) : quoteList(unit.under, [text], mark);
}
