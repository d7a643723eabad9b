/** Finds the values of fields in a document by labels beside them, heads of columns, and the labelled rules. */

import { emails, phoneNumbers, urls } from '../../values/contacts.ts';
import { ibans, vatNumbers } from '../../values/identifiers.ts';
import type { ValueReading } from '../../values/readings.ts';
import type { Rule } from '../../values/rule.ts';
import { isFreeText, isSameValue, type Scalar } from '../compare-values.ts';
import { type Field, type FormName, isBound, labelKey, labelKindOf } from '../field-words.ts';
import { chooseCandidate } from '../invoices/labelled-rules.ts';
import { moneyKindOf } from '../invoices/labels.ts';
import { type LabelledSpan, MAX_LABEL, MAX_TEXT, spansByLabel } from './labelled-spans.ts';
import { type Candidate, type Line, oncePerDocument, type ParsedDocument, type TextSpan } from './parsed-document.ts';
import { readingsOf, valueFrom } from './typed-values.ts';

/** A possible value of a field and its position in the document. */
export type FieldCandidate = {
  value: Scalar;
  /** The line that it begins on, and its position in the text of that line's part. */
  line: Line;
  start: number;
  end: number;
  currency?: string;
  /** The head of its column, if that names it. */
  column?: string;
  reason: string;
  score: number;
  /** Words beside the value name the field; otherwise only its position speaks for it. */
  hasLabel: boolean;
};

/** A negation, another label before the value, or a second value of a range. */
export function isContradicted(field: Field, text: string, { start, end }: ValueReading): boolean {
  const { words } = field;
  const before = text.slice(0, start);
  const after = text.slice(end);
  const labelKind = /\p{L}/u.test(before) ? labelKindOf(before) : undefined;
  const isOther = labelKind !== undefined && labelKind !== words.kind;
  return (
    isOther ||
    isBound(field, before, after) ||
    DENIED.test(before) ||
    RANGE.test(after) ||
    DENIED.test(after.split(/[.;!?]\s/)[0] ?? '')
  );
}

/** Two values with scores this near are equally likely. */
const MARGIN = 0.1;
/** A number, a date or a word of a list is stated once: the same label elsewhere with another one contradicts it. */
const TYPED_MARGIN = 0.4;
/** Rules add up evidence, so that a small lead says less. */
const RULE_MARGIN = 0.3;
const MAX_OTHERS = 5;
const MAX_ROUNDING = 0.05;
/** Reasons of the labelled rules that name words of a sentence instead of a label. */
const IN_SENTENCE = /^behind/;

/** Decides for one value. With equally good labels, other values are its rivals. */
export function decideValue(parsed: ParsedDocument, field: Field): FieldDecision | undefined {
  const due = dueValues(parsed, field);
  const ruled = due.length > 0 ? [] : ruledValues(parsed, field);
  const labelled = due.length > 0 ? due : labelledValues(parsed, field);
  const formed = valuesByForm(parsed, field);
  const candidates = [ruled, formed, labelled].find((group) => group.length > 0) ?? [];
  const [best, ...runnersUp] = candidates;
  if (!best) return undefined;
  const isOther = ({ value }: FieldCandidate) => !isSameValue(field.leaf, value, best.value);
  const margin = candidates === ruled ? RULE_MARGIN : isFreeText(field.leaf) ? MARGIN : TYPED_MARGIN;
  // The sum before it is rounded to what can be paid is not another total.
  const isUnrounded = ({ value }: FieldCandidate) =>
    /after rounding/.test(best.reason) && Math.abs(Number(value) - Number(best.value)) < MAX_ROUNDING;
  const near = runnersUp.filter(
    (candidate) =>
      isOther(candidate) && !isUnrounded(candidate) && candidate.hasLabel && candidate.score >= best.score - margin,
  );
  const others = distinct(field, [...runnersUp, ...labelled].filter(isOther)).slice(0, MAX_OTHERS);
  // A sentence says less than a label: with another one like it, the choice is a judgement, and so it is among forms.
  const isSoft = candidates === ruled ? IN_SENTENCE.test(best.reason) : candidates === formed;
  if (near.length > 0 && isSoft) return { best: { ...best, hasLabel: false }, rivals: [], others };
  return { best, rivals: best.hasLabel ? distinct(field, near) : [], others };
}

export const MAX_ENTRIES = 100;

/** The entries of a list of single values: of a labelled text, or of the list below a heading. */
export function listedValues(parsed: ParsedDocument, field: Field): FieldCandidate[] {
  const listed = belowHeading(field, parsed);
  const [best] = listed.length > 0 ? [] : labelledValues(parsed, { ...field, leaf: { kind: 'string' } });
  const entries = best
    ? inText(field, { line: best.line, text: String(best.value), start: best.start }, parsed)
    : listed;
  return entries.slice(0, MAX_ENTRIES);
}

export function inText(
  field: Field,
  { line, text, start }: TextSpan & { line: Line },
  parsed: ParsedDocument,
): FieldCandidate[] {
  let from = 0;
  return text.split(SEPARATOR).flatMap((piece): FieldCandidate[] => {
    const at = text.indexOf(piece, from);
    from = at + piece.length;
    const reading = firstReading(field, { text: piece, start: start + at }, parsed);
    return reading ? [{ ...reading, line, reason: 'in a labelled list', score: 2, hasLabel: true }] : [];
  });
}

/** The best value, and other values that the document labels as well. */
type FieldDecision = { best: FieldCandidate; rivals: FieldCandidate[]; others: FieldCandidate[] };

const isMoney = ({ words: { kind } }: Field): boolean => kind === 'total' || kind === 'subtotal' || kind === 'tax';

/**
 * A label of money that is not the field's own words, such as `Total Qty`, names it only with decimals or a currency; and of
 * two numbers behind one label none is known to be it.
 */
function isOneAmount(
  { leaf, words }: Field,
  { key, span: { text } }: LabelledSpan,
  { locale }: ParsedDocument,
): boolean {
  const [reading, ...more] = readingsOf(leaf, text, locale);
  if (!reading || more.length > 0) return false;
  return words.keys.has(key) || reading.currency !== undefined || /[.,]\d\d(?!\d)/.test(text);
}

/** Beside a deposit, the amount that is due is what is left of the total. */
const hasDeposit = oncePerDocument((parsed: ParsedDocument) =>
  [...spansByLabel(parsed).byKey.values()].some(([span]) => moneyKindOf(span?.label ?? '')?.kind === 'deposit'),
);

/** All values that a label of the document gives to the field, the best first. */
function labelledValues(parsed: ParsedDocument, field: Field): FieldCandidate[] {
  const { byKey, byKind } = spansByLabel(parsed);
  const spans = new Set([...field.words.keys].flatMap((key) => byKey.get(key) ?? []));
  for (const span of field.words.kind ? (byKind.get(field.words.kind) ?? []) : [])
    if (!hasDeposit(parsed) || moneyKindOf(span.label)?.kind !== 'due') spans.add(span);
  return readSpans(parsed, field, [...spans]);
}

/** What labels such as `balance due` name, where the field is called so. */
function dueValues(parsed: ParsedDocument, field: Field): FieldCandidate[] {
  const spans = field.words.isDue ? (spansByLabel(parsed).byKind.get('total') ?? []) : [];
  return readSpans(
    parsed,
    field,
    spans.filter(({ label }) => moneyKindOf(label)?.kind === 'due'),
  );
}

function readSpans(parsed: ParsedDocument, field: Field, spans: readonly LabelledSpan[]): FieldCandidate[] {
  const candidates = spans.flatMap((labelledSpan): FieldCandidate[] => {
    const reading = firstReading(field, labelledSpan.span, parsed);
    if (!reading || (isMoney(field) && !isOneAmount(field, labelledSpan, parsed))) return [];
    const { line, reason, score, column, isInSentence } = labelledSpan;
    const hasLabel = !isInSentence;
    return [{ ...reading, line, reason, score, hasLabel, ...(column === undefined ? {} : { column }) }];
  });
  // Of sentences that state different values, none is taken.
  const [firstStated, ...otherStated] = candidates.filter(({ hasLabel }) => !hasLabel);
  const isClear = firstStated && otherStated.every(({ value }) => isSameValue(field.leaf, value, firstStated.value));
  return candidates.filter(({ hasLabel }) => hasLabel || isClear).sort((a, b) => b.score - a.score);
}

/** `A deposit of 500 is not due` gives no deposit. */
const DENIED =
  /(?<![\p{L}])(?:not|never|cannot|nicht|nie|kein\p{L}*|pas|nunca|niet|geen|não)(?![\p{L}])|n['’]t(?![\p{L}])/iu;

/** A value stands at the beginning of what the label names. */
const NEAR = 30;

/** `5-7`, `5 to 7` and `3 May or 4 May` are no single value; a time behind a date is not a second one. */
const RANGE = /^\s?(?:[-–—/]|(?:to|or|bis|oder|ou|à|hasta|tot)(?![\p{L}]))\s?(?:[A-Z]{3}\s?|[€£$¥]\s?)?\d(?!\d?:\d\d)/u;

/** The text of its line before and behind a value. */
const aroundValue = ({ line, start, end }: Pick<FieldCandidate, 'line' | 'start' | 'end'>) => ({
  before: line.text.slice(0, Math.max(0, start - line.start)),
  after: line.text.slice(Math.max(0, end - line.start)),
});

function firstReading(field: Field, { text, start }: TextSpan, { locale }: ParsedDocument): ValueReading | undefined {
  const { leaf } = field;
  if (isFreeText(leaf)) {
    const trimmed = text.slice(0, MAX_TEXT).replace(/[*_\s]+$/, '');
    const value = trimmed
      .replaceAll('<br>', ' ')
      .replaceAll(/\s+/g, ' ')
      .replace(/^[*_\s:]+/, '')
      .trim();
    // Behind `Bill to:   Ship to:` stands the next label.
    return /[\p{L}\p{N}]/u.test(value) && !value.endsWith(':')
      ? { value, start, end: start + trimmed.length }
      : undefined;
  }
  const [reading, ...more] = readingsOf(leaf, text, locale);
  if (!reading || reading.start > NEAR || isContradicted(field, text, reading)) return undefined;
  // Words of an enumeration exclude each other.
  if (leaf.values && more.some(({ value }) => value !== reading.value)) return undefined;
  return { ...reading, start: start + reading.start, end: start + reading.end };
}

/** Reasons of the labelled rules in which no words name the value. */
const BY_POSITION = /without a label|alone on a line|beside a time/;

/** What the labelled rule of the field finds, as values of its type. */
function ruledValues(parsed: ParsedDocument, field: Field): FieldCandidate[] {
  const { rule } = field.words;
  const choice = rule && chooseCandidate(rule, parsed);
  if (!choice) return [];
  return [choice.best, ...choice.others].flatMap((candidate): FieldCandidate[] => {
    const value = valueOfCandidate(field, candidate, parsed);
    if (value === undefined) return [];
    const { line, start, end, reason, score } = candidate;
    const { before, after } = aroundValue(candidate);
    if (isBound(field, before, after)) return [];
    const currency = typeof candidate.more?.currency === 'string' ? { currency: candidate.more.currency } : {};
    return [{ value, line, start, end, reason, score, hasLabel: !BY_POSITION.test(reason), ...currency }];
  });
}

function valueOfCandidate({ leaf }: Field, { value, more }: Candidate, { locale }: ParsedDocument): Scalar | undefined {
  const amount = leaf.kind === 'string' ? undefined : more?.amount;
  return valueFrom(leaf, typeof amount === 'string' ? amount : value, locale);
}

const FORMS: Record<FormName, Rule> = {
  ibans,
  vat_numbers: vatNumbers,
  emails,
  phone_numbers: phoneNumbers,
  urls,
};
const MAX_LABEL_BEFORE = 4;

/** Values that are known by their form, such as an IBAN: a label on their line names them, too, or they stand alone. */
function valuesByForm({ lines, locale }: ParsedDocument, { words }: Field): FieldCandidate[] {
  const { form } = words;
  if (!form) return [];
  const candidates = lines.flatMap((line) =>
    FORMS[form](line.text, locale).map(({ value, start, end, more }): FieldCandidate & { isValid: boolean } => {
      const before = line.text
        .slice(Math.max(0, start - MAX_LABEL), start)
        .split(/[\s|]+/)
        .filter((word) => word !== '');
      const hasLabel = Array.from({ length: MAX_LABEL_BEFORE }, (_, at) => before.slice(-1 - at).join(' ')).some(
        (label) => words.keys.has(labelKey(label)),
      );
      const reason = hasLabel ? 'behind its label' : 'by its form';
      const at = { start: line.start + start, end: line.start + end };
      const isValid = more?.valid !== false;
      return { value, line, ...at, reason, score: (hasLabel ? 3 : 1) - (isValid ? 0 : 0.5), hasLabel, isValid };
    }),
  );
  // Check digits prove a number without a label; one with its label is what the document says.
  return candidates.filter(({ isValid, hasLabel }) => isValid || hasLabel).sort((a, b) => b.score - a.score);
}

function distinct({ leaf }: Field, candidates: readonly FieldCandidate[]): FieldCandidate[] {
  return candidates.filter(
    (candidate, at) => candidates.findIndex(({ value }) => isSameValue(leaf, value, candidate.value)) === at,
  );
}

const SEPARATOR = /\s*(?:[;,•·|]|<br>|\s[-–]\s)\s*/g;

const MAX_LINES = 1_000;

/** A bullet that Markdown does not know. */
const BULLET = /^[•·▪‣◦–]\s+/u;

/** An entry of a list, without its mark; undefined for other lines. */
function itemOf({ part, start, text, cells }: Line, { parts }: ParsedDocument): TextSpan | undefined {
  const mark = BULLET.exec(text)?.[0] ?? '';
  const isMarked = /[-*>] +$/.test(parts[part]?.text.slice(Math.max(0, start - 6), start) ?? '');
  return !cells && (isMarked || mark !== '')
    ? { text: text.slice(mark.length), start: start + mark.length }
    : undefined;
}

/** The list below a heading with the name of the field, or right below its label. */
function belowHeading(field: Field, parsed: ParsedDocument): FieldCandidate[] {
  const { lines } = parsed;
  const isNamed = ({ text, cells }: Line) => !cells && field.words.keys.has(labelKey(text));
  const at = lines.findIndex((line, nth) => {
    const next = lines[nth + 1];
    return isNamed(line) && (line.isHeading || (next !== undefined && itemOf(next, parsed) !== undefined));
  });
  const name = lines[at];
  if (!name) return [];
  const below = lines.slice(at + 1, at + 1 + MAX_LINES);
  const end = below.findIndex((line) => line.isHeading || (!name.isHeading && !itemOf(line, parsed)));
  return below.slice(0, end < 0 ? undefined : end).flatMap((line): FieldCandidate[] => {
    const item = itemOf(line, parsed);
    const reading = item && firstReading(field, item, parsed);
    return reading ? [{ ...reading, line, reason: `below "${name.text}"`, score: 2, hasLabel: true }] : [];
  });
}
