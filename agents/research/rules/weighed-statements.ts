/** What code can tell of statements that rest on quotes: whether their figures stand there, and what their formulas give. */

import type { ComputedFigure } from '../../../shared/agents/results/research.ts';
import { computedFormula } from '../../verification/evidence/formulas.ts';
import { locateQuote } from '../../verification/evidence/quotes.ts';
import {
  type QuoteEvidence,
  saysResult,
  UNKNOWN_LOCALE,
  unfoundedFigures,
} from '../../verification/evidence/sentence-figures.ts';
import type { Place } from '../../verification/located-quote.ts';
import type { Quote } from '../../verification/statement-verdict.ts';
import type { ResearchCitation, UnfoundedReason } from '../report-model.ts';
import { type CitedDocument, type CitedText, citedDocuments, evidenceAt, quoteOf } from './cited-document.ts';

export type CitedStatement = {
  text: string;
  citations: readonly ResearchCitation[];
  formulas: readonly string[];
  /** What is asked of the model, where the statement says that it is missing. */
  missing?: string;
};

/** `fault` is a reason in words for which the statement cannot be published. */
export type WeighedStatement = {
  fault?: { reason: UnfoundedReason; detail: string };
  computed: ComputedFigure[];
  quotes: Quote[];
};

const MAX_FORMULAS = 12;
const MAX_CITATIONS = 40;

/** A statement may say figures of the question. */
type WeighedInput = { documents: readonly CitedText[]; question: string; statements: readonly CitedStatement[] };

export function weighedStatements({ documents, question, statements }: WeighedInput): WeighedStatement[] {
  const byNumber = citedDocuments(documents);
  const questionQuote = questionEvidence(question);
  // Many statements rest on the same citations.
  const passageCache = new Map<string, CitedPassage | undefined>();
  const passageOf = (citation: ResearchCitation): CitedPassage | undefined => {
    const key = JSON.stringify(citation);
    if (!passageCache.has(key)) passageCache.set(key, passageAt(byNumber.get(citation.document), citation));
    return passageCache.get(key);
  };
  return statements.map(({ text, citations, formulas, missing }) => {
    const passages = citations.slice(0, MAX_CITATIONS).flatMap((citation) => passageOf(citation) ?? []);
    const evidence = [
      ...passages.map((passage) => passage.evidence),
      questionQuote,
      ...(missing === undefined ? [] : [questionEvidence(missing)]),
    ];
    const { fault, computed } = weigh({ text, formulas }, evidence);
    return { ...(fault ? { fault } : {}), computed, quotes: passages.map(({ quote }) => quote) };
  });
}

export const questionEvidence = (question: string): QuoteEvidence => ({
  quote: question,
  around: { lines: question, headings: [] },
  locale: UNKNOWN_LOCALE,
});

/** A formula that is wrong is no fault of a text that does not need it. */
export function weigh(
  { text, formulas }: Pick<CitedStatement, 'text' | 'formulas'>,
  evidence: readonly QuoteEvidence[],
): Pick<WeighedStatement, 'fault' | 'computed'> {
  const numbers: { formula: string; value: number }[] = [];
  const days: { formula: string; value: string }[] = [];
  const faults: string[] = [];
  for (const formula of formulas.slice(0, MAX_FORMULAS)) {
    const earlier = numbers.map(({ value }) => value);
    const result = computedFormula(formula, evidence, earlier);
    if ('fault' in result) faults.push(result.fault);
    else if ('day' in result) days.push({ formula, value: result.day });
    else numbers.push({ formula, value: result.value });
  }
  const results = { computed: numbers.map(({ value }) => value), days: days.map(({ value }) => value) };
  const unfounded = unfoundedFigures(text, { evidence, ...results });
  // A finding may compute more than a sentence says again.
  const computed = [...numbers.filter(({ value }) => saysResult(text, value)), ...days];
  if (unfounded.length === 0) return { computed };
  const missing = `${unfounded.join(', ')}: stands at none of its quotes, and no formula gives it`;
  const detail = [missing, ...faults.slice(0, 1)].join('; ');
  return { fault: { reason: faults.length > 0 ? 'formula' : 'figure', detail }, computed };
}

type CitedPassage = { evidence: QuoteEvidence; quote: Quote };

function passageAt(cited: CitedDocument | undefined, citation: ResearchCitation): CitedPassage | undefined {
  const place = cited && placeIn(cited, citation);
  return place && { evidence: evidenceAt(cited, place), quote: quoteOf(cited, place) };
}

/** A citation of an earlier research has no place. */
const placeIn = ({ parts }: CitedDocument, { quote, place }: ResearchCitation): Place | undefined =>
  place ?? locateQuote(parts, quote);
