/** The number of an invoice or receipt, its date, and the date on which it is due. */

import { dates } from '../../values/dates.ts';
import { phrasesIn, phrasesPattern } from '../../values/phrases.ts';
import type { RuleMatch } from '../../values/rule.ts';
import {
  type Candidate,
  candidateAt,
  type Line,
  oncePerDocument,
  type ParsedDocument,
  spansOf,
  type TextSpan,
  valueCounts,
} from '../matching/parsed-document.ts';
import { type DateKind, dateKindOf, INVOICE_NAMES, NUMBER_LABELS } from './labels.ts';
import TERMS from './payment-terms.json' with { type: 'json' };

const UNTIL_WORDS = phrasesPattern(TERMS['pay until'].until);

const TOKEN = '(?:[A-Z] )?(?=[\\p{L}\\d/._-]*\\d)[\\p{L}\\d](?:[\\p{L}\\d/._-]{0,38}[\\p{L}\\d])?';
const NUMBERED = NUMBER_LABELS.map(({ weight, words }) => ({
  weight,
  right: new RegExp(
    `(?<![\\p{L}])(?:${words})(?![\\p{L}])[ \\t\\u00a0:：.;,#*|-]{0,60}(?<number>${TOKEN})(?![\\p{L}\\d]|:\\d)`,
    'giu',
  ),
  alone: new RegExp(`^(?:${words})[ :.#]{0,3}$`, 'iu'),
  ends: new RegExp(`(?<![\\p{L}])(?:${words})[ :.#]{0,3}$`, 'iu'),
}));
/** A number after the document's name and something between: `Rechnung (380) 05.06.2026 Nr. 471102`. */
const APART = new RegExp(
  `(?<!\\p{L})${INVOICE_NAMES}(?!\\p{L}).{0,30}?\\b(?:nr|no|n[°º]|number)\\.?[ :#]{1,3}(?<number>(?=[\\p{L}/._-]{0,38}\\d)[\\p{L}\\d][\\p{L}\\d/._-]{1,38})(?![\\p{L}\\d])`,
  'giu',
);
const WHOLE = new RegExp(`^#? ?(?<number>${TOKEN})$`, 'u');
const FIRST = new RegExp(`^#? ?(?<number>${TOKEN})(?![\\p{L}\\d]|:\\d)`, 'u');
const MAX_STRETCH = 400;

const UNKNOWN_LOCALE = { dayFirst: undefined, assumesDayFirst: true, crowns: undefined };

export function invoiceNumber({ lines }: ParsedDocument): Candidate[] {
  return lines.flatMap((line, at): Candidate[] => {
    const early = at < 40 ? 0.3 : 0;
    const stretches = spansOf(line);
    return stretches.flatMap((stretch, column) => [
      ...beside(line, stretch, early),
      ...(line.cells ? inCell(line, column, early) : [...under(lines, at, early), ...underDate(lines, at, early)]),
    ]);
  });
}

export function issueDate(parsed: ParsedDocument): Candidate[] {
  const allDates = datesOfDocument(parsed);
  const issueDates = allDates.filter(({ kind }) => kind === undefined || kind === 'issue');
  const counts = valueCounts(issueDates);
  const bonus = counts.size === 1 ? 1 : 0;
  return issueDates.map((date) => ({
    ...date,
    score: date.score + ((counts.get(date.value) ?? 0) > 1 ? 0.4 : 0) + bonus,
  }));
}

/** The date on which the whole is due; until an earlier one, a discount may be taken. */
export function dueDate(parsed: ParsedDocument): Candidate[] {
  const stated = datesOfDocument(parsed).flatMap((date): Candidate[] => {
    if (date.due === 'whole' && isUntil(parsed, date)) return [{ ...date, score: Math.max(date.score, 3) + 0.5 }];
    if (date.kind !== 'due') return [];
    return [{ ...date, score: date.due === 'less discount' ? date.score / 3 : date.score }];
  });
  return stated.some(({ score }) => score > 1.5) ? stated : [...stated, ...byTerms(parsed)];
}

/** Rejects dates, amounts with cents, years and the country codes of taxes. */
function isNumber(token: string): boolean {
  const isDate = dates(token, UNKNOWN_LOCALE).some(({ start, end }) => start === 0 && end === token.length);
  return !isDate && !/^\d{1,6}[.,]\d\d$/.test(token) && token.length > 2 && !/^(?:19|20)\d\d$/.test(token);
}

function beside(line: Line, { text, start: from }: TextSpan, early: number): Candidate[] {
  const short = text.slice(0, MAX_STRETCH);
  const patterns = [...NUMBERED.map(({ weight, right }) => [weight, right] as const), [2.5, APART] as const];
  return patterns.flatMap(([weight, pattern]) =>
    Array.from(short.matchAll(pattern)).flatMap((match) => {
      const value = match.groups?.number ?? '';
      const end = match.index + match[0].length;
      const label = match[0].slice(0, match[0].length - value.length).trim();
      const evidence = { from, score: weight + early - (short.length > 200 ? 0.5 : 0), reason: `right of "${label}"` };
      return isNumber(value) ? [candidateAt(line, { start: end - value.length, end, value }, evidence)] : [];
    }),
  );
}

/** A cell right of its label, or below it in the table. */
function inCell(line: Line, column: number, early: number): Candidate[] {
  const cell = line.cells?.[column];
  const value = WHOLE.exec(cell?.text.replace(/^: ?/, '') ?? '')?.groups?.number;
  if (!cell || value === undefined || !isNumber(value)) return [];
  const start = cell.text.indexOf(value);
  return [
    ['right of', line.cells?.[column - 1]?.text ?? ''] as const,
    ['in the column', line.head?.[column]?.text ?? ''] as const,
  ].flatMap(([where, label]) => {
    const labelPattern = NUMBERED.find(({ alone }) => alone.test(label));
    if (!labelPattern) return [];
    const evidence = { from: cell.start, score: labelPattern.weight + early, reason: `${where} "${label}"` };
    return [candidateAt(line, { start, end: start + value.length, value }, evidence)];
  });
}

/**
 * Labels and values on two lines with single spaces between them, such as `Customer Invoice-No. Date` over
 * `780 3713552 11.08.2025`: the date shows which value stands below which label.
 */
function underDate(lines: readonly Line[], at: number, early: number): Candidate[] {
  const [line, next] = [lines[at] as Line, lines[at + 1]];
  if (!next || line.cells || next.cells || line.text.length > MAX_ROW || next.text.length > MAX_ROW) return [];
  const label = ALONE.exec(line.text);
  const labelPattern = label && NUMBERED.find(({ ends }) => ends.test(line.text.slice(0, label.index)));
  if (!labelPattern || labelPattern.weight < 2) return [];
  const [date, ...moreDates] = dates(next.text, UNKNOWN_LOCALE);
  const value =
    date && moreDates.length === 0 ? (/\S+$/.exec(next.text.slice(0, date.start).trimEnd())?.[0] ?? '') : '';
  const start = next.text.lastIndexOf(value, date?.start);
  if (!WHOLE.test(value) || !isNumber(value)) return [];
  const evidence = {
    score: labelPattern.weight + early - 0.5,
    reason: `below "${line.text.slice(0, label.index).trim().slice(-40)}"`,
  };
  return [candidateAt(next, { start, end: start + value.length, value }, evidence)];
}

const MAX_ROW = 120;
/** The label of a date between others. */
const ALONE = /(?<=\S )(?:date|datum|fecha|data|dato)(?= |$)/iu;

/** A label at the end of a short line names what the next line begins with; between columns, what stands below it. */
function under(lines: readonly Line[], at: number, early: number): Candidate[] {
  const [line, next] = [lines[at] as Line, lines[at + 1]];
  if (!next || next.cells || line.text.length > MAX_STRETCH) return [];
  const labels = columnsIn(line.text);
  const isOnly = labels.length === 1;
  return labels.flatMap(({ text, start, end }): Candidate[] => {
    const below = columnsIn(next.text).find((other) => isOnly || (other.start < end && other.end > start));
    const value = (isOnly ? FIRST : WHOLE).exec(below?.text ?? '')?.groups?.number;
    const isBare = /^\d{5,}$/.test(next.text.trim());
    const labelPattern = NUMBERED.find(({ ends, alone, weight }) =>
      isOnly ? text.length < 60 && (weight > 1.5 || (isBare && alone.test(text))) && ends.test(text) : alone.test(text),
    );
    if (!labelPattern || !below || value === undefined || !isNumber(value)) return [];
    const from = below.start + below.text.indexOf(value);
    const match = { start: from, end: from + value.length, value };
    const score = Math.max(labelPattern.weight + early - (isOnly ? 0.7 : 0.2), isBare ? 1.6 : 0);
    return [candidateAt(next, match, { score, reason: `below "${text.trim()}"` })];
  });
}

const LOOK_BACK = 60;
/** A time beside a date is that of a sale. */
const TIME = /^[ \u00a0T,-]{0,3}(?:\([^)]{2,9}\) ?)?\d{1,2}[:.]\d\d/;
/** The name of the document before a date: `Facture n° 12 du 2 juillet 2026`. */
const DOCUMENT = new RegExp(`(?<!\\p{L})(?:${INVOICE_NAMES}|receipt)(?!\\p{L}).{0,60}$`, 'iu');

type DocumentDate = Candidate & { kind: DateKind | undefined; at: number; due: Due };

/** `Please pay the amount by`, `Bitte überweisen Sie den Betrag bis zum`. */
const PAY_UNTIL = new RegExp(
  `(?<!\\p{L})${phrasesPattern(TERMS['pay until'].pay)}(?!\\p{L})[^.;]{0,50}(?<!\\p{L})${UNTIL_WORDS}\\W*$`,
  'iu',
);

/** The stretches of a line between wide gaps, as plain texts have them. */
const columnsIn = (text: string): { text: string; start: number; end: number }[] =>
  Array.from(text.slice(0, MAX_STRETCH).matchAll(/\S+(?: {1,2}\S+)*/g), (match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));

/** The label is what stands between the last other value and the date. */
const lastPhrase = (before: string): string => before.split(/[;|]|\d{3,}|\. /).at(-1) ?? '';

/** What the terms of payment say of a date or a number of days: the whole is due then, or only less a discount. */
const DISCOUNT = phrasesIn(TERMS.discount);
const WHOLE_SUM = phrasesIn(TERMS['whole sum']);
/** Terms stand in a short sentence. */
const MAX_TERM = 200;

/** Whether the row of a cell has a value in the column of discounts. */
const isDiscountRow = ({ cells = [], head = [] }: Line): boolean =>
  head.some(({ text }, column) => DISCOUNT.test(text) && /\d/.test(cells[column]?.text ?? ''));

/** All dates of the document, each with the kind that its label names and how surely. */
const datesOfDocument = oncePerDocument(({ lines, locale }): DocumentDate[] =>
  lines.flatMap((line, at) =>
    spansOf(line).flatMap((stretch, column) => {
      const text = stretch.text.slice(0, MAX_STRETCH * 5);
      let from = 0;
      const matches = dates(text, locale);
      return matches.flatMap((match, nth) => {
        const before = text.slice(Math.max(from, match.start - LOOK_BACK), match.start);
        const due = dueBy(text.slice(from, match.start), text.slice(match.end, matches[nth + 1]?.start));
        from = match.end;
        if (match.value.length < 10) return [];
        const label = dateLabel({ lines, line, at, column, text, match, before, isFirst: nth === 0 });
        const early = at < 40 ? 0.3 : 0;
        const candidate = candidateAt(line, match, {
          from: stretch.start,
          score: label.score + early,
          reason: label.reason,
        });
        return [{ ...candidate, kind: label.kind, at, due: line.cells && isDiscountRow(line) ? 'less discount' : due }];
      });
    }),
  ),
);

type DateSurroundings = {
  lines: readonly Line[];
  line: Line;
  at: number;
  column: number;
  text: string;
  match: RuleMatch;
  before: string;
  isFirst: boolean;
};
type DateLabel = { kind: DateKind | undefined; score: number; reason: string };

function dateLabel(around: DateSurroundings): DateLabel {
  const { at, before } = around;
  if (PAY_UNTIL.test(before)) return { kind: 'due', score: 2.4, reason: 'until when to pay' };
  const direct = dateKindOf(lastPhrase(before));
  if (direct) return { kind: direct.kind, score: direct.weight, reason: `right of "${before.trim().slice(-40)}"` };
  if (DOCUMENT.test(before)) return { kind: 'issue', score: 2.5, reason: 'behind the name of the document' };
  const indirect = besideCell(around) ?? leftOf(around) ?? belowLabel(around) ?? byPlace(around);
  return indirect ?? { kind: undefined, score: at < 25 ? 1 : 0.5, reason: 'without a label' };
}

/** The label in the cell to the left, or in the head of the column. */
function besideCell({ line, column, isFirst }: DateSurroundings): DateLabel | undefined {
  const left = line.cells?.slice(0, column).findLast((cell) => cell.text.trim() !== '')?.text ?? '';
  const head = line.head?.[column]?.text ?? '';
  for (const [label, where] of [
    [left, 'right of'],
    [head, 'in the column'],
  ] as const) {
    const kind = label.length < LOOK_BACK ? dateKindOf(label) : undefined;
    if (kind && isFirst) return { kind: kind.kind, score: kind.weight, reason: `${where} "${label.trim()}"` };
  }
  return undefined;
}

/** The label behind a date at the beginning of its line: `20-10-2026 Invoice date:`. */
function leftOf({ text, match }: DateSurroundings): DateLabel | undefined {
  const label = /^[ \u00a0]*(?<label>[^\d:]{3,30}):/u.exec(text.slice(match.end))?.groups?.label;
  const kind = label === undefined || match.start > 2 ? undefined : dateKindOf(label);
  return kind && { kind: kind.kind, score: kind.weight - 0.5, reason: `left of "${label?.trim()}"` };
}

function belowLabel({ lines, at, match }: DateSurroundings): DateLabel | undefined {
  const above = lines[at - 1];
  if (!above || above.cells || above.text.length >= MAX_STRETCH || lines[at]?.cells) return undefined;
  const columns = columnsIn(above.text);
  const over =
    columns.length > 1
      ? columns.find(({ start, end }) => start < match.end && end > match.start)?.text
      : match.start < 3 && above.text.length < LOOK_BACK && !/\d/.test(above.text)
        ? above.text
        : undefined;
  const kind = over === undefined ? undefined : dateKindOf(over);
  return kind && { kind: kind.kind, score: kind.weight - 0.5, reason: `below "${over?.trim()}"` };
}

/** Without a label: beside a time, or alone on a line at the beginning. */
function byPlace({ line, at, text, match }: DateSurroundings): DateLabel | undefined {
  if (TIME.test(text.slice(match.end))) return { kind: 'issue', score: 1.6, reason: 'beside a time' };
  const isAlone = !line.cells && text.trim().length - (match.end - match.start) < 4 && at < 25;
  return isAlone ? { kind: 'issue', score: 1.5, reason: 'alone on a line at the beginning' } : undefined;
}

const UNTIL = new RegExp(`${UNTIL_WORDS}\\W*$`, 'iu');
const isUntil = ({ parts }: ParsedDocument, { line, start, kind }: DocumentDate): boolean =>
  kind === 'due' || UNTIL.test(parts[line.part]?.text.slice(Math.max(0, start - 20), start) ?? '');

/** A paper that states no date, but days: they are counted from its own date, if it has a sure one. */
function byTerms(parsed: ParsedDocument): Candidate[] {
  const terms = daysOfPayment(parsed);
  const [issued] = terms.length === 0 ? [] : issueDate(parsed).toSorted((a, b) => b.score - a.score);
  if (!issued || issued.score < 2) return [];
  return terms.map(({ line, from, start, end, days, isWhole }) => {
    const due = new Date(issued.value);
    due.setUTCDate(due.getUTCDate() + days);
    const reason = `${days} days after the issue date ${issued.value}`;
    return candidateAt(
      line,
      { start, end, value: due.toISOString().slice(0, 10) },
      { from, score: isWhole ? 2.4 : 2.2, reason },
    );
  });
}

type Due = 'whole' | 'less discount' | undefined;

/** What the words around a date say: those behind it up to the next date, or else those before it. */
function dueBy(before: string, behind: string): Due {
  for (const text of [behind.slice(0, MAX_TERM), before.slice(-MAX_TERM)]) {
    if (WHOLE_SUM.test(text)) return 'whole';
    if (DISCOUNT.test(text)) return 'less discount';
  }
  return undefined;
}

const PAYMENT = phrasesIn(TERMS.payment);
const DAYS = new RegExp(
  `(?<![\\p{L}\\d]|\\d[.,])(?<days>\\d{1,3}) ?(?:calendar |kalender)?${phrasesPattern(TERMS.days)}(?!\\p{L})|(?<!\\p{L})net(?:to)?[ -](?<net>\\d{1,3})(?![\\p{L}\\d]| ?%|[.,]\\d)`,
  'giu',
);
/** Days that are counted from something else, or to something else than the payment. */
const OTHER = phrasesIn(TERMS['counted from or for something else']);
const MAX_DAYS = 180;

type DaysOfPayment = { line: Line; from: number; start: number; end: number; days: number; isWhole: boolean };

/** The days within which the whole is to be paid, counted from the date of the invoice: `Net 30`, `zahlbar binnen 14 Tagen`. */
const daysOfPayment = ({ lines }: ParsedDocument): DaysOfPayment[] =>
  lines.flatMap((line, at) => {
    const above = lines[at - 1]?.text.slice(0, MAX_TERM) ?? '';
    return spansOf(line).flatMap((span, column) => daysIn(line, span, column === 0 ? above : line.cells?.[0]?.text));
  });

function daysIn(line: Line, { text, start: from }: TextSpan, context = ''): DaysOfPayment[] {
  let start = 0;
  return text
    .slice(0, 10 * MAX_TERM)
    .split(/(?<=[;,\n]|\p{L}\. )/u)
    .flatMap((clause) => {
      const at = start;
      start += clause.length;
      const isTerm = clause.length <= MAX_TERM && !OTHER.test(clause) && PAYMENT.test(`${context} ${clause}`);
      const isWhole = WHOLE_SUM.test(clause);
      if (
        !isTerm ||
        (!isWhole && (DISCOUNT.test(`${clause} ${text.slice(start, start + 40)}`) || clause.includes('%')))
      )
        return [];
      return Array.from(clause.matchAll(DAYS)).flatMap((match): DaysOfPayment[] => {
        const days = Number(match.groups?.days ?? match.groups?.net);
        const place = { start: at + match.index, end: at + match.index + match[0].length };
        return days > 0 && days <= MAX_DAYS ? [{ line, from, ...place, days, isWhole }] : [];
      });
    });
}
