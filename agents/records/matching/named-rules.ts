/** The named rules, and their application to the parts of a document. */

import type { Document, DocumentPart } from '../../../engines/documents/document.ts';
import type { SheetTable } from '../../../engines/documents/sheets/sheet.ts';
import type { RuleValue } from '../../../shared/agents/results/processing.ts';
import type { LabelledName, ListName, RuleName } from '../../../shared/agents/rule-names.ts';
import { oneLine } from '../../../shared/core/one-line.ts';
import { amounts } from '../../values/amounts.ts';
import { emails, phoneNumbers, urls } from '../../values/contacts.ts';
import { crownsIn } from '../../values/currencies.ts';
import { dates, dayFirstIn } from '../../values/dates.ts';
import { ibans, invoiceNumbers, vatNumbers } from '../../values/identifiers.ts';
import { keyValuePairs } from '../../values/key-value-pairs.ts';
import { percentages } from '../../values/percentages.ts';
import type { DocumentLocale, Rule, RuleMatch } from '../../values/rule.ts';
import { MAX_ROWS, tables } from '../../values/tables.ts';
import { chooseCandidate, LABELLED_RULES, toParsedDocument } from '../invoices/labelled-rules.ts';
import type { Candidate } from './parsed-document.ts';

export const NAMED_RULES = {
  dates,
  amounts,
  percentages,
  emails,
  phone_numbers: phoneNumbers,
  urls,
  ibans,
  vat_numbers: vatNumbers,
  invoice_numbers: invoiceNumbers,
  tables,
  key_value_pairs: keyValuePairs,
} as const satisfies Record<ListName, Rule>;

export type FoundValue = RuleValue & { rule: RuleName; place: string; excerpt: string };

/** The maximum amount of values kept for one document. */
export type ValueLimits = { values: number; characters: number };
type ValuesInput = Pick<Document, 'parts' | 'sheets'> & { rules: readonly RuleName[]; most: ValueLimits };

/** The values that the rules find in a document, each once, and how many of them are more than are kept. */
export function namedValues({ rules, most: limits, ...document }: ValuesInput): { values: FoundValue[]; left: number } {
  const distinctValues = distinct(applyToDocument(document, rules));
  const values = within(distinctValues, limits);
  return { values, left: distinctValues.length - values.length };
}

/**
 * Applies the rules to the document's text, and `tables` to its sheets if it has any: the text of a long sheet comes in
 * pieces.
 */
export function applyToDocument(
  { parts, sheets }: Pick<Document, 'parts' | 'sheets'>,
  rules: readonly RuleName[],
): FoundValue[] {
  const lists = rules.filter((rule) => !isLabelled(rule));
  const fromText = sheets ? lists.filter((rule) => rule !== 'tables') : lists;
  const values = [...applyLabelled(parts, rules.filter(isLabelled)), ...applyRules(parts, fromText)];
  if (!sheets || !lists.includes('tables')) return values;
  return [...values, ...sheets.flatMap((sheet) => sheet.tables.flatMap((table) => foundTable(table, sheet.hidden)))];
}

/** Applies the rules to each part that a person sees. */
export function applyRules(allParts: readonly DocumentPart[], rules: readonly ListName[]): FoundValue[] {
  const parts = allParts.filter(({ hidden }) => !hidden);
  const locale = localeOfParts(parts);
  const values: FoundValue[] = [];
  for (const { label, text } of parts) {
    for (const piece of piecesOf(text)) {
      for (const rule of rules) {
        values.push(
          ...NAMED_RULES[rule](piece, locale).map((match) => toFoundValue(piece, { rule, place: label, match })),
        );
      }
    }
  }
  return values;
}

export function localeOfParts(parts: readonly DocumentPart[]): DocumentLocale {
  let text = '';
  for (const part of parts) {
    if (text.length > MAX_READ) break;
    text += `${part.text.slice(0, MAX_READ)}\n`;
  }
  return { dayFirst: dayFirstIn(text), assumesDayFirst: !isAmerican(text), crowns: crownsIn(text) };
}

export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.lastIndexOf('\n', from + PIECE);
    const to = text.length - from <= PIECE ? text.length : end > from ? end + 1 : from + PIECE;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

const isLabelled = (rule: RuleName): rule is LabelledName => rule in LABELLED_RULES;

/** Longer parts are cut at the end of a line, which limits the text that a pattern runs over. */
const PIECE = 20_000;
const MAX_TEXT = 400;
const AROUND = 80;
/** Reads this much of a document to learn its habits. */
const MAX_READ = 1_000_000;

/** Removes repeated values with the same excerpt at the same place. */
function distinct(values: readonly FoundValue[]): FoundValue[] {
  const seenKeys = new Set<string>();
  return values.filter(({ rule, value, place, excerpt }) => {
    const key = JSON.stringify([rule, value, place, excerpt]);
    return !seenKeys.has(key) && seenKeys.add(key);
  });
}

/** The limit on characters is needed for tables: a few of them can be as long as the document. */
function within(values: readonly FoundValue[], limits: ValueLimits): FoundValue[] {
  const keptValues: FoundValue[] = [];
  let remaining = limits.characters;
  for (const value of values.slice(0, limits.values)) {
    remaining -= JSON.stringify(value).length;
    if (remaining < 0) break;
    keptValues.push(value);
  }
  return keptValues;
}

/** Each labelled rule reads the whole document that a person sees. */
function applyLabelled(allParts: readonly DocumentPart[], rules: readonly LabelledName[]): FoundValue[] {
  if (rules.length === 0) return [];
  const parts = allParts.filter(({ hidden }) => !hidden);
  const parsed = toParsedDocument(parts, localeOfParts(parts));
  const values: FoundValue[] = [];
  for (const rule of rules) {
    const toLabelledValue = (candidate: Candidate) => {
      const { label, text } = parts[candidate.line.part] as DocumentPart;
      return { ...toFoundValue(text, { rule, place: label, match: candidate }), reason: candidate.reason };
    };
    const choice = chooseCandidate(rule, parsed);
    if (!choice) continue;
    const candidates = choice.others.map((candidate) => {
      const { rule: _, excerpt: __, ...otherFields } = toLabelledValue(candidate);
      return otherFields;
    });
    values.push({ ...toLabelledValue(choice.best), candidates });
  }
  return values;
}

/** Titles and pairs in front of a header are rows without a header, and not tables. */
function foundTable(table: SheetTable, isHidden: boolean): FoundValue[] {
  if (table.headerRows === 0) return [];
  const { header, units, place, rowCount, hiddenRows } = table;
  const rows = table.rows.slice(0, MAX_ROWS);
  const value = header.join(' | ').slice(0, MAX_TEXT);
  return [
    {
      rule: 'tables',
      value,
      text: value,
      place,
      excerpt: value,
      header,
      rows: rows.map((row) => row.map(({ text }) => text)),
      values: rows.map((row) => row.map((cell) => cell.value)),
      columns: header.map((name, column) => ({ name, ...columnType(table, column), unit: units?.[column] || null })),
      row_count: rowCount,
      ...(isHidden ? { hidden: true as const } : {}),
      ...(hiddenRows.length > 0 ? { hidden_rows: hiddenRows.filter((row) => row < MAX_ROWS) } : {}),
    },
  ];
}

/** The type and currency that all filled cells of a column share. */
function columnType({ rows }: SheetTable, column: number): { type: string; currency: string | null } {
  const filled = rows.flatMap((row) => (row[column] && row[column].type !== 'empty' ? [row[column]] : []));
  const types = new Set(filled.map(({ type }) => type));
  const currencies = new Set(filled.map(({ currency = null }) => currency));
  const [type = 'empty'] = types;
  const [currency = null] = currencies;
  return { type: types.size > 1 ? 'mixed' : type, currency: currencies.size > 1 ? null : currency };
}

const STATES =
  'A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|PR|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]';
const STATE_WITH_ZIP = new RegExp(`\\b(?:${STATES}),? \\d{5}(?:-\\d{4})?\\b`);

/** Looks for a US state with a ZIP code, or for dollars and no other currency. */
const isAmerican = (text: string): boolean =>
  STATE_WITH_ZIP.test(text) ||
  (/(?:^|[^A-Z])\$ ?\d|\bUSD\b/.test(text) && !/[€£]|\b(?:EUR|GBP|CHF|RM|MYR|SGD)\b/.test(text));

type MatchPlace = { rule: RuleName; place: string; match: RuleMatch };

function toFoundValue(piece: string, { rule, place, match: { start, end, value, more } }: MatchPlace): FoundValue {
  const text = oneLine(piece.slice(start, end)).slice(0, MAX_TEXT);
  // The further details of a rule are those of its values.
  const details = more as Partial<RuleValue> | undefined;
  return { ...details, rule, value: value.slice(0, MAX_TEXT), text, place, excerpt: excerptOf(piece, start, end) };
}

/** Returns the line, or the words of it around the value if the line is long. */
function excerptOf(piece: string, start: number, end: number): string {
  const stop = Math.min(end, start + MAX_TEXT);
  const lineStart = piece.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = piece.indexOf('\n', stop);
  const from = Math.max(lineStart, start - AROUND);
  const to = Math.min(lineEnd < 0 ? piece.length : lineEnd, stop + AROUND);
  const left = from > lineStart ? piece.slice(from, start).replace(/^\S*\s/, '') : piece.slice(from, start);
  const right = to < piece.length ? piece.slice(stop, to).replace(/\s\S*$/, '') : piece.slice(stop, to);
  return `${left}${piece.slice(start, stop)}${to === lineEnd ? piece.slice(stop, to) : right}`.trim();
}
