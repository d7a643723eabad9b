/** What code can tell of sentences about items: which of their figures and dates stand in none of these items. */

import { crownsIn } from '../../values/amounts.ts';
import { dayFirstIn } from '../../values/dates.ts';
import { type QuoteEvidence, unfoundedFigures } from '../../verification/evidence/sentence-figures.ts';

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
  const evidence = texts.map(evidenceOf);
  return sentences.map(({ text, evidence: indexes }) => {
    const ofItems = indexes.flatMap((at) => evidence[at] ?? []);
    const [first = unfoundedIn(text, []), ...others] = ofItems.map((item) => unfoundedIn(text, [item]));
    return first.filter((figure) => others.every((unfounded) => unfounded.includes(figure)));
  });
}

const unfoundedIn = (text: string, evidence: readonly QuoteEvidence[]): string[] => [
  ...new Set(unfoundedFigures(text, { evidence, computed: [] })),
];

/** Without a day to count from: a date must stand in the text, or be the day of the item. */
function evidenceOf({ date, text }: EvidenceText): QuoteEvidence {
  const quote = date === undefined ? text : `${date}\n${text}`;
  const habits = { dayFirst: dayFirstIn(text), assumesDayFirst: true, crowns: crownsIn(text) };
  return { quote, around: { lines: quote, headings: [] }, habits };
}
