/** Writes the chosen units as cited quotes: rows of one table and items of one list together, prose with its neighbours. */
import type { Citations } from './citations.ts';
import { quoteCode, quoteList, quoteProse, quoteRows } from './quote.ts';
import type { Unit } from './units.ts';
import { textOf, widen } from './widen.ts';

export function writeQuotes(units: Unit[], citations: Citations): string {
  const quotes: string[] = [];
  const written = new Set<Unit>();
  for (const unit of units) {
    if (written.has(unit)) continue;
    const together = units.filter((other) => other === unit || isTogether(unit, other));
    for (const one of together) written.add(one);
    quotes.push(isGrouped(unit) ? quoted(together, citations) : quotedProse(unit, units, written, citations));
  }
  return quotes.join('\n\n');
}

const isGrouped = ({ block }: Unit): boolean => block.kind !== 'prose' && block.kind !== 'heading';

const isTogether = (one: Unit, other: Unit): boolean =>
  isGrouped(one) &&
  one.block.kind !== 'code' &&
  other.block.kind === one.block.kind &&
  one.passage === other.passage &&
  one.block.group === other.block.group;

function quoted(units: Unit[], citations: Citations): string {
  const mark = units.map((unit) => citations.cite(unit, unit.text)).at(-1) ?? '';
  const texts = units.map(({ text }) => text);
  const [unit] = units;
  if (unit?.block.kind === 'row') return quoteRows(unit.lead, texts, mark);
  if (unit?.block.kind === 'code') return quoteCode(unit.text, mark);
  return unit?.block.kind === 'item' ? quoteList(unit.lead, texts, mark) : quoteList('', texts, mark);
}

/** What a quote has taken along is not quoted again. */
function quotedProse(unit: Unit, units: Unit[], written: Set<Unit>, citations: Citations): string {
  const stretch = widen(unit);
  for (const other of units) {
    const within = other.nth >= stretch.from && other.nth <= stretch.to;
    if (within && other.passage === unit.passage && other.block.start === unit.block.start) written.add(other);
  }
  const text = textOf(stretch);
  return quoteProse(text, citations.cite(unit, text));
}
