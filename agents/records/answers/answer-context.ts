/** What is known of a document while its record is put together, and what a second look is asked of it. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import { leadingPassages, searchPassages } from '../../../engines/retrieval/search.ts';
import type { Basis, FieldResult } from '../../../shared/agents/results/records.ts';
import { partsWithinLimit } from '../../parts-within-limit.ts';
import type { Quote, Statement, Verdict } from '../../verification/statement-verdict.ts';
import { normalizedText, type Scalar } from '../compare-values.ts';
import { type Field, wordsOf } from '../field-words.ts';
import type { RecordRequest } from '../matching/find-record.ts';
import type { FieldCandidate } from '../matching/find-values.ts';
import type { ModelAnswer, RejectedProposal } from '../model-answers.ts';
import type { FieldFinding } from '../record-findings.ts';
import type { RecordPlan } from '../record-plan.ts';
import { type CheckedValue, evidenceAt, isRecognized, type LocatedEvidence } from './check-proposal.ts';

export type AnsweredInput = {
  plan: RecordPlan;
  /** What a person sees of the document, and its number in the task. */
  parts: readonly DocumentPart[];
  document: number;
  /** Of the document. */
  name: string;
  /** What the model answered so far, in its order. */
  answers: readonly ModelAnswer[];
  /** What a second look said of statements, by their keys; null where it was asked and said nothing that counts. */
  verdicts: Readonly<Record<string, Verdict | null>>;
  lookedBy: NonNullable<Basis['looked_by']>;
  hasPictures: boolean;
  /** The places that the model was shown, in words, and whether they are the whole document. */
  read: string;
  isWhole: boolean;
};

/** `toLook` collects what a second look was not asked yet, `rejected` what does not hold so far. */
export type AnswerContext = AnsweredInput & {
  request: RecordRequest;
  toLook: KeyedStatement[];
  rejected: RejectedProposal[];
};

/** What the model proposes for a path, checked by code; `result` is present for a value that code computed. */
export type Proposal = { path: string; field: Field; checked: CheckedValue; result?: FieldResult };

/** `isPictured`: only the picture of the page can tell, as text recognition may have missed or misread it. */
type KeyedStatement = { key: string; statement: Statement; isPictured: boolean };

/** A statement is told from others by its value and the places of its evidence. */
export const statementKey = ({ path, checked: { value, evidence, isAbsent }, result }: Proposal): string =>
  JSON.stringify([
    path,
    value,
    evidence.map(({ located: { part, from, to } }) => [part, from, to]),
    isAbsent ?? false,
    result?.reason ?? '',
  ]);

/** The verdict on a statement; undefined if it is still to be asked for. */
export function verdictOn(
  context: AnswerContext,
  key: string,
  statement: () => Statement,
  isPictured = false,
): Verdict | null | undefined {
  const verdict = context.verdicts[key];
  if (verdict === undefined && !context.toLook.some((queued) => queued.key === key))
    context.toLook.push({ key, statement: statement(), isPictured });
  return verdict;
}

/** `entry` says which entry of a list the value is one of. */
export function verdictOnProposal(
  context: AnswerContext,
  proposal: Proposal,
  entry?: string,
): Verdict | null | undefined {
  const { path, field, checked, result } = proposal;
  const { evidence, isAbsent } = checked;
  const statement = (): Statement => {
    const quotes = isAbsent ? nearestQuotes(context, field) : evidence.map((item) => quoteOf(context, item));
    const claim = {
      field: path,
      means: meaningOf(field),
      ...(entry === undefined ? {} : { of: entry }),
      value: checked.value,
      ...(result ? { formula: result.reason } : {}),
      ...(isAbsent ? { absent: true as const } : {}),
    };
    return { claim, quotes };
  };
  const isPictured =
    context.hasPictures && !isAbsent && !evidence.some((item) => isReadable(context, item, checked.value));
  return verdictOn(context, statementKey(proposal), statement, isPictured);
}

/** Of what a label or a table gives, where the model says something else or nothing. */
export function verdictOnFound(
  context: AnswerContext,
  { field, result, candidate }: FieldFinding,
): Verdict | null | undefined {
  const { path, value } = result;
  if (value === null) return null;
  return verdictOn(context, JSON.stringify(['found', path, value]), () => ({
    claim: { field: path, means: meaningOf(field), value },
    quotes: candidate ? [quoteOf(context, evidenceOf(context, candidate))] : basisQuotes(context, result.basis),
  }));
}

export function quoteOf({ name, request: { parsed } }: AnswerContext, { located, around }: LocatedEvidence): Quote {
  const { label, part, from, to } = located;
  const { lines, ...surroundings } = around;
  const text = lines === '' ? (parsed.parts[part]?.text.slice(from, to) ?? '') : lines;
  return { source: `${name}, ${label}`, text, ...surroundings };
}

/** Where a value stands that code found itself. */
export function evidenceOf(
  { request: { parsed } }: AnswerContext,
  { line, start, end }: FieldCandidate,
): LocatedEvidence {
  const { label = '', page } = parsed.parts[line.part] ?? {};
  const located = { part: line.part, from: start, to: end, label, match: 'exact' } as const;
  return evidenceAt(parsed.parts, page === undefined ? located : { ...located, page });
}

const VERDICT_TEXTS = {
  supported: 'it is so',
  contradicted: 'the document says something else',
  not_stated: 'the quote does not say so',
};

/** What a second look says, within a sentence. */
export const verdictText = (verdict: Verdict | null): string =>
  verdict === null
    ? 'no second look agreed'
    : `a second look says: ${VERDICT_TEXTS[verdict.verdict]}${verdict.why ? ` (${verdict.why})` : ''}`;

/** Whether the text says it: what text recognition read says a value if it has the value itself. */
function isReadable(
  { request: { parsed } }: AnswerContext,
  { located, around }: LocatedEvidence,
  value: Scalar,
): boolean {
  return (
    !isRecognized(parsed.parts[located.part]) || normalizedText(around.lines).includes(normalizedText(String(value)))
  );
}

const NEAREST = 3;

/** What of the document comes nearest to a field that it does not have. */
function nearestQuotes(
  { name, request: { parsed } }: AnswerContext,
  { names, leaf: { title, description } }: Field,
): Quote[] {
  const query = [wordsOf(names.join(' ')), title, description].join(' ');
  const passages = partsWithinLimit(parsed.parts, MAX_SEARCHED).map(({ label, text }) => ({
    source: name,
    place: label,
    text,
  }));
  const nearest = searchPassages({ query, passages, limit: NEAREST });
  // A document without any of the words is shown by how it begins.
  const chosenPassages = nearest.length > 0 ? nearest : leadingPassages({ passages, limit: NEAREST });
  return chosenPassages.map(({ place, text }) => ({
    source: `${name}, ${place}`,
    text: text.slice(0, MAX_PASSAGE).toWellFormed(),
  }));
}

/** Each field that is absent is searched for: of a long document only its beginning. */
const MAX_SEARCHED = 300_000;

const MAX_PASSAGE = 1_000;
const MAX_MEANING = 400;

function meaningOf({ leaf: { title, description, values, format, kind }, around = [] }: Field): string {
  const texts = [title, description, ...around, ...(values ? [`one of ${values.join(', ')}`] : []), format ?? kind];
  return texts
    .filter((text) => text !== undefined)
    .join('; ')
    .slice(0, MAX_MEANING)
    .toWellFormed();
}

const basisQuotes = ({ name }: AnswerContext, basis: readonly Basis[]): Quote[] =>
  basis.flatMap(({ place, quote }) => (quote === '' ? [] : [{ source: `${name}, ${place}`, text: quote }]));
