/** Measures the keyless model: is the labelled passage in the answer, and does its citation point to where it stands? */
import { extract } from '../../engines/model/extractive/extract.ts';
import type { Passage } from '../../engines/model/extractive/passage.ts';

export type Labelled = { question: string; documents: Passage[]; expected: string };
export type Judged = { question: string; expected: string; found: boolean; cited: boolean; answer: string };

export function evaluate({ question, documents, expected }: Labelled): Judged {
  const { text, cited } = extract(question, documents);
  const wanted = bare(expected);
  const places = documents.filter((passage) => bare(passage.text).includes(wanted));
  if (places.length === 0) throw new Error(`No document says "${expected}"`);
  const pointing = cited.some(
    ({ source, place, excerpt }) =>
      bare(excerpt).includes(wanted) && places.some((passage) => passage.source === source && passage.place === place),
  );
  return { question, expected, found: bare(text).includes(wanted), cited: pointing, answer: text };
}

/** What is left of a text when white space and marks do not count. */
const bare = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replace(/[\s\\*_`>|]+/g, ' ')
    .trim()
    .toLowerCase();
