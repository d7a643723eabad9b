/** Tables of documents as they are queried: columns with plain names and types, from sheets or from Markdown. */
import type { Document, DocumentPart } from '../document.ts';
import type { SheetCell, SheetTable } from './sheet.ts';

type QueryColumnType = 'number' | 'date' | 'boolean' | 'text';

/** `column` is the name in SQL, `heading` the one in the document. Other columns than texts have their shown text in `<column>_text`. */
export type QueryColumn = { column: string; heading: string; type: QueryColumnType };

export type QueryTable = {
  place: string;
  columns: QueryColumn[];
  rows: { texts: string[]; values: (string | number | null)[]; isTotal: boolean }[];
};

/** Rows without a header, such as a list of one column, are no table to count in. */
const MIN_COLUMNS = 2;
export const MAX_TABLES = 50;
const MAX_QUERY_COLUMNS = 200;

export function toQueryTables({ sheets, parts }: Pick<Document, 'sheets' | 'parts'>): QueryTable[] {
  const allTables = sheets
    ? sheets.filter(({ hidden }) => !hidden).flatMap(({ tables }) => tables.flatMap(sheetTable))
    : markdownTables(parts);
  return allTables.filter(({ columns, rows }) => columns.length >= MIN_COLUMNS && rows.length > 0).slice(0, MAX_TABLES);
}

/** What a person does not see is not counted. */
function sheetTable({ place, header, units, rows, hiddenRows, hiddenColumns }: SheetTable): QueryTable[] {
  if (header.length === 0) return [];
  const hidden = new Set(hiddenRows);
  const visibleColumns = header.flatMap((_, at) => (hiddenColumns.includes(at) ? [] : [at]));
  const headings = visibleColumns.map((at) =>
    [header[at], units?.[at] ? `(${units[at]})` : ''].filter(Boolean).join(' '),
  );
  const visibleRows = rows.filter((_, at) => !hidden.has(at));
  return [
    toQueryTable(
      place,
      headings,
      visibleRows.map((row) => visibleColumns.map((at): QueryCell => cellOf(row[at]))),
    ),
  ];
}

/** A text without a type yet, or a value whose type is known. */
type QueryCell = { text: string; typedValue?: { type: QueryColumnType; value: string | number } };

/** A time of day, which is not a date. */
const TIME = /^\d\d:\d\d:\d\d$/;

function cellOf(cell: SheetCell | undefined): QueryCell {
  const { text = '', type = 'empty', value = null } = cell ?? {};
  if (type === 'boolean') return { text, typedValue: { type, value: value ? 1 : 0 } };
  if (type === 'date' && typeof value === 'string') {
    const isTime = TIME.test(value);
    return { text, typedValue: isTime ? { type: 'text', value: value.replace(/:00$/, '') } : { type, value } };
  }
  return typeof value === 'number' ? { text, typedValue: { type: 'number', value: exact(value) } } : { text };
}

/** Removes what binary arithmetic added to a decimal, as in 0.1 + 0.2. */
const exact = (value: number): number => Number(value.toPrecision(15));

const ROW = /^\s*\|(.*)\|\s*$/;
const RULE = /^[|\s:-]+$/;

type WrittenTable = { place: string; header: string[]; rows: string[][] };

function markdownTables(parts: readonly DocumentPart[]): QueryTable[] {
  const tables: WrittenTable[] = [];
  for (const table of parts.filter(({ hidden }) => !hidden).flatMap(tablesIn)) {
    const last = tables.at(-1);
    // A table that goes on in the next part has the same header there.
    if (last && last.header.join('|') === table.header.join('|')) last.rows.push(...table.rows);
    else tables.push(table);
  }
  return tables.map(({ place, header, rows }) =>
    toQueryTable(
      place,
      header,
      rows.map((row) => header.map((_, at): QueryCell => ({ text: row[at] ?? '' }))),
    ),
  );
}

function tablesIn({ label, text }: DocumentPart): WrittenTable[] {
  const lines = text.split('\n');
  const isRow = (at: number) => ROW.test(lines[at] ?? '');
  const isHeader = (at: number) => isRow(at) && RULE.test(lines[at + 1] ?? '') && lines[at + 1]?.includes('-');
  const tables: WrittenTable[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!isHeader(at)) continue;
    const table: WrittenTable = { place: label, header: cellsOf(lines[at] ?? ''), rows: [] };
    for (at += 2; isRow(at); at++) table.rows.push(cellsOf(lines[at] ?? ''));
    tables.push(table);
  }
  return tables;
}

const cellsOf = (row: string): string[] =>
  (ROW.exec(row)?.[1] ?? '').split(/(?<!\\)\|/).map((cell) =>
    withoutLeader(
      cell
        .replaceAll('\\|', '|')
        .replaceAll(/[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}$/g, '')
        .trim(),
    ),
  );

const MIN_LEADER = 4;
/** `Monthly . . . . . .` leads the eye to its amount. */
function withoutLeader(cell: string): string {
  let end = cell.length;
  while (end > 0 && /[. ]/.test(cell.charAt(end - 1))) end--;
  return cell.slice(end).split('.').length > MIN_LEADER ? cell.slice(0, end) : cell;
}

const TOTAL =
  /^(?:grand |sub-?)?(?:totals?|sums?|summe|gesamt(?:summe)?|insgesamt|zwischensumme|total g[ée]n[ée]ral|totaal|totale|suma)\b[\s:]*(?:\p{L}+\s?){0,3}:?$/iu;

function toQueryTable(place: string, headings: readonly string[], rows: readonly QueryCell[][]): QueryTable {
  const width = Math.min(headings.length, MAX_QUERY_COLUMNS);
  const readers = Array.from({ length: width }, (_, column) =>
    columnReader(rows.map((row) => row[column] ?? { text: '' })),
  );
  if (isData(headings, readers))
    return toQueryTable(place, Array<string>(width).fill(''), [headings.map((text) => ({ text })), ...rows]);
  const names = distinctNames(headings.slice(0, width));
  const values = rows.map((row) => readers.map(({ read }, at) => read(row[at] ?? { text: '' })));
  const isSummed = isSumOfRows(values, readers);
  return {
    place,
    columns: readers.map(({ type }, at) => ({ column: names[at] ?? '', heading: headings[at] ?? '', type })),
    rows: rows.map((row, nth) => ({
      texts: row.slice(0, width).map(({ text }) => text),
      values: values[nth] ?? [],
      isTotal:
        (isSummed && nth === rows.length - 1) || TOTAL.test((row.find(({ text }) => text !== '')?.text ?? '').trim()),
    })),
  };
}

const MIN_SUMMED = 3;
const ROUNDING = 0.005;

/** A last row is a total, whatever it is called, if a number in it is the sum of those above and another cell is empty. */
function isSumOfRows(values: readonly (string | number | null)[][], readers: readonly ColumnReader[]): boolean {
  const above = values.slice(0, -1);
  const last = values.at(-1) ?? [];
  const sums = readers.flatMap(({ type }, at) => {
    const numbers = above.map((row) => Number(row[at] ?? 0));
    const sum = last[at];
    const isCounted = type === 'number' && numbers.filter(Boolean).length >= MIN_SUMMED;
    return isCounted && typeof sum === 'number'
      ? [Math.abs(numbers.reduce((total, number) => total + number, 0) - sum) < ROUNDING]
      : [];
  });
  const isLessFilled = last.some((cell, at) => cell === null && above.every((row) => row[at] !== null));
  return isLessFilled && sums.length > 0 && sums.every(Boolean);
}

/** A year or a small number may head a column. */
const MAY_HEAD = /^(?:\d{1,4}|)$/;

/** A table on its second page has no header: its first row holds an amount or a day above each column of them. */
function isData(headings: readonly string[], readers: readonly ColumnReader[]): boolean {
  const above = readers.flatMap(({ type, read }, at) =>
    type === 'number' || type === 'date' ? [{ read, heading: (headings[at] ?? '').trim() }] : [],
  );
  return (
    above.length > 0 && above.every(({ read, heading }) => !MAY_HEAD.test(heading) && read({ text: heading }) !== null)
  );
}

const RESERVED = new Set(['row', 'is_total', 'rowid', 'oid', '_rowid_']);

function distinctNames(headings: readonly string[]): string[] {
  const usedNames = new Set(RESERVED);
  return headings.map((heading, at) => {
    const words = heading
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 60);
    const base = words === '' ? `column_${at + 1}` : /^\d/.test(words) ? `c_${words}` : words;
    let name = base;
    for (let again = 2; usedNames.has(name) || usedNames.has(`${name}_text`); again++) name = `${base}_${again}`;
    usedNames.add(name);
    usedNames.add(`${name}_text`);
    return name;
  });
}

type ColumnReader = { type: QueryColumnType; read(cell: QueryCell): string | number | null };

/** A column has a type if most of its cells have it; what does not fit is null, and stands in the shown text. */
const MOST_CELLS = 2 / 3;

function columnReader(cells: readonly QueryCell[]): ColumnReader {
  const filled = cells.filter(({ text }) => text.trim() !== '');
  const parseDay = dayReader(filled);
  const parseNumber = numberReader(filled);
  const readers: ColumnReader[] = [
    { type: 'boolean', read: ({ typedValue }) => (typedValue?.type === 'boolean' ? typedValue.value : null) },
    {
      type: 'date',
      read: ({ text, typedValue }) =>
        typedValue ? (typedValue.type === 'date' ? typedValue.value : null) : parseDay(text),
    },
    {
      type: 'number',
      read: ({ text, typedValue }) =>
        typedValue ? (typedValue.type === 'number' ? typedValue.value : null) : parseNumber(text),
    },
  ];
  const isMissing = ({ text }: QueryCell) => /^(?:[-–—.?]+|n\/?a|none|null|k\.? ?a\.?)$/i.test(text.trim());
  const counted = filled.filter((cell) => !isMissing(cell));
  const fits = ({ read }: ColumnReader) =>
    counted.length > 0 && counted.filter((cell) => read(cell) !== null).length >= counted.length * MOST_CELLS;
  const isNamed = areNames(counted.map(({ text }) => text.trim()));
  const text: ColumnReader = {
    type: 'text',
    read: ({ text, typedValue }) => (typedValue?.type === 'text' ? typedValue.value : text.trim() || null),
  };
  return (isNamed ? undefined : readers.find(fits)) ?? text;
}

/** Numbers that differ all, beside single letters, name things: boats 7, 5 and A. */
function areNames(texts: readonly string[]): boolean {
  const letters = texts.filter((text) => /^\p{L}{1,2}$/u.test(text)).length;
  const numbers = texts.filter((text) => /^\d{1,4}$/.test(text)).length;
  return letters > 0 && letters + numbers === texts.length && new Set(texts).size === texts.length;
}

/** Other letters right before a number belong to a code, as in INV7. */
const CURRENCY =
  /^(?:[A-Z]{3}\s|EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|[$€£¥₹]|US\$|Rs\.?|kr\.?|zł|Kč)\s*|\s*(?:[A-Z]{3}|[$€£¥₹%]|kr\.?|zł|Kč)$/gu;
/** Programs write large numbers as 1e+05. */
const POINT = /^[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d{1,2})?$/;
const COMMA = /^[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?$/;
/** Leading zeros belong to codes, as in postcodes. */
const CODE = /^0\d/;
const MAX_DIGITS = 15;

/** Decides by all cells of a column whether commas part decimals. */
function numberReader(cells: readonly QueryCell[]): (cellText: string) => number | null {
  const texts = cells.flatMap(({ text, typedValue }) => (typedValue ? [] : [bareNumber(text)]));
  const commas = texts.filter((text) => COMMA.test(text)).length;
  const points = texts.filter((text) => POINT.test(text)).length;
  const isComma = commas > points || (commas === points && texts.some((text) => /,\d{1,2}$/.test(text)));
  return (cellText) => {
    const text = bareNumber(cellText);
    if (!(isComma ? COMMA : POINT).test(text) || CODE.test(text.replace(/^[-+]/, ''))) return null;
    const plain = isComma ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '');
    if (plain.replaceAll(/\D/g, '').replace(/^0+/, '').length > MAX_DIGITS) return null;
    const value = Number(plain);
    return /%\s*$/.test(cellText) ? exact(value / 100) : value;
  };
}

function bareNumber(cellText: string): string {
  const text = cellText
    .trim()
    .replaceAll(/[\u00a0\u202f\u2009']/g, '')
    .replaceAll('−', '-');
  const [, inside] = /^\((.*)\)$/.exec(text) ?? [];
  const sign = inside === undefined ? '' : '-';
  const sole = (inside ?? text).trim();
  const [, minus = '', unsigned = sole] = /^([-+])\s*(.*)$/.exec(sole) ?? [];
  return `${sign || minus}${unsigned
    .replaceAll(CURRENCY, '')
    .replaceAll(/(?<=\d) (?=\d{3}\b)/g, '')
    .trim()}`;
}

const MONTHS = [
  'jan',
  'feb|fév|fev',
  'mar|mär|mrz',
  'apr|avr',
  'may|mai',
  'jun|juin',
  'jul|juil',
  'aug|aoû|aou',
  'sep',
  'oct|okt',
  'nov',
  'dec|dez|déc',
].map((names) => new RegExp(`^(?:${names})`, 'i'));
/** A year has two digits only behind a day and a month of two, since `1.2.10` may be a number of a chapter. */
const NUMERIC_DAY = /^(?:(\d{1,2})([./-])(\d{1,2})\2(\d{4})|(\d{2})([./])(\d{2})\6(\d{2}))(?:[T ,].*)?$/;
const numericDay = (text: string): { first: string; sign: string; second: string; year: string } | undefined => {
  const [, first, sign, second, year, shortFirst, shortSign, shortSecond, short] = NUMERIC_DAY.exec(text.trim()) ?? [];
  if (first !== undefined) return { first, sign: sign ?? '', second: second ?? '', year: year ?? '' };
  if (shortFirst === undefined) return undefined;
  const century = Number(short) < THIS_CENTURY ? '20' : Number(short) >= LAST_CENTURY ? '19' : undefined;
  if (century === undefined) return undefined;
  return { first: shortFirst, sign: shortSign ?? '', second: shortSecond ?? '', year: `${century}${short}` };
};
/** A contract may end in '35, and a person be born in it: such years are not read. */
const THIS_CENTURY = 30;
const LAST_CENTURY = 70;
const NAMED_DAY =
  /^(?:\p{L}{2,9}\.?,? )?(?:(\d{1,2})(?:\.|st|nd|rd|th)? (\p{L}{3,10})\.?|(\p{L}{3,10})\.? (\d{1,2})),? (\d{4})$/u;
const ISO_DAY = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?$/;

/** A numeric day is read only if the column, or its sign, tells the day from the month. */
function dayReader(cells: readonly QueryCell[]): (cellText: string) => string | null {
  const parts = cells.flatMap(({ text, typedValue }) => (typedValue ? [] : (numericDay(text) ?? [])));
  const order = parts.some(({ first }) => Number(first) > 12)
    ? 'dmy'
    : parts.some(({ second }) => Number(second) > 12)
      ? 'mdy'
      : parts.some(({ sign }) => sign === '.')
        ? 'dmy'
        : null;
  return (cellText) => {
    const text = cellText.trim();
    if (ISO_DAY.test(text)) return text.replace(' ', 'T');
    const numeric = numericDay(text);
    if (!numeric) return namedDay(text);
    const { first, second, year } = numeric;
    return order && (order === 'dmy' ? isoDay(year, second, first) : isoDay(year, first, second));
  };
}

function namedDay(text: string): string | null {
  const [, before, monthAfter, monthBefore, after, year = ''] = NAMED_DAY.exec(text) ?? [];
  const month = MONTHS.findIndex((names) => names.test(monthAfter ?? monthBefore ?? ''));
  return month < 0 ? null : isoDay(year, String(month + 1), before ?? after ?? '');
}

function isoDay(year: string, month: string, day: string): string | null {
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(iso);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso) ? iso : null;
}
