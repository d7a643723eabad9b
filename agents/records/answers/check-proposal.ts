/** Checks one value that a model proposes, by what needs no language: its type, its quote, and the figures at that place. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { ValueReading } from '../../values/readings.ts';
import { figureCheck } from '../../verification/evidence/figures.ts';
import { locateQuote } from '../../verification/evidence/quotes.ts';
import { surroundingsOf, surroundingText } from '../../verification/evidence/surroundings.ts';
import type { LocatedQuote, Surroundings } from '../../verification/located-quote.ts';
import { isFreeText, isSameValue, normalizedText, type Scalar } from '../compare-values.ts';
import type { Field } from '../field-words.ts';
import type { ParsedDocument } from '../matching/parsed-document.ts';
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

const MAX_PIECES = 8;
const ELLIPSIS = /\s*\[?(?:\.{3}|…)\]?\s*/;
const WORDS = /[\p{L}\p{N}]/u;

export const evidenceAt = (parts: readonly DocumentPart[], located: LocatedQuote): LocatedEvidence => ({
  located,
  around: surroundingsOf(parts, located),
});

/** The value with its evidence, or undefined if it is not of the type of the field. */
export function checkProposal(
  { parsed, hasPictures }: ProposalContext,
  { leaf }: Field,
  { value: proposedValue, quote, absent }: Pick<ModelField, 'value' | 'quote' | 'absent'>,
): CheckedValue | undefined {
  const { parts, locale } = parsed;
  const value = valueFrom(leaf, proposedValue, locale);
  if (value === undefined) return undefined;
  const isQuoted = WORDS.test(quote ?? '');
  if (absent && !isQuoted && saysNone(leaf, value)) return { value, evidence: [], isAbsent: true };
  const quotedPlaces = isQuoted ? locateAll(parts, quote ?? '') : [];
  // Models shorten quotes, and cite the sentence before: a value that stands at one place alone is meant there.
  const places = quotedPlaces.length > 0 ? quotedPlaces : onlyPlace(parsed, { leaf }, value);
  const evidence = places.map((place) => evidenceAt(parts, place));
  if (evidence.length === 0) {
    if (hasPictures) return { value, evidence };
    const fault = isQuoted ? 'the quote does not stand in the document word for word' : 'there is no quote';
    return { value, evidence, fault };
  }
  // Text recognition may have misread a figure that the picture shows.
  const mayBeMisread = hasPictures && evidence.some(({ located }) => isRecognized(parts[located.part]));
  const isRefused = !mayBeMisread && contradicts(parsed, { leaf }, { value, evidence });
  return { value, evidence, ...(isRefused ? { fault: 'the figure at the place of the quote is another one' } : {}) };
}

export const isRecognized = (part: DocumentPart | undefined): boolean =>
  part?.ocr !== undefined || part?.unsure !== undefined;

type ProposalContext = {
  parsed: ParsedDocument;
  /** Pictures of pages go along, so that what text recognition misses can be seen. */
  hasPictures: boolean;
};

/** Where the quote stands; a quote of several passages stands at several places. */
function locateAll(parts: readonly DocumentPart[], quote: string): LocatedQuote[] {
  const whole = locateQuote(parts, quote);
  if (whole) return [whole];
  const pieces = quote.split(ELLIPSIS).filter((piece) => WORDS.test(piece));
  if (pieces.length < 2) return [];
  const located = pieces.slice(0, MAX_PIECES).map((piece) => locateQuote(parts, piece));
  return located.every((place) => place !== undefined) ? located : [];
}

/** What a field may have where the document has nothing of it. A text is left out. */
const saysNone = ({ values }: Field['leaf'], value: Scalar): boolean =>
  value === false || value === 0 || values !== undefined;

/** Searching more text for each proposal would take too long. */
const MAX_SEARCHED = 200_000;
const MIN_TEXT = 4;

function onlyPlace({ parts, locale }: ParsedDocument, { leaf }: Pick<Field, 'leaf'>, value: Scalar): LocatedQuote[] {
  if (leaf.kind === 'boolean' || leaf.values) return [];
  if (isFreeText(leaf)) {
    const text = String(value);
    const located = text.length < MIN_TEXT ? undefined : locateQuote(parts, text);
    return located ? [located] : [];
  }
  if (parts.reduce((sum, { text }) => sum + text.length, 0) > MAX_SEARCHED) return [];
  const places = parts.flatMap(({ label, page }, part) =>
    readingsOnce(parts, part, { leaf, locale })
      .filter((reading) => isSameValue(leaf, reading.value, value))
      .map(({ start, end }): LocatedQuote => {
        const at = { part, from: start, to: end, label, match: 'exact' } as const;
        return page === undefined ? at : { ...at, page };
      }),
  );
  return places.length === 1 ? places : [];
}

const readingsByPart = new WeakMap<DocumentPart, Map<string, ValueReading[]>>();

/** Each quote that stands nowhere lets the same parts be read. */
function readingsOnce(
  parts: readonly DocumentPart[],
  at: number,
  { leaf, locale }: Pick<Field, 'leaf'> & Pick<ParsedDocument, 'locale'>,
): ValueReading[] {
  const part = parts[at];
  if (!part) return [];
  const cachedReadings = readingsByPart.get(part) ?? new Map<string, ValueReading[]>();
  readingsByPart.set(part, cachedReadings);
  const kind = leaf.format ?? leaf.kind;
  const cached = cachedReadings.get(kind);
  if (cached) return cached;
  const freshReadings = readingsOf(leaf, part.text, locale);
  cachedReadings.set(kind, freshReadings);
  return freshReadings;
}

type ValueWithEvidence = Pick<CheckedValue, 'value' | 'evidence'>;

/** Whether figures stand at every place of the evidence, and at none of them the value. */
function contradicts(
  parsed: ParsedDocument,
  { leaf }: Pick<Field, 'leaf'>,
  { value, evidence }: ValueWithEvidence,
): boolean {
  if (leaf.kind === 'string' && leaf.format?.startsWith('date'))
    return isContradicted(parsed, { kind: 'date', value: String(value).slice(0, 10) }, evidence);
  if (typeof value === 'number' && !leaf.values) return isContradicted(parsed, { kind: 'number', value }, evidence);
  return (
    isFreeText(leaf) && isCode(String(value)) && evidence.every((item) => hasOtherCode(parsed, item, String(value)))
  );
}

function isContradicted(
  { parts, locale }: ParsedDocument,
  { kind, value }: { kind: 'number' | 'date'; value: number | string },
  evidence: readonly LocatedEvidence[],
): boolean {
  const checks = evidence.map(({ located: { part, from, to }, around }) =>
    figureCheck(kind, value, parts[part]?.text.slice(from, to) ?? '', around, locale),
  );
  return checks.includes('contradicts') && !checks.includes('stands') && !checks.includes('doubt');
}

/** One word with figures in it, such as a number of an invoice or an IBAN. */
const isCode = (text: string): boolean => /^\S*\d\S*$/.test(text.trim());

/** Whether a code of the same form stands there, and it is another one: `INV-2041` for `INV-2014`. */
function hasOtherCode(
  parsed: ParsedDocument,
  { located: { part, from, to }, around }: LocatedEvidence,
  code: string,
): boolean {
  const text = `${parsed.parts[part]?.text.slice(from, to) ?? ''} ${surroundingText(around)}`;
  if (bare(text).includes(bare(code))) return false;
  const form = formOf(code.trim());
  return form.includes('0000') || /\p{L}/u.test(form)
    ? text.split(/[\s|,;()]+/).some((word) => formOf(word.replace(/[.:]+$/, '')) === form)
    : false;
}

/** However the document groups its figures. */
const bare = (text: string): string => normalizedText(text).replaceAll(' ', '');
const formOf = (code: string): string => code.toLowerCase().replaceAll(/\d/g, '0');
