/** Where the quotes of notes stand in their documents, and which of the figures that are noted stand there. */

import { plainText } from '../../../engines/retrieval/passages.ts';
import type { NotedFigure } from '../../../shared/agents/results/research.ts';
import { numbersIn } from '../../values/readings.ts';
import { figureTexts } from '../../verification/evidence/figure-texts.ts';
import { numberMatch, openReadings, POWERS } from '../../verification/evidence/number-figures.ts';
import { locateQuote } from '../../verification/evidence/quotes.ts';
import { isDated, type QuoteEvidence } from '../../verification/evidence/sentence-figures.ts';
import type { Place } from '../../verification/located-quote.ts';
import type { ResearchCitation, UnfoundedReason } from '../report-model.ts';
import { type CitedDocument, type CitedText, citedDocuments, evidenceAt, quoteAt } from './cited-document.ts';
import { questionEvidence, weigh } from './weighed-statements.ts';

/** As a model notes it; `scale` is the factor that a head or a heading gives, such as 1000000. */
type ProposedFigure = {
  label: string;
  value: string | number;
  unit: string;
  scale: number;
  period: string;
  when: string;
};

export type ProposedNote = {
  text: string;
  quotes: readonly { document: number; quote: string }[];
  formulas: readonly string[];
  figures: readonly ProposedFigure[];
};

/**
 * Only quotes that stand in their documents, and figures that stand there; the others as the model wrote them. `fault` is
 * why the text cannot be published as it is.
 */
export type LocatedNote = {
  citations: ResearchCitation[];
  figures: NotedFigure[];
  unfounded: string[];
  fault?: UnfoundedReason;
};

type LocatedQuote = { cited: CitedDocument; place: Place };

/** A note may say figures of the question. */
type NotesInput = { documents: readonly CitedText[]; question: string; notes: readonly ProposedNote[] };

export function locatedNotes({ documents, question, notes }: NotesInput) {
  const byNumber = citedDocuments(documents);
  const ofQuestion = questionEvidence(question);
  return notes.map(({ text, quotes, formulas, figures }): LocatedNote => {
    const located = quotes.slice(0, MAX_QUOTES).flatMap(({ document, quote }): LocatedQuote[] => {
      const cited = byNumber.get(document);
      const place = cited && locateQuote(cited.parts, quote);
      return place ? [{ cited, place }] : [];
    });
    const { fault } = weigh({ text, formulas }, [
      ...located.map(({ cited, place }) => evidenceAt(cited, place)),
      ofQuestion,
    ]);
    const checked = figures.slice(0, MAX_FIGURES).map((figure) => notedFigure(figure, located));
    return {
      citations: located.map(citationOf),
      figures: checked.flatMap((figure) => (typeof figure === 'string' ? [] : [figure])),
      unfounded: checked.flatMap((figure) => (typeof figure === 'string' ? [figure] : [])),
      ...(fault ? { fault: fault.reason } : {}),
    };
  });
}

const MAX_QUOTES = 8;
const MAX_FIGURES = 10;
const MAX_QUOTE = 600;

function citationOf({ cited: { document, parts }, place: { part, from, to, label, page } }: LocatedQuote) {
  const quote = plainText(quoteAt(parts, { part, from, to, label })).slice(0, MAX_QUOTE).toWellFormed();
  const place = { part, from, to, label, ...(page === undefined ? {} : { page }) };
  return { document, quote, place };
}

/** The text of a figure that stands at none of the quotes. */
function notedFigure(figure: ProposedFigure, located: readonly LocatedQuote[]): NotedFigure | string {
  const { label, unit, period, when } = figure;
  const text = String(figure.value).trim();
  for (const { cited, place } of located) {
    const readings = readingsAt(text, evidenceAt(cited, place));
    if (readings.length === 0) continue;
    // A scale word of the value is in its reading already.
    const scale = POWERS.includes(figure.scale) && !hasScale(text, readings[0]) ? figure.scale : 1;
    const value = readings.length === 1 && readings[0] !== undefined ? readings[0] * scale : null;
    const details = {
      unit: clean(unit),
      period: clean(period),
      ...(isPeriod(when) && isTime(when, cited, place) ? { when } : {}),
    };
    return {
      label: plainText(label).trim().slice(0, MAX_LABEL),
      value,
      text,
      ...details,
      scale,
      document: cited.document,
    };
  }
  return [label, text, unit, period].filter((part) => part !== '').join(' ');
}

const MAX_LABEL = 200;
const clean = (text: string): string | null => plainText(text).trim().slice(0, MAX_LABEL) || null;

/** Whether the year stands at the quote, around it, or in its table. */
const isTime = (when: string, cited: CitedDocument, place: Place): boolean =>
  isDated(when.slice(0, 'yyyy'.length), { evidence: [evidenceAt(cited, place)], computed: [] });

/** `640 million` */
const hasScale = (text: string, reading = 0): boolean =>
  Math.abs(reading) >= 1_000 && !/\d{4}|\d[.,'’ \u00a0\u202f]\d{3}/.test(text);

const isPeriod = (when: string): boolean => /^\d{4}(?:-(?:\d\d(?:-\d\d)?|Q[1-4]|H[12]))?$/.test(when);

/** What the figure says by the document: where a comma may part thousands or begin decimals, both readings. */
function readingsAt(text: string, { quote, around, locale }: QuoteEvidence): number[] {
  const [reading, ...laterReadings] = numbersIn(text, locale);
  if (!reading || laterReadings.length > 0) return [];
  const { sure, open } = openReadings(Number(reading.value), text.slice(reading.start, reading.end), undefined, false);
  const texts = figureTexts(quote, around, locale);
  const checked = [...sure, ...open].map((value) => ({ value, match: numberMatch(value, texts) }));
  const standing = checked.filter(({ match }) => match === 'stands');
  return (standing.length > 0 ? standing : checked.filter(({ match }) => match === 'doubt')).map(({ value }) => value);
}
