/** Measures the keyless model: is the labelled passage in the answer, and does its citation point to where it stands? */
import { extract } from '../../engines/models/extractive/extract.ts';
import type { Passage } from '../../engines/retrieval/passages.ts';

/** `place` is the heading below which the passage stands in the document's source. */
export type Question = { question: string; document: string; expected: string; place?: string };
export type Judged = Question & { found: boolean; cited: boolean; answer: string };

/** Every second question was never looked at while the model was tuned. */
export const halves = <T>(all: T[]): { development: T[]; heldOut: T[] } => ({
  development: all.filter((_, at) => at % 2 === 0),
  heldOut: all.filter((_, at) => at % 2 === 1),
});

export function evaluate(question: Question, passages: Passage[]): Judged {
  const { text, cited } = extract(question.question, passages);
  const wanted = bare(question.expected);
  const places = passages.filter((passage) => bare(passage.text).includes(wanted));
  if (places.length === 0) throw new Error(`${question.document} does not say "${question.expected}"`);
  const points = cited.some(
    ({ source, place, excerpt }) =>
      bare(excerpt).includes(wanted) && places.some((passage) => passage.source === source && passage.place === place),
  );
  return { ...question, found: bare(text).includes(wanted), cited: points, answer: text };
}

/** What is left of a text when white space and marks do not count. */
const bare = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replace(/[\s\\*_`>|]+/g, ' ')
    .trim()
    .toLowerCase();
