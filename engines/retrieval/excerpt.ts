/** What of a long text tells whether it is worth reading: its headings, and the passages that are nearest to a question. */
import { walkBlocks } from './blocks.ts';
import { plainText } from './passages.ts';
import { type FoundPassage, leadingPassages, searchPassages } from './search.ts';

export type Excerpt = { headings: string[]; passages: string[] };

/** `length` is the most characters of the headings and passages together; headings have at most a third of it. */
type ExcerptRequest = { query: string; text: string; length: number };

const MAX_HEADING = 80;
const MAX_PASSAGES = 2;

/** A text without a word of the question, such as one in another language, is shown by its beginning. */
export function excerptOf({ query, text, length }: ExcerptRequest): Excerpt {
  const passages = [{ source: '', place: '', text }];
  const headings = fitting(headingsIn(text), length / 3);
  const room = length - lengthOf(headings);
  const nearest = searchPassages({ query, passages, limit: MAX_PASSAGES });
  const shownPassages = nearest.length > 0 ? nearest : leadingPassages({ passages, limit: MAX_PASSAGES });
  return { headings, passages: shortenedTo(shownPassages.map(passageText), room) };
}

function headingsIn(text: string): string[] {
  const headings: string[] = [];
  walkBlocks({ text, code: false }, ({ kind, start, end }) => {
    if (kind === 'heading') headings.push(plainText(text.slice(start, end)).replace(/^#+ /, '').slice(0, MAX_HEADING));
  });
  return [...new Set(headings.filter((heading) => heading !== ''))];
}

/** The rows of a table say little without its header. */
const passageText = ({ header, text }: FoundPassage): string =>
  (header === undefined ? text : `${header}\n${text}`).replaceAll(/\s+/g, ' ').trim();

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

function fitting(texts: readonly string[], length: number): string[] {
  let remaining = length;
  const beyond = texts.findIndex((text) => {
    remaining -= text.length;
    return remaining < 0;
  });
  return beyond < 0 ? [...texts] : texts.slice(0, beyond);
}

/** The nearest passage may have two thirds, so that there is room for another one. */
function shortenedTo(texts: readonly string[], length: number): string[] {
  const [first = '', ...otherTexts] = texts;
  const share = otherTexts.length > 0 ? Math.ceil((2 * length) / 3) : length;
  const shortened = [first.slice(0, share)];
  for (const text of otherTexts) shortened.push(text.slice(0, Math.max(0, length - lengthOf(shortened))));
  return shortened.map((text) => text.toWellFormed()).filter((text) => text !== '');
}
