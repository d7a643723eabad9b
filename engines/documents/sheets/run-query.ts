/** Runs one SELECT over tables in SQLite as WebAssembly, in a thread of the caller's organization. See ADR 53. */
import { readFile } from 'node:fs/promises';
import Big from 'big.js';
import initSqlite, { type Database, type SqlJsStatic, type SqlValue } from 'sql.js';
import { MAX_TABLES, type QueryColumn, type QueryTable } from './query-tables.ts';
import { sheetOf } from './sheet.ts';

type QueryTableDescription = {
  table: string;
  file: number;
  name: string;
  place: string;
  rows: number;
  columns: QueryColumn[];
  /** The tables whose rows this one has together, as those of a sheet for each year. */
  parts?: string[];
};

/** The rows of a table that a figure rests on: the first of them, and how many. */
type UsedRows = { table: string; file: number; name: string; place: string; rows: number[]; count: number };

type QueryResult = {
  columns: string[];
  rows: (string | number | null)[][];
  /** Further rows, or a row that was too long, were left out. */
  truncated?: true;
  /** Absent if the statement is too complex to tell. */
  used?: UsedRows[];
  /** The figures were calculated again from the rows that were used. */
  recomputed?: true;
};

export type QueryReply = { tables: QueryTableDescription[]; result?: QueryResult; error?: string };

const QUERY_LIMITS = {
  rows: 10_000,
  characters: 1_000_000,
  sqlCharacters: 20_000,
  heapBytes: 128_000_000,
  usedRows: 50,
} as const;

export type NamedTable = QueryTable & { file: number; name: string };

/**
 * `onStart` is called when the tables are loaded and the statement begins. After an error the thread must not be used
 * again: the database is still open, and SQLite may be broken.
 */
export async function runQuery(
  namedTables: readonly NamedTable[],
  sql: string | undefined,
  sqliteFile: string,
  onStart: () => void,
): Promise<QueryReply> {
  const tables = namedTables.map((table, at) => ({ ...table, table: `t${at + 1}` }));
  const single = tables.map(({ rows, ...table }): QueryTableDescription => ({ ...table, rows: rows.length }));
  const views = continuedTables(tables);
  const described = [...single, ...views.map(({ described: view }) => view)];
  if (sql === undefined) return { tables: described };
  try {
    checkText(sql);
    const db = await databaseWith(tables, views, sqliteFile);
    onStart();
    const result = runStatement(db, sql, described);
    db.close();
    return { tables: described, result };
  } catch (error) {
    // A text of SQLite names the statement's own words. A trap of WebAssembly is a limit, too.
    return { tables: described, error: error instanceof Error ? error.message.slice(0, 500) : 'The statement failed.' };
  }
}

class InvalidQuery extends Error {}

function checkText(sql: string): void {
  if (sql.length > QUERY_LIMITS.sqlCharacters)
    throw new InvalidQuery(`A statement has at most ${QUERY_LIMITS.sqlCharacters} characters.`);
  if (!/^\s*(?:select|with)\b/i.test(outline(sql))) throw new InvalidQuery('Only one SELECT or WITH is allowed.');
}

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const SQL_TYPE = { number: 'REAL', boolean: 'INTEGER', date: 'TEXT', text: 'TEXT' } as const;

/** One instance for all statements of a thread, each with a database of its own. */
let loaded: Promise<SqlJsStatic> | undefined;

async function loadSqlite(sqliteFile: string): Promise<SqlJsStatic> {
  const bytes = await readFile(sqliteFile);
  return initSqlite({
    wasmBinary: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
  });
}

type NumberedTable = NamedTable & { table: string };

async function databaseWith(
  tables: readonly NumberedTable[],
  views: readonly View[],
  sqliteFile: string,
): Promise<Database> {
  loaded ??= loadSqlite(sqliteFile);
  const db = new (await loaded).Database();
  db.run(`PRAGMA hard_heap_limit=${QUERY_LIMITS.heapBytes}; PRAGMA temp_store=MEMORY; BEGIN`);
  for (const { table, columns, rows } of tables) {
    const fields = columns.flatMap(({ column, type }) => [
      `${quoteName(column)} ${SQL_TYPE[type]}`,
      ...(type === 'text' ? [] : [`${quoteName(`${column}_text`)} TEXT`]),
    ]);
    db.run(`CREATE TABLE ${table} ("row" INTEGER PRIMARY KEY, "is_total" INTEGER, ${fields.join(', ')})`);
    const insert = db.prepare(`INSERT INTO ${table} VALUES (${'?, '.repeat(fields.length + 1)}?)`);
    for (const [at, { texts, values, isTotal }] of rows.entries()) {
      const cells = columns.flatMap(({ type }, column): SqlValue[] =>
        type === 'text' ? [values[column] ?? null] : [values[column] ?? null, texts[column] ?? ''],
      );
      insert.run([at + 1, isTotal ? 1 : 0, ...cells]);
    }
    insert.free();
  }
  for (const { described, sql } of views) db.run(`CREATE VIEW ${described.table} AS ${sql}`);
  db.run('COMMIT; PRAGMA query_only=ON');
  return db;
}

type View = { described: QueryTableDescription; sql: string };

/** What tells the sheets of one table apart, by its kind; the sheets of a year are not those of a month. */
const PERIODS: readonly [kind: string, pattern: RegExp][] = [
  ['year', /(?<!\d)(?:19|20)\d\d(?:[-–/]\d\d(?:\d\d)?)?(?!\d)/gu],
  ['quarter', /(?<!\p{L})(?:q ?[1-4]|[1-4]\. ?quartal|t[1-4])(?![\p{L}\d])/giu],
  ['half', /(?<!\p{L})(?:h[12]|s[12]|[12]\. ?halbjahr)(?![\p{L}\d])/giu],
  ['week', /(?<!\p{L})(?:week|wk|kw|woche|semaine|semana) ?\d{1,2}(?!\d)/giu],
  [
    'month',
    /(?<!\p{L})(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[eé]vr?(?:ier)?|mar(?:ch|s|zo)?|m[aä]rz|mrz|apr(?:il)?|avr(?:il)?|may|mai|mayo|june?|juin|juni|july?|juil(?:let)?|juli|aug(?:ust)?|ao[uû]t|sept?(?:ember|embre)?|oct(?:ober|obre)?|okt(?:ober)?|nov(?:ember|embre)?|de[cz](?:ember)?|d[eé]c(?:embre)?|enero|ene|febrero|abril|abr|junio|julio|agosto|ago|septiembre|octubre|noviembre|diciembre|dic)(?!\p{L})/giu,
  ],
  [
    'season',
    /(?<!\p{L})(?:spring|summer|autumn|fall|winter|fr[uü]hjahr|fr[uü]hling|sommer|herbst|printemps|[eé]t[eé]|automne|hiver|primavera|verano|oto[nñ]o|invierno)(?!\p{L})/giu,
  ],
];
/** The name of a sheet with the kinds of its periods in their place. */
const kindOfSheet = (place: string): string =>
  PERIODS.reduce((name, [kind, pattern]) => name.replaceAll(pattern, `<${kind}>`), sheetOf(place));

/**
 * The tables of a workbook that go on from sheet to sheet, each as one more table: their headings are the same, and the names of
 * their sheets differ in a period alone.
 */
function continuedTables(tables: readonly NumberedTable[]): View[] {
  const kindOf = ({ file, place, columns }: NumberedTable) =>
    JSON.stringify([file, kindOfSheet(place), ...columns.map(({ heading }) => heading)]);
  // Of a file with so many tables, some may not have been read.
  const isWhole = ({ file }: NumberedTable) => tables.filter((table) => table.file === file).length < MAX_TABLES;
  const periodic = tables.filter((table) => kindOfSheet(table.place) !== sheetOf(table.place) && isWhole(table));
  const groups = [...Map.groupBy(periodic, kindOf).values()];
  return groups.filter(isOneTable).map((parts, at) => viewOf(parts, `t${tables.length + at + 1}`));
}

/** What stands on two of the sheets, such as the staff of each month, would be counted twice. */
function isOneTable(parts: readonly NumberedTable[]): boolean {
  const [{ columns } = { columns: [] }] = parts;
  const areApart = new Set(parts.map(({ place }) => sheetOf(place))).size === parts.length;
  const areAlike = columns.every((_, at) => commonType(parts, at) !== undefined);
  const isEntityColumn = columns.map((_, at) => commonType(parts, at) !== 'number');
  const entities = parts.flatMap(({ rows }) => [
    ...new Set(
      rows
        .filter(({ isTotal }) => !isTotal)
        .map(({ texts }) => JSON.stringify(texts.filter((_, at) => isEntityColumn[at]))),
    ),
  ]);
  const areOnce = new Set(entities).size === entities.length;
  return parts.length > 1 && areApart && areAlike && areOnce;
}

/** The type of a column in all parts; a column without a value has none of its own. */
function commonType(parts: readonly NumberedTable[], at: number): QueryColumn['type'] | undefined {
  const filled = parts.filter(({ rows }) => rows.some(({ values }) => values[at] !== null));
  const [type = 'text', secondType] = new Set(filled.flatMap(({ columns }) => columns[at]?.type ?? []));
  return secondType ? undefined : type;
}

const SHEET: QueryColumn = { column: 'sheet', heading: 'Sheet', type: 'text' };

function viewOf(parts: readonly NumberedTable[], table: string): View {
  const [{ file, name, columns: first } = { file: 0, name: '', columns: [] }] = parts;
  const columns = first.map((column, at) => ({ ...column, type: commonType(parts, at) ?? column.type }));
  const selects = parts.map(({ table: part, place, columns: partColumns }, nth) => {
    const fields = columns.flatMap(({ column, type }, at) => {
      const value = quoteName(partColumns[at]?.column ?? '');
      const text = partColumns[at]?.type === 'text' ? value : quoteName(`${partColumns[at]?.column}_text`);
      return [
        `${value} AS ${quoteName(column)}`,
        ...(type === 'text' ? [] : [`${text} AS ${quoteName(`${column}_text`)}`]),
      ];
    });
    const before = parts.slice(0, nth).reduce((sum, { rows }) => sum + rows.length, 0);
    const sheet = `'${sheetOf(place).replaceAll("'", "''")}' AS ${quoteName(SHEET.column)}`;
    return `SELECT "row" + ${before} AS "row", "is_total", ${[...fields, sheet].join(', ')} FROM ${part}`;
  });
  const place = parts.map((part) => sheetOf(part.place)).join(' and ');
  const rows = parts.reduce((sum, part) => sum + part.rows.length, 0);
  const described = {
    table,
    file,
    name,
    place,
    rows,
    columns: [...columns, SHEET],
    parts: parts.map((part) => part.table),
  };
  return { described, sql: selects.join(' UNION ALL ') };
}

function runStatement(db: Database, sql: string, tables: readonly QueryTableDescription[]): QueryResult {
  // A window cannot use the exact sum, so these statements use SQLite's own.
  if (!/\bover\b/i.test(outline(sql))) addExactFunctions(db);
  db.create_function('fold', (text: SqlValue) => (text === null ? null : foldText(String(text))));
  const { columns, rows, isWhole } = rowsOf(db, sql);
  const result: QueryResult = { columns, rows, ...(isWhole ? {} : { truncated: true as const }) };
  const source = sourceOf(sql, tables);
  if (!source) return result;
  const used = source.tables.flatMap(({ alias, described }) => usedRows(db, source, alias, partsOf(described, tables)));
  return { ...result, used, ...(areConfirmed(db, source, rows) ? { recomputed: true } : {}) };
}

type Part = Pick<QueryTableDescription, 'table' | 'file' | 'name' | 'place'> & { from: number; to: number };

/** The tables of a view with the rows that are theirs, or the table itself. */
function partsOf(described: QueryTableDescription, tables: readonly QueryTableDescription[]): Part[] {
  let from = 0;
  const parts = tables.filter(({ table }) => described.parts?.includes(table) ?? table === described.table);
  return parts.map(({ rows, ...part }) => {
    from += rows;
    return { ...part, from: from - rows, to: from };
  });
}

function usedRows(db: Database, source: Source, alias: string, parts: readonly Part[]): UsedRows[] {
  const used = parts.map(({ table, file, name, place, from, to }) => {
    const row = `CASE WHEN ${alias}."row" > ${from} AND ${alias}."row" <= ${to} THEN ${alias}."row" END`;
    const [[count = 0] = []] = rowsOf(db, `SELECT count(DISTINCT ${row}) ${source.from}`).rows;
    const first = rowsOf(
      db,
      `SELECT DISTINCT ${row} ${source.from} ORDER BY 1 NULLS LAST LIMIT ${QUERY_LIMITS.usedRows}`,
    ).rows;
    const rows = first.flatMap(([rowNumber]) =>
      rowNumber === null || rowNumber === undefined ? [] : [Number(rowNumber) - from],
    );
    return { table, file, name, place, rows, count: Number(count) };
  });
  // Of a view, the sheets without such a row are not named.
  const nonEmpty = used.filter(({ count }) => count > 0);
  return nonEmpty.length > 0 ? nonEmpty : used.slice(0, 1);
}

const foldText = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

function rowsOf(
  db: Database,
  sql: string,
): { columns: string[]; rows: (string | number | null)[][]; isWhole: boolean } {
  const statements = db.iterateStatements(sql);
  const { value: statement } = statements.next();
  if (!statement) throw new InvalidQuery('The statement is empty.');
  if (outline(statements.getRemainingSQL()).replaceAll(/[\s;]/g, '') !== '')
    throw new InvalidQuery('Only one statement is allowed.');
  const rows: (string | number | null)[][] = [];
  let characters = 0;
  const ended = (isWhole: boolean) => {
    const columns = statement.getColumnNames();
    // The text of the statement is freed only at the end of the iterator.
    statements.next();
    return { columns, rows, isWhole };
  };
  while (statement.step()) {
    const row = statement.get().map(plainValue);
    characters += row.reduce<number>((sum, value) => sum + String(value).length + 3, 0);
    if (rows.length === QUERY_LIMITS.rows || characters > QUERY_LIMITS.characters) return ended(false);
    rows.push(row);
  }
  return ended(true);
}

/** Binary arithmetic is rounded to 15 digits, as decimals were written. */
function plainValue(value: SqlValue): string | number | null {
  if (value instanceof Uint8Array) return `(${value.length} bytes)`;
  return typeof value === 'number' && !Number.isSafeInteger(value) ? Number(value.toPrecision(15)) : value;
}

const DIGITS = 15;
const decimal = (value: number): Big =>
  new Big(Number.isSafeInteger(value) ? value : Number(value.toPrecision(DIGITS)));
/** A number if it has no more digits than a number holds, else the decimal as text. */
const figureOf = (sum: Big): number | string => (sum.c.length <= DIGITS ? sum.toNumber() : sum.toFixed());

/** Adds decimals exactly. Whole numbers are added apart, as that is faster. */
type ExactSum = { whole: number; fraction: Big; count: number };
const emptySum = (): ExactSum => ({ whole: 0, fraction: new Big(0), count: 0 });

function addTo(sum: ExactSum, value: unknown): ExactSum {
  const number = typeof value === 'string' ? Number.parseFloat(value) || 0 : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return sum;
  sum.count++;
  if (Number.isSafeInteger(number) && Number.isSafeInteger(sum.whole + number)) sum.whole += number;
  else sum.fraction = sum.fraction.plus(decimal(number));
  return sum;
}
const totalOf = ({ whole, fraction }: ExactSum): Big => fraction.plus(whole);
const averageOf = (sum: ExactSum): number | null =>
  sum.count === 0 ? null : Number(totalOf(sum).div(sum.count).toNumber().toPrecision(DIGITS));

/** Missing in the package's types. */
type WithAggregates = {
  create_aggregate(
    name: string,
    functions: {
      init(): ExactSum;
      step(sum: ExactSum, value: unknown): ExactSum;
      finalize(sum: ExactSum): number | string | null;
    },
  ): void;
};

function addExactFunctions(db: Database): void {
  const add = (name: string, finalize: (sum: ExactSum) => number | string | null) =>
    (db as unknown as WithAggregates).create_aggregate(name, { init: emptySum, step: addTo, finalize });
  add('sum', (sum) => (sum.count === 0 ? null : figureOf(totalOf(sum))));
  add('total', (sum) => figureOf(totalOf(sum)));
  add('avg', averageOf);
}

/** What a SELECT lists: a plain aggregate over one expression, or another expression, and the name it gets. */
type Item = { expression: string; aggregate?: string; name?: string };
type Source = {
  from: string;
  tables: { alias: string; described: QueryTableDescription }[];
  items: Item[];
  /** The terms of GROUP BY. */
  groups: string[];
};

/**
 * The statement with strings, quoted names, comments and everything in brackets blanked, at the same length: what is
 * left are its own clauses.
 */
function outline(sql: string): string {
  let depth = 0;
  return sql.replaceAll(
    /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[()]|[\s\S]/g,
    (token) => {
      if (token === ')') depth = Math.max(0, depth - 1);
      const isKept = depth === 0 && token.length === 1;
      if (token === '(') depth++;
      return isKept ? token : ' '.repeat(token.length);
    },
  );
}

/** Finds the rows behind a plain SELECT over tables, without a set operation and without a SELECT in its FROM. */
function sourceOf(sql: string, tables: readonly QueryTableDescription[]): Source | undefined {
  const clauses = outline(sql);
  const at = (clause: RegExp): number => clauses.search(clause);
  const from = at(/\bfrom\b/i);
  if (!/^\s*select\b/i.test(clauses) || from < 0 || /\b(?:union|intersect|except|window|over)\b/i.test(clauses))
    return undefined;
  const [where, group, end] = [at(/\bwhere\b/i), at(/\bgroup\s+by\b/i), at(/\b(?:having|order\s+by|limit)\b/i)];
  const [groupBy = ''] = /\bgroup\s+by\b/i.exec(clauses) ?? [];
  const { length } = sql.trimEnd().replace(/;$/, '');
  const stop = [group, end].filter((position) => position > from).sort((a, b) => a - b)[0] ?? length;
  const tableList = clauses.slice(from + 4, where > from ? where : stop);
  if (/[()]/.test(tableList)) return undefined;
  const matches = [
    ...tableList.matchAll(
      /(?:^|,|\bjoin\b)\s*(t\d+)(?:\s+(?:as\s+)?(?!(?:join|left|right|inner|cross|natural|full|on|using)\b)([a-z_]\w*))?/gi,
    ),
  ];
  const used = matches.flatMap(([, table = '', alias = table]) => {
    const described = tables.find((candidate) => candidate.table === table.toLowerCase());
    return described ? [{ alias, described }] : [];
  });
  if (used.length === 0 || used.length !== (tableList.match(/,|\bjoin\b/gi)?.length ?? 0) + 1) return undefined;
  return {
    from: `${sql.slice(from, stop)}\n`,
    tables: used,
    items: listedIn(sql, clauses, /^\s*select\s/i.exec(clauses)?.[0].length ?? 0, from).map(toItem),
    groups: group < 0 ? [] : listedIn(sql, clauses, group + groupBy.length, end > group ? end : length),
  };
}

/** The parts between the commas of a clause. */
function listedIn(sql: string, clauses: string, start: number, end: number): string[] {
  const commas = [...clauses.slice(start, end).matchAll(/,/g)].map(({ index }) => start + index);
  return [...commas, end].map((stop, nth) => sql.slice(nth === 0 ? start : (commas[nth - 1] ?? 0) + 1, stop).trim());
}

function toItem(text: string): Item {
  const [, aggregate, argument = ''] =
    /^(count|sum|avg|min|max|total)\s*\(([\s\S]*)\)(?:\s+(?:as\s+)?(?:\w+|"[^"]*"))?$/i.exec(text) ?? [];
  const isPlain = /^\([^\S\n]*\)$/.test(outline(`(${argument})`)) && !/^\s*distinct\b|,/i.test(outline(argument));
  if (aggregate !== undefined && isPlain) return { aggregate: aggregate.toLowerCase(), expression: argument };
  const [, expression = text, name] = /^([\s\S]*?)\s+as\s+(\w+)$/i.exec(text) ?? [];
  return { expression, ...(name ? { name } : {}) };
}

/** The place in the result of what GROUP BY names by its number, its expression, or a name that no column has. */
function placeOf(term: string, { items, tables }: Source): number {
  if (/^\d+$/.test(term)) return Number(term) - 1;
  const isTerm = (text: string | undefined): boolean => text?.toLowerCase() === term.toLowerCase();
  const isColumn = tables.some(({ described: { columns } }) =>
    columns.some(({ column }) => isTerm(column) || isTerm(`${column}_text`)),
  );
  return items.findIndex(({ expression, name }) => isTerm(expression) || (!isColumn && isTerm(name)));
}

type Row = (string | number | null)[];

/**
 * Calculates each figure again from the rows of its group, and throws if one differs. Returns false for a result that has
 * other expressions than plain aggregates and groups.
 */
function areConfirmed(db: Database, source: Source, rows: readonly Row[]): boolean {
  const { items, groups } = source;
  const keys = items.flatMap(({ aggregate }, at) => (aggregate === undefined ? [at] : []));
  const places = groups.map((term) => placeOf(term, source));
  const isGrouped = keys.every((at) => places.includes(at)) && places.every((at) => keys.includes(at));
  if (!isGrouped || keys.length === items.length) return false;
  const keyOf = (row: Row) => JSON.stringify(keys.map((at) => row[at]));
  if (new Set(rows.map(keyOf)).size < rows.length) return false;
  const values = valuesByGroup(db, source, keyOf);
  for (const row of rows) {
    const again = items.map(({ aggregate = '' }, at) => REDUCED[aggregate]?.(values.get(keyOf(row))?.[at] ?? []));
    const wrong = again.findIndex((figure, at) => figure !== undefined && figure !== row[at]);
    if (wrong >= 0)
      throw new InvalidQuery(
        `The figure ${row[wrong]} could not be confirmed from its rows, which give ${again[wrong]}.`,
      );
  }
  return true;
}

/** What each aggregate is calculated from, for each group. */
function valuesByGroup(db: Database, { items, from }: Source, keyOf: (row: Row) => string) {
  const expressions = items.map(({ expression }) => (expression.trim() === '*' ? '1' : `(${expression})`));
  const values = new Map<string, (string | number)[][]>();
  for (const statement of db.iterateStatements(`SELECT ${expressions.join(', ')} ${from}`)) {
    while (statement.step()) {
      const row = statement.get().map(plainValue);
      const groupValues = values.get(keyOf(row)) ?? items.map(() => []);
      values.set(keyOf(row), groupValues);
      for (const [at, value] of row.entries()) if (value !== null) groupValues[at]?.push(value);
    }
  }
  return values;
}

const REDUCED: Record<string, (values: readonly (string | number)[]) => number | string | null> = {
  count: (values) => values.length,
  sum: (values) => (values.length === 0 ? null : figureOf(totalOf(values.reduce(addTo, emptySum())))),
  total: (values) => figureOf(totalOf(values.reduce(addTo, emptySum()))),
  avg: (values) => averageOf(values.reduce(addTo, emptySum())),
  min: (values) =>
    values.reduce<string | number | null>(
      (least, value) => (least === null || isLess(value, least) ? value : least),
      null,
    ),
  max: (values) =>
    values.reduce<string | number | null>(
      (largest, value) => (largest === null || isLess(largest, value) ? value : largest),
      null,
    ),
};

/** In the order of SQLite: numbers in front of texts, texts by their bytes. */
function isLess(a: string | number, b: string | number): boolean {
  if (typeof a !== typeof b) return typeof a === 'number';
  return typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) < 0 : a < Number(b);
}
