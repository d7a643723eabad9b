/** The language that a report is written in, by its question. The words of each language stand in `texts/languages.json`. */

import { fold } from '../../engines/retrieval/words.ts';
import WORDS from './texts/languages.json' with { type: 'json' };

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const;
export type ReportLanguage = (typeof LANGUAGES)[number];

const { verbs, prepositions } = WORDS.orders;

/** Such as `Bitte antworte auf Englisch`: the name of the language ends its part of the sentence. */
const orderOf = (language: ReportLanguage): RegExp => {
  const names = WORDS.languages[language].names.join('|');
  return new RegExp(
    `\\b(?:${verbs.join('|')})\\w*\\b[^.;?]{0,40}\\b(?:${prepositions.join('|')})\\s+(?:${names})\\b\\W*(?:$|[.,;:!?])`,
    'u',
  );
};
const ORDERS = LANGUAGES.map((language) => ({ language, order: orderOf(language) }));

/** The language that a question asks for, or else its own; English if neither is clear. */
export function reportLanguageOf(question: string): ReportLanguage {
  const text = fold(question);
  const ordered = ORDERS.find(({ order }) => order.test(text));
  if (ordered) return ordered.language;
  const words = text.match(/\p{L}+/gu) ?? [];
  const [first, second] = LANGUAGES.map((language) => {
    const frequent = words.filter((word) => word !== SHARED && frequentWords(language).has(word)).length;
    const asking = words.filter((word) => ASKING.get(language)?.has(word)).length;
    return { language, count: frequent + ASKING_WEIGHT * asking };
  }).toSorted((a, b) => b.count - a.count);
  return first && first.count > (second?.count ?? 0) ? first.language : 'en';
}

const wordSets = (kind: 'frequent' | 'asking') =>
  new Map<ReportLanguage, ReadonlySet<string>>(
    LANGUAGES.map((language) => [language, new Set(WORDS.languages[language][kind])]),
  );

const FREQUENT = wordSets('frequent');
/** Words that ask; some questions have no other word of their language. */
const ASKING = wordSets('asking');
const ASKING_WEIGHT = 2;
/** Stands in German and Italian questions as well. */
const SHARED = 'in';

/** Frequent words of the language, folded; some languages share a few of them. */
const frequentWords = (language: ReportLanguage): ReadonlySet<string> => FREQUENT.get(language) ?? new Set();
