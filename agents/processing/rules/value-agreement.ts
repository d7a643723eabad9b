/** Whether a value agrees with the excerpt that is cited for it, as far as code can tell. */

import { amounts, SCALE } from '../../values/amounts.ts';
import { dayFirstIn } from '../../values/dates.ts';
import { percentages } from '../../values/percentages.ts';
import type { DocumentLocale, Rule } from '../../values/rule.ts';

/**
 * The value stands there; the only figure of its kind there is another one; or neither, as for paraphrases, conversions and
 * sums, of which only a reader can tell.
 */
export type ValueAgreement = 'stands' | 'contradicts' | 'doubt';

type CitedPair = { value: string; excerpt: string };

export function valueAgreement(pair: CitedPair): ValueAgreement {
  if (stands(pair)) return 'stands';
  return contradicts(pair) ? 'contradicts' : 'doubt';
}

/** White space, capitals, quotation marks and dashes may differ. */
const comparableText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’‚´`]/g, "'")
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[‐‑–—−]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** A scale behind the value makes it another one: `1.2` of `1.2 million`. */
const SCALE_BEHIND = new RegExp(`^ ?(?:${SCALE})(?!\\p{L})`, 'iu');
/** Scripts with capitals put spaces between words; in others, a letter beside the value may begin a new word. */
const CASED_LETTER = /[\p{Lu}\p{Ll}\p{Lt}]/u;

function stands({ value, excerpt }: CitedPair): boolean {
  const [needle, text] = [comparableText(value), comparableText(excerpt)];
  if (needle === '') return false;
  for (let from = text.indexOf(needle); from >= 0; from = text.indexOf(needle, from + 1))
    if (isWhole(text.slice(0, from), needle, text.slice(from + needle.length))) return true;
  return false;
}

/** Neither part of a longer word or number, nor one with a sign or a scale that the value lacks. */
function isWhole(before: string, value: string, behind: string): boolean {
  const isInWord = (beside: string, edge: string) =>
    CASED_LETTER.test(beside) && (CASED_LETTER.test(edge) || /\d/.test(edge));
  if (isInWord(before.at(-1) ?? '', value[0] ?? '') || isInWord(behind[0] ?? '', value.at(-1) ?? '')) return false;
  if (/^\d/.test(value) && /(?:\d|\d[.,']|-)$/.test(before)) return false;
  return !/\d$/.test(value) || !(/^(?:\d|[.,']\d|-\d| ?%)/.test(behind) || SCALE_BEHIND.test(behind));
}

/** The readers of figures that can be compared without knowing what they mean. */
const READERS: readonly Rule[] = [amounts, percentages];

/** With several figures of its kind in the excerpt, the value may be their sum or difference. */
function contradicts({ value, excerpt }: CitedPair): boolean {
  const locale = { dayFirst: dayFirstIn(excerpt), assumesDayFirst: true, crowns: undefined };
  return READERS.some((read) => {
    const figuresByUnit = Map.groupBy(figuresIn(read, excerpt, locale), ({ unit }) => unit);
    return figuresIn(read, value, locale).some(({ unit, figure }) => {
      const [other, ...more] = new Set(figuresByUnit.get(unit)?.map((entry) => entry.figure));
      return other !== undefined && more.length === 0 && !mayEqual(figure, other);
    });
  });
}

type Figure = { unit: string; figure: number };

/** `EUR 1234.50` and `7.9%` as the rules write them. */
const figuresIn = (read: Rule, text: string, locale: DocumentLocale): Figure[] =>
  read(text, locale).flatMap(({ value }) => {
    const figure = Number(/-?[\d.]+/.exec(value)?.[0]);
    return Number.isFinite(figure) ? [{ unit: value.replace(/-?[\d.]+/, '').trim(), figure }] : [];
  });

/** How far a rounded figure may be from the exact one. */
const ROUNDED = 0.05;

/** Whether one figure may be the other one rounded, or in thousands or millions, as the head of a table may say. */
function mayEqual(figure: number, other: number): boolean {
  if (figure === other) return true;
  const ratio = Math.abs(figure / other);
  if (!Number.isFinite(ratio) || ratio === 0 || figure < 0 !== other < 0) return false;
  const scale = 1_000 ** Math.round(Math.log(ratio) / Math.log(1_000));
  return Math.abs(ratio / scale - 1) <= ROUNDED;
}
