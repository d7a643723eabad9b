/** What code can tell of sentences about items: which of their figures and dates stand in none of these items. */

import { dates } from '../../values/dates.ts';
import { localeIn } from '../../values/locale.ts';
import { monthNamed } from '../../values/months.ts';
import { type QuoteEvidence, UNKNOWN_LOCALE, unfoundedFigures } from '../../verification/evidence/sentence-figures.ts';

/** `date`: the day of the item, as the e-mail shows it. */
type EvidenceText = { date?: string; text: string };

/** `evidence`: the indexes of the texts that the sentence rests on. */
type ItemSentence = { text: string; evidence: readonly number[] };

type ItemSentences = { texts: readonly EvidenceText[]; sentences: readonly ItemSentence[] };

/**
 * The unfounded figures of each sentence. A figure must stand in one item as a whole: a date is never put together of two
 * items that date an event differently.
 */
export function unfoundedInItems({ texts, sentences }: ItemSentences): string[][] {
  const evidence = texts.map(({ text }) => evidenceOf(text));
  return sentences.map(({ text, evidence: indexes }) => {
    const [firstUnfounded, ...otherUnfounded] = indexes.flatMap((at) => {
      const item = evidence[at];
      return item ? [unfoundedIn(withoutDate(text, texts[at]?.date), [item])] : [];
    });
    return (firstUnfounded ?? unfoundedIn(text, [])).filter((figure) =>
      otherUnfounded.every((unfounded) => unfounded.includes(figure)),
    );
  });
}

const unfoundedIn = (text: string, evidence: readonly QuoteEvidence[]): string[] => [
  ...new Set(unfoundedFigures(text, { evidence, computed: [] })),
];

const evidenceOf = (text: string): QuoteEvidence => ({
  quote: text,
  around: { lines: text, headings: [] },
  locale: localeIn(text),
});

type Span = { start: number; end: number };

/** The sentence without the day of the item: as evidence, the numbers of a day would stand for any other number. */
function withoutDate(sentence: string, date: string | undefined): string {
  if (date === undefined) return sentence;
  const whole = dates(sentence, UNKNOWN_LOCALE);
  const isInWhole = (span: Span) => whole.some(({ start, end }) => span.start < end && start < span.end);
  const spans = [
    ...whole.filter(({ value }) => date.startsWith(value)),
    ...partialDates(sentence, date).filter((span) => !isInWhole(span)),
  ];
  return spans.reduce(
    (text, { start, end }) => text.slice(0, start) + ' '.repeat(end - start) + text.slice(end),
    sentence,
  );
}

/** Day and month without a year, and the year alone. */
function partialDates(sentence: string, date: string): Span[] {
  const [year, month, day] = date.split('-').map(Number);
  return PARTS.flatMap((pattern) =>
    Array.from(sentence.matchAll(pattern)).flatMap(({ 0: text, index, groups = {} }) => {
      const { year: ofYear, day: ofDay, month: ofMonth, word = '' } = groups;
      const isOfItem =
        ofYear === undefined
          ? Number(ofDay) === day &&
            (ofMonth === undefined ? monthNamed(word)?.months.includes(month ?? 0) : Number(ofMonth) === month)
          : Number(ofYear) === year;
      return isOfItem ? [{ start: index, end: index + text.length }] : [];
    }),
  );
}

const PARTS: readonly RegExp[] = [
  // `20 November`, `20. November`, `20th of November`, `20 de noviembre`
  /(?<![\d.,])(?<day>\d{1,2})(?:\.|\p{L}{1,2})? ?(?:of |de )?(?<word>\p{L}{3,14})/gu,
  // `November 20`
  /(?<word>\p{L}{3,14})\.? (?<day>\d{1,2})(?!\d|[.,]\d)/gu,
  // `11月20日`, `11월 20일`
  /(?<month>\d{1,2})[月월] ?(?<day>\d{1,2})[日일]/gu,
  /(?<![\d.,])(?<year>\d{4})(?!\d|[.,]\d)/gu,
];
