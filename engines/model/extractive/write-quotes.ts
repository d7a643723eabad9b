/** Writes the chosen units as cited quotes: rows of one table and items of one list together, prose with its neighbours. */
import type { Citations } from './citations.ts';
import { quoteCode, quoteList, quoteProse, quoteRows } from './quote.ts';
import type { QuoteUnit } from './units.ts';
import { rangeText, withNeighbours } from './widen.ts';

export function writeQuotes(units: QuoteUnit[], citations: Citations): string {
  const quotes: string[] = [];
  const done = new Set<QuoteUnit>();
  for (const unit of units) {
    if (done.has(unit)) continue;
    const together = units.filter((other) => other === unit || isTogether(unit, other));
    for (const one of together) done.add(one);
    quotes.push(isGrouped(unit) ? quoteGroup(together, citations) : quoteSentences(unit, units, done, citations));
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
  const texts = units.map(({ text }) => text);
  const [unit] = units;
  if (unit?.block.kind === 'row') return quoteRows(unit.lead, texts, mark);
  if (unit?.block.kind === 'code') return quoteCode(unit.text, mark);
  return unit?.block.kind === 'item' ? quoteList(unit.lead, texts, mark) : quoteList('', texts, mark);
}

/** What a quote has taken along is not quoted again. */
function quoteSentences(unit: QuoteUnit, units: QuoteUnit[], done: Set<QuoteUnit>, citations: Citations): string {
  const stretch = withNeighbours(unit);
  for (const other of units) {
    const within = other.nth >= stretch.from && other.nth <= stretch.to;
    if (within && other.passage === unit.passage && other.block.start === unit.block.start) done.add(other);
  }
  const text = rangeText(stretch);
  return quoteProse(text, citations.cite(unit, text));
}
