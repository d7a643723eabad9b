/** The tables that a model saves: its values checked and typed by column, and shown to it as their readers will see them. */

import Big from 'big.js';
import { MAX_PERCENT_DECIMALS, type OutputCell, plainValue, shownValue } from '../../engines/outputs/output-cells.ts';
import { type OutputSheet, writeCsv } from '../../engines/outputs/workbook.ts';

/** A sheet as the model passes it. */
export type TableSheet = { name: string; columns: TableColumn[]; rows: TableValue[][] };

type TableColumn = {
  heading: string;
  type: 'text' | 'number' | 'percent' | 'currency' | 'date' | 'boolean';
  currency?: string | undefined;
};
type TableValue = string | number | boolean | null;

/** The sheet with its header and typed cells, or what does not fit its column. */
export function typedSheet({ name, columns, rows }: TableSheet): OutputSheet | { error: string } {
  const decimals = columns.map((_, at) => sharedDecimals(rows.map((row) => row[at] ?? null)));
  const typed: OutputCell[][] = [columns.map(({ heading }) => heading)];
  for (const [at, row] of rows.entries()) {
    if (row.length > columns.length)
      return { error: `Sheet ${name}, row ${at + 1} has ${row.length} values for ${columns.length} columns.` };
    const cells: OutputCell[] = [];
    for (const [position, column] of columns.entries()) {
      const cell = typedCell(column, row[position] ?? null, decimals[position] ?? 0);
      if (cell === undefined)
        return {
          error: `Sheet ${name}, row ${at + 1}: ${JSON.stringify(row[position])} in ${JSON.stringify(column.heading)} is not a ${column.type}. ${FORMS[column.type]}`,
        };
      cells.push(cell);
    }
    typed.push(cells);
  }
  return { name, rows: typed };
}

/** Texts of a workbook's sheets as a spreadsheet shows them, as CSV. */
export const shownSheets = (sheets: readonly OutputSheet[]): string =>
  sheets.map(({ name, rows }) => `${name}\n${rows.map(shownCsvLine).join('')}`).join('\n');

export const csvText = ([sheet]: readonly OutputSheet[]): string => writeCsv(sheet?.rows ?? []);

/** What the answer of the tool shows: enough to see a mistake at once, and bounded for tables of any size. */
const PREVIEW = { rows: 3, cellCharacters: 60, lineCharacters: 600, characters: 4_000 };

type ShownSheet = { sheet: string; lines: string[] };

/** The header and the first rows as a reader will see them, as many as fit. */
export function firstRows(sheets: readonly OutputSheet[], format: 'xlsx' | 'csv'): ShownSheet[] {
  const textOfCell = format === 'xlsx' ? shownValue : plainValue;
  let remaining = PREVIEW.characters;
  const shortened = (text: string, limit: number) =>
    text.length > limit ? `${text.slice(0, limit - 1).toWellFormed()}…` : text;
  return sheets.flatMap(({ name, rows }) => {
    const lines = rows.slice(0, PREVIEW.rows + 1).flatMap((row) => {
      if (remaining < 2) return [];
      const cells = row.map((cell) => shortened(textOfCell(cell).replaceAll(/\s+/g, ' '), PREVIEW.cellCharacters));
      const line = shortened(cells.join(' | '), Math.min(remaining, PREVIEW.lineCharacters));
      remaining -= line.length;
      return [line];
    });
    return lines.length > 0 ? [{ sheet: shortened(name, PREVIEW.cellCharacters), lines }] : [];
  });
}

/** Names the columns of percentages that look like fractions. They may be right, so the table is saved. */
export function fractionNote(sheets: readonly TableSheet[]): string | undefined {
  const notes = sheets.flatMap(({ columns, rows }) =>
    columns.flatMap(({ heading, type }, at) => {
      const values = rows.flatMap((row) => row[at] ?? []).filter((value) => value !== '');
      const example = type === 'percent' ? exampleOfFractions(values) : undefined;
      if (example === undefined) return [];
      const percentage = new Big(example).times(100).toFixed();
      return [
        `No value of ${JSON.stringify(heading.slice(0, PREVIEW.cellCharacters))} is above 1 %: ${example} is shown as ${example} %; write ${percentage} for ${percentage} %.`,
      ];
    }),
  );
  return notes.length === 0 ? undefined : notes.slice(0, MAX_NOTES).join(' ');
}

const FORMS: Record<TableColumn['type'], string> = {
  text: '',
  number: 'Write 1234.5, without separators of thousands and without a unit.',
  percent: 'Write 63.3 for 63.3 %.',
  currency: 'Write 1234.50 and name the currency of the column.',
  date: 'Write 2026-03-31 or 2026-03-31T14:30.',
  boolean: 'Write true or false.',
};

const DECIMAL = /^-?\d{1,300}(?:\.\d{1,300})?$/;
const DAY = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?$/;

/** Undefined if the value does not fit the column. An empty cell fits every column. */
function typedCell({ type, currency }: TableColumn, value: TableValue, decimals: number): OutputCell | undefined {
  if (value === null || value === '') return '';
  const text = textOf(value);
  switch (type) {
    case 'text':
      return String(value);
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? { type, value: /^true$/i.test(text) } : undefined;
    case 'date':
      return DAY.test(text) && !Number.isNaN(Date.parse(text)) ? { type, value: text } : undefined;
    case 'currency':
      return DECIMAL.test(text) && currency && /^[A-Z]{3}$/.test(currency)
        ? { type, value: text, currency }
        : undefined;
    case 'percent': {
      const percentage = percentageIn(value);
      return percentage === undefined
        ? undefined
        : { type, value: new Big(percentage).times('0.01').toFixed(), decimals };
    }
    case 'number':
      return DECIMAL.test(text) ? { type, value: text } : undefined;
  }
}

/** Numbers without an exponent. */
const textOf = (value: string | number | boolean): string =>
  typeof value === 'number' && Number.isFinite(value) ? new Big(value).toFixed() : String(value);

/**
 * The decimal in `63.3`, `63.3 %` or `63,3 %`. A comma before three digits may separate thousands, unless nothing but a zero
 * stands before it, so such a text is none.
 */
function percentageIn(value: string | number | boolean): string | undefined {
  const [, sign = '', whole = '', mark = '', decimals = ''] =
    /^([-−+]?)(\d{1,300})(?:([.,])(\d{1,300}))?\s*%?$/.exec(textOf(value).trim()) ?? [];
  if (whole === '' || (mark === ',' && decimals.length === 3 && whole !== '0')) return undefined;
  return `${/[-−]/.test(sign) ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`;
}

/** As many decimals as the percentages of a column have. */
function sharedDecimals(values: readonly TableValue[]): number {
  const counts = values.map((value) => percentageIn(value ?? '')?.split('.')[1]?.length ?? 0);
  return counts.reduce((max, count) => Math.max(max, Math.min(MAX_PERCENT_DECIMALS, count)), 0);
}

/** Nobody opens this text in a spreadsheet, so signs of formulas stay as the workbook shows them. */
const shownCsvLine = (row: readonly OutputCell[]): string =>
  `${row
    .map(shownValue)
    .map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(',')}\r\n`;

const MAX_NOTES = 5;

/** The first value that is neither 0 nor 1, if all lie between them. A value with its sign means what it says. */
function exampleOfFractions(values: readonly (string | number | boolean)[]): string | undefined {
  const percentages = values.map((value) => (String(value).includes('%') ? undefined : percentageIn(value)));
  const isFraction = (text: string | undefined) => text !== undefined && new Big(text).abs().lte(1);
  if (!percentages.every(isFraction)) return undefined;
  return percentages.find((text) => text !== undefined && !/^-?[01](?:\.0+)?$/.test(text));
}
