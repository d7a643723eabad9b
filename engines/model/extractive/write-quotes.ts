/** Writes the chosen units as cited quotes: rows of one table together, prose with what it needs to be understood. */
import type { Citations } from './citations.ts';
import { quoteCode, quoteProse, quoteRows } from './quote.ts';
import type { Unit } from './units.ts';

/** A sentence that begins like this leans on the one before it. */
const LEANS =
  /^["'(]*(?:it|its|they|their|them|he|she|his|her|this|these|those|that|such|both|neither|either way|however|therefore|otherwise|instead|in that case|in this case|in addition|then|also|but|and|so|er|sie|es|diese[rsnm]?|dies|il|elle|ils|elles|cela|ce|esto|este|esta)\b/iu;

export function writeQuotes(units: Unit[], citations: Citations): string {
  const quotes: string[] = [];
  const written = new Set<Unit>();
  for (const unit of units) {
    if (written.has(unit)) continue;
    const together = unit.block.kind === 'row' ? units.filter((other) => sameTable(unit, other)) : [unit];
    for (const one of together) written.add(one);
    quotes.push(quoted(together, citations));
  }
  return quotes.join('\n\n');
}

const sameTable = (one: Unit, other: Unit): boolean =>
  other.block.kind === 'row' && one.passage === other.passage && one.block.group === other.block.group;

function quoted(units: Unit[], citations: Citations): string {
  const marks = [...new Set(units.map(citations.cite))].join(' ');
  const [unit] = units;
  if (!unit) return '';
  if (unit.block.kind === 'row')
    return quoteRows(
      unit.lead,
      units.map(({ text }) => text),
      marks,
    );
  if (unit.block.kind === 'code') return quoteCode(unit.text, marks);
  return quoteProse(inContext(unit), marks);
}

function inContext({ text, before, lead, block }: Unit): string {
  if (block.kind === 'item' && lead !== '') return `${lead} … ${text}`;
  return before !== '' && LEANS.test(text) ? `${before} ${text}` : text;
}
