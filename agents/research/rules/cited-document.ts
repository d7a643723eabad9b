/** A document that statements of a research cite, as the rules on its text see it. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import { localeIn } from '../../values/locale.ts';
import type { DocumentLocale } from '../../values/rule.ts';
import { plainLine } from '../../verification/evidence/headings.ts';
import type { QuoteEvidence } from '../../verification/evidence/sentence-figures.ts';
import { surroundingsOf } from '../../verification/evidence/surroundings.ts';
import type { Place } from '../../verification/located-quote.ts';
import type { Quote } from '../../verification/statement-verdict.ts';
import { documentParts } from '../file-parts.ts';

export type CitedText = {
  document: number;
  title: string;
  publisher: string;
  publishedAt: string | null;
  text: string;
};

/** `opening`: its title and the lines below it, which often name company, period and date. */
export type CitedDocument = CitedText & { parts: DocumentPart[]; locale: DocumentLocale; opening: string };

export function citedDocuments(texts: readonly CitedText[]): Map<number, CitedDocument> {
  return new Map(
    texts.map((cited) => {
      const parts = documentParts(cited);
      const opening = openingOf(cited.title, parts);
      return [cited.document, { ...cited, parts, locale: localeIn(cited.text), opening }];
    }),
  );
}

/** The opening of the document and its date say what a quote is about as its headings do. */
export function evidenceAt({ parts, locale, opening, publishedAt }: CitedDocument, place: Place): QuoteEvidence {
  const around = surroundingsOf(parts, place);
  const titles = [opening, around.title, publishedAt?.slice(0, 10)].filter((text) => text !== undefined);
  const published = publishedAt?.slice(0, 10);
  return {
    quote: quoteAt(parts, place),
    around: { ...around, title: titles.join('\n') },
    locale,
    page: parts[place.part]?.text.slice(0, MAX_PAGE) ?? '',
    ...(published === undefined ? {} : { published }),
  };
}

export const quoteAt = (parts: readonly DocumentPart[], { part, from, to }: Place): string =>
  parts[part]?.text.slice(from, to) ?? '';

/** As a second look is shown it. */
export function quoteOf({ parts, title, publisher, opening, publishedAt }: CitedDocument, place: Place): Quote {
  const { lines, title: _, ...around } = surroundingsOf(parts, place);
  const names = publisher === title ? [title] : [title, publisher];
  const label = place.label === 'text' ? [] : [place.label];
  const date = publishedAt === null ? [] : [`published ${publishedAt.slice(0, 10)}`];
  return {
    source: [...names, ...label, ...date].join(', '),
    text: lines || quoteAt(parts, place),
    title: opening,
    ...around,
  };
}

const MAX_PAGE = 60_000;
const MAX_OPENING = 240;
const OPENING_LINES = 4;
/** A longer line is no part of a title any more. */
const MAX_LINE = 120;

function openingOf(title: string, parts: readonly DocumentPart[]): string {
  const beginning =
    parts.find(({ hidden, text }) => !hidden && text.trim() !== '')?.text.slice(0, 8 * MAX_OPENING) ?? '';
  const lines = beginning
    .split('\n')
    .map(plainLine)
    .filter((line) => line !== '');
  const end = lines.findIndex((line) => line.length > MAX_LINE || line.startsWith('|'));
  const below = lines.slice(0, end < 0 ? OPENING_LINES : Math.min(end, OPENING_LINES)).filter((line) => line !== title);
  return [title, ...below].join('\n').slice(0, MAX_OPENING).toWellFormed();
}
