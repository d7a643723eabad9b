/** The whole sentences that a quote stands in; of a table row, the row with its column heads. */
import { plainText, splitSentences } from '../../../engines/models/extractive/passages.ts';
import { fold } from '../../../engines/models/extractive/words.ts';

const HEADING = /^\s{0,3}#{1,6}\s/;
const ROW = /^\s*\|/;

/** Letters, digits and signs of a text, for comparing texts that differ in marks and white space alone. */
export const bareText = (text: string): string => (fold(text).match(/[\p{L}\p{N}\p{Sc}%]+/gu) ?? []).join(' ');

/** A heading names a subject and says nothing of it: it can be no quote. */
export const withoutHeadings = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !HEADING.test(line))
    .join('\n');

/** Statements are compared with all of it, so a document must not make a sentence of its whole text. */
const MAX_CONTEXT = 4_000;

export type QuoteContext = (quote: string) => string;

type Unit = { text: string; head: string | undefined };

/** Made once for all quotes of a document. */
export function quoteContext(text: string): QuoteContext {
  const units = unitsOf(text);
  const starts: number[] = [];
  let joined = ' ';
  for (const unit of units) {
    starts.push(joined.length);
    joined += `${bareText(unit.text)} `.trimStart();
  }
  return (quote) => {
    const wanted = bareText(quote);
    const at = joined.indexOf(` ${wanted} `) + 1;
    if (at === 0 || wanted === '') return quote;
    const from = starts.findLastIndex((start) => start <= at);
    const to = starts.findLastIndex((start) => start < at + wanted.length);
    const own = units.slice(from, to + 1).flatMap(({ head, text }) => (head === undefined ? [text] : [head, text]));
    const context = [...new Set(own)].join('\n');
    return context.length <= MAX_CONTEXT ? context : quote;
  };
}

function unitsOf(text: string): Unit[] {
  const lines = text.split('\n');
  let head = '';
  return lines.flatMap((line, at): Unit[] => {
    if (HEADING.test(line)) return [];
    if (!ROW.test(line)) return splitSentences(plainText(line), 'en').map((one) => ({ text: one, head: undefined }));
    if (!ROW.test(lines[at - 1] ?? '')) head = line;
    return [{ text: line, head }];
  });
}
