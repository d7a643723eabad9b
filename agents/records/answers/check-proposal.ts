/** Checks one value that a model proposes, by what needs no language: its type, its quote, and the figures at that place. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { ValueReading } from '../../values/readings.ts';
import { figureCheck } from '../../verification/evidence/figures.ts';
import { locateQuote } from '../../verification/evidence/quotes.ts';
import { surroundingsOf, surroundingText } from '../../verification/evidence/surroundings.ts';
import type { LocatedQuote, Surroundings } from '../../verification/place.ts';
import { folded, isFreeText, isSameValue, type Scalar } from '../compare-values.ts';
import type { Field } from '../field-words.ts';
import type { Paper } from '../matching/lines.ts';
import { readingsOf, valueFrom } from '../matching/typed-values.ts';
import type { ModelField } from '../model-answers.ts';

/** A passage that a value rests on, with what stands around it. */
export type LocatedEvidence = { located: LocatedQuote; around: Surroundings };

/** A proposal of the right type: `fault` says why code refuses it, without it a second look may have to agree. */
export type CheckedValue = {
  value: Scalar;
  evidence: LocatedEvidence[];
  /** The document does not have it, so that nothing can be quoted. */
  isAbsent?: true;
  fault?: string;
};

type ProposalContext = {
  paper: Paper;
  /** Pictures of pages go along, so that what text recognition misses can be seen. */
  hasPictures: boolean;
};

const MAX_PIECES = 8;
const ELLIPSIS = /\s*\[?(?:\.{3}|…)\]?\s*/;
const WORDS = /[\p{L}\p{N}]/u;

/** Where the quote stands; a quote of several passages stands at several places. */
function locateAll(parts: readonly DocumentPart[], quote: string): LocatedQuote[] {
  const whole = locateQuote(parts, quote);
  if (whole) return [whole];
  const pieces = quote.split(ELLIPSIS).filter((piece) => WORDS.test(piece));
  if (pieces.length < 2) return [];
  const located = pieces.slice(0, MAX_PIECES).map((piece) => locateQuote(parts, piece));
  return located.every((place) => place !== undefined) ? located : [];
}

export const evidenceAt = (parts: readonly DocumentPart[], located: LocatedQuote): LocatedEvidence => ({
  located,
  around: surroundingsOf(parts, located),
});

/** The value with its evidence, or undefined if it is not of the type of the field. */
export function checkProposal(
  { paper, hasPictures }: ProposalContext,
  { leaf }: Field,
  { value: given, quote, absent }: Pick<ModelField, 'value' | 'quote' | 'absent'>,
): CheckedValue | undefined {
  const { parts, habits } = paper;
  const value = valueFrom(leaf, given, habits);
  if (value === undefined) return undefined;
  const isQuoted = WORDS.test(quote ?? '');
  if (absent && !isQuoted && saysNone(leaf, value)) return { value, evidence: [], isAbsent: true };
  const quoted = isQuoted ? locateAll(parts, quote ?? '') : [];
  // Models shorten quotes, and cite the sentence before: a value that stands at one place alone is meant there.
  const located = quoted.length > 0 ? quoted : onlyPlace(paper, { leaf }, value);
  const evidence = located.map((one) => evidenceAt(parts, one));
  if (evidence.length === 0) {
    if (hasPictures) return { value, evidence };
    const fault = isQuoted ? 'the quote does not stand in the document word for word' : 'there is no quote';
    return { value, evidence, fault };
  }
  // Text recognition may have misread a figure that the picture shows.
  const mayBeMisread = hasPictures && evidence.some(({ located }) => isRecognized(parts[located.part]));
  const isRefused = !mayBeMisread && contradicts(paper, { leaf }, { value, evidence });
  return { value, evidence, ...(isRefused ? { fault: 'the figure at the place of the quote is another one' } : {}) };
}

export const isRecognized = (part: DocumentPart | undefined): boolean =>
  part?.ocr !== undefined || part?.unsure !== undefined;

/** What a field may have where the document has nothing of it. A text is left out. */
const saysNone = ({ values }: Field['leaf'], value: Scalar): boolean =>
  value === false || value === 0 || values !== undefined;

/** Searching more text for each proposal would take too long. */
const MAX_SEARCHED = 200_000;
const MIN_TEXT = 4;

function onlyPlace({ parts, habits }: Paper, { leaf }: Pick<Field, 'leaf'>, value: Scalar): LocatedQuote[] {
  if (leaf.kind === 'boolean' || leaf.values) return [];
  if (isFreeText(leaf)) {
    const text = String(value);
    const located = text.length < MIN_TEXT ? undefined : locateQuote(parts, text);
    return located ? [located] : [];
  }
  if (parts.reduce((sum, { text }) => sum + text.length, 0) > MAX_SEARCHED) return [];
  const places = parts.flatMap(({ label, page }, part) =>
    readingsOnce(parts, part, { leaf, habits })
      .filter((reading) => isSameValue(leaf, reading.value, value))
      .map(({ start, end }): LocatedQuote => {
        const at = { part, from: start, to: end, label, match: 'exact' } as const;
        return page === undefined ? at : { ...at, page };
      }),
  );
  return places.length === 1 ? places : [];
}

const readings = new WeakMap<DocumentPart, Map<string, ValueReading[]>>();

/** Each quote that stands nowhere lets the same parts be read. */
function readingsOnce(
  parts: readonly DocumentPart[],
  at: number,
  { leaf, habits }: Pick<Field, 'leaf'> & Pick<Paper, 'habits'>,
): ValueReading[] {
  const part = parts[at];
  if (!part) return [];
  const known = readings.get(part) ?? new Map<string, ValueReading[]>();
  readings.set(part, known);
  const kind = leaf.format ?? leaf.kind;
  const before = known.get(kind);
  if (before) return before;
  const found = readingsOf(leaf, part.text, habits);
  known.set(kind, found);
  return found;
}

type Valued = Pick<CheckedValue, 'value' | 'evidence'>;

/** Whether figures stand at every place of the evidence, and at none of them the value. */
function contradicts(paper: Paper, { leaf }: Pick<Field, 'leaf'>, { value, evidence }: Valued): boolean {
  if (leaf.kind === 'string' && leaf.format?.startsWith('date'))
    return isContradicted(paper, { kind: 'date', value: String(value).slice(0, 10) }, evidence);
  if (typeof value === 'number' && !leaf.values) return isContradicted(paper, { kind: 'number', value }, evidence);
  return isFreeText(leaf) && isCode(String(value)) && evidence.every((one) => hasOtherCode(paper, one, String(value)));
}

function isContradicted(
  { parts, habits }: Paper,
  { kind, value }: { kind: 'number' | 'date'; value: number | string },
  evidence: readonly LocatedEvidence[],
): boolean {
  const checks = evidence.map(({ located: { part, from, to }, around }) =>
    figureCheck(kind, value, parts[part]?.text.slice(from, to) ?? '', around, habits),
  );
  return checks.includes('contradicts') && !checks.includes('stands') && !checks.includes('doubt');
}

/** One word with figures in it, such as a number of an invoice or an IBAN. */
const isCode = (text: string): boolean => /^\S*\d\S*$/.test(text.trim());

/** Whether a code of the same form stands there, and it is another one: `INV-2041` for `INV-2014`. */
function hasOtherCode(paper: Paper, { located: { part, from, to }, around }: LocatedEvidence, code: string): boolean {
  const text = `${paper.parts[part]?.text.slice(from, to) ?? ''} ${surroundingText(around)}`;
  if (bare(text).includes(bare(code))) return false;
  const form = formOf(code.trim());
  return form.includes('0000') || /\p{L}/u.test(form)
    ? text.split(/[\s|,;()]+/).some((word) => formOf(word.replace(/[.:]+$/, '')) === form)
    : false;
}

/** However the document groups its figures. */
const bare = (text: string): string => folded(text).replaceAll(' ', '');
const formOf = (code: string): string => code.toLowerCase().replaceAll(/\d/g, '0');
