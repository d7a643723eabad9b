/** Numbers the places that are quoted, in the order of their first quote, and writes the list of them. */
import type { Passage, QuoteCitation } from './passage.ts';
import { cellsOf } from './plain-text.ts';
import { titleOf } from './quote.ts';
import type { QuoteUnit } from './units.ts';

const MAX_EXCERPT = 2_000;

export type Citations = {
  cited: QuoteCitation[];
  /** The mark of the place where the unit stands, of which `quoted` was taken. */
  cite(unit: QuoteUnit, quoted: string): string;
  list(): string;
};

export function citations(passages: Passage[]): Citations {
  const numbers = new Map<string, number>();
  const cited: QuoteCitation[] = [];
  return {
    cited: cited,
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
