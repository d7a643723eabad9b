/** Suggests an output schema from a document: its labelled values and the columns of its tables, without a model. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { CellType, Sheet, SheetTable } from '../../../engines/documents/sheets/sheet.ts';
import { SCHEMA_LIMITS, type SchemaLeaf } from '../../../shared/agents/output-schema.ts';
import { LABELLED_NAMES, type LabelledName } from '../../../shared/agents/rule-names.ts';
import { isProblem } from '../../../shared/core/problem.ts';
import type { FileAddress } from '../../../shared/files/file.ts';
import {
  type ReadingPage,
  readIndex,
  readStored,
  requestReading,
  type Span,
  type StoredReading,
} from '../../../shared/files/reading.ts';
import type { Blobs, Clock, Table } from '../../../shared/ports.ts';
import type { Hints } from '../../../shared/tasks/hints.ts';
import { isAddressAt } from '../labelled/issuer.ts';
import type { Line, Paper } from '../labelled/lines.ts';
import { folded, type Scalar } from './compare-values.ts';
import { fieldWords, labelKey } from './field-words.ts';
import { paperOfParts } from './matching/find-record.ts';
import { decideValue, type FieldCandidate, isSumRow, rowsFor } from './matching/find-values.ts';
import { type LabelledSpan, spansByLabel } from './matching/labelled-spans.ts';
import { type RowTable, tablesOf } from './matching/row-tables.ts';
import { readingsOf } from './matching/typed-values.ts';

/** A leaf as it is written in a schema. */
type LeafSchema = { type: SchemaLeaf['kind']; format?: 'date' | 'email' | 'uri'; title?: string };
type ListSchema = { type: 'array'; items: { type: 'object'; properties: Record<string, LeafSchema> } };

/** What a field was suggested from; in its path, `*` stands for the rows of a table. */
type SuggestedField = { path: string; example: Scalar; place: string };

type SchemaSuggestion = {
  schema: { type: 'object'; properties: Record<string, LeafSchema | ListSchema> };
  fields: SuggestedField[];
};

type SampleDocument = { parts: readonly DocumentPart[]; sheets?: readonly Sheet[] };

type FilePorts = { table: Table; clock: Clock; hints: Hints; blobs: Pick<Blobs, 'read'> };

type Answer =
  | { status: 200 | 202; headers?: Record<string, string>; body: object }
  | { problem: 'noSuchPath' | 'unreadableFile'; message: string };

const RETRY_AFTER_SECONDS = 2;

/**
 * Answers `POST /schemas/suggest` from the stored reading of a file; a worker reads one that was not read yet. Problems are
 * returned, as the agent API on Lambda loads this as a program of its own, with a class `Problem` of its own.
 */
export async function suggestFromFile(ports: FilePorts, address: FileAddress): Promise<Answer> {
  const { fileId } = address;
  const underWay: Answer = {
    status: 202,
    headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` },
    body: { file_id: fileId, status: 'reading' },
  };
  const unusable = (message: string): Answer => ({ problem: 'unreadableFile', message });
  try {
    const reading = await requestReading(ports, address);
    if (!reading) return underWay;
    if (reading.state === 'failed') return unusable(`The file ${reading.message}.`);
    const sample = await loadSample(ports, reading);
    if (!sample) {
      await requestReading(ports, address, { lost: reading.storedAt });
      return underWay;
    }
    const suggestion = await suggestSchema(sample);
    return suggestion
      ? { status: 200, body: { file_id: fileId, ...suggestion } }
      : unusable('The file has no labelled values and no tables to suggest a schema from.');
  } catch (error) {
    // In the agent API, `notFound` names a task.
    if (isProblem(error, 'notFound')) return { problem: 'noSuchPath', message: error.message };
    throw error;
  }
}

/** Of pages and of sheets. The first ones say what the document is; a longer one is not loaded to its end. */
const MAX_BYTES = 5_000_000;

/** Undefined if the blob is gone. */
async function loadSample({ blobs }: FilePorts, reading: StoredReading): Promise<SampleDocument | undefined> {
  const index = await readIndex(blobs, reading);
  if (!index) return undefined;
  const load = async <Piece>(spans: readonly Span[] = []): Promise<Piece[] | undefined> => {
    const [first] = spans;
    const chosen = first ? spans.filter(({ to }) => to - first.from <= MAX_BYTES) : [];
    const [from, to] = [first?.from ?? 0, chosen.at(-1)?.to ?? 0];
    const bytes = await readStored(blobs, reading, { from, to });
    return bytes && chosen.map((span) => JSON.parse(bytes.toString('utf8', span.from - from, span.to - from)));
  };
  const pages = await load<ReadingPage>(index.pages);
  const sheets = await load<Sheet>(index.sheets);
  return pages && sheets && { parts: pages.flatMap(({ parts }) => parts), sheets };
}

/** A suggestion is made while the caller waits, so only the beginning of a long document is looked at. */
const MAX_CHARACTERS = 100_000;
const BYTES_AROUND = 100;
const MAX_FIELDS = 50;
const MAX_TABLES = 5;
const MAX_COLUMNS = 25;
/** Of different labels, most of which name nothing in the end. */
const MAX_LABELS = 300;

/** Undefined if no label and no table of the document names a value. */
export async function suggestSchema({ parts, sheets = [] }: SampleDocument): Promise<SchemaSuggestion | undefined> {
  const paper = paperOfParts(beginningOf(parts));
  const tables = tablesOf(paper).filter(isList).slice(0, MAX_TABLES);
  const typed = sheets.flatMap((sheet) => sheet.tables);
  const lists = tables.flatMap((table) => listOf(paper, table, typed) ?? []);
  const inLists = linesOf(
    paper,
    lists.map(({ table }) => table),
  );

  // Without a prototype, a property may have any name.
  const properties: SchemaSuggestion['schema']['properties'] = Object.create(null);
  const fields: SuggestedField[] = [];
  let bytesLeft = SCHEMA_LIMITS.bytes - BYTES_AROUND;
  const hasRoom = (name: string, schema: LeafSchema | ListSchema) => {
    const bytes = Buffer.byteLength(JSON.stringify({ [name]: schema }));
    if (bytes > bytesLeft) return false;
    bytesLeft -= bytes;
    return true;
  };
  for (const { name, leaf, best } of await singleFields(paper, inLists)) {
    if (!hasRoom(name, leaf)) continue;
    properties[name] = leaf;
    fields.push({ path: name, example: best.value, place: placeOf(paper, best.line) });
  }
  for (const { name, schema, examples } of lists) {
    const own = freeName(name, properties);
    if (!hasRoom(own, schema)) continue;
    properties[own] = schema;
    fields.push(...examples.map((one) => ({ ...one, path: `${own}.*.${one.path}` })));
  }
  return fields.length === 0 ? undefined : { schema: { type: 'object', properties }, fields };
}

function beginningOf(parts: readonly DocumentPart[]): DocumentPart[] {
  let left = MAX_CHARACTERS;
  return parts.flatMap((part) => {
    const text = part.text.slice(0, Math.max(0, left));
    left -= part.text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}

const placeOf = ({ parts }: Paper, { part }: Line): string => parts[part]?.label ?? '';

/** `Invoice No.:` is `invoice_no`; letters of every script stay. */
const nameOf = (label: string): string => folded(withoutNotes(label)).replaceAll(' ', '_');
const withoutNotes = (label: string): string => label.replaceAll(/\([^)]*\)/g, ' ');

function freeName(name: string, taken: object): string {
  for (let number = 2, free = name; ; free = `${name}_${number++}`) if (!(free in taken)) return free;
}

// Single fields: those of the labelled rules, and then the document's own labels.

type SingleField = { name: string; leaf: LeafSchema; best: FieldCandidate };

/** Each value is suggested under one name only. Yields to the event loop, as others are answered meanwhile. */
async function singleFields(paper: Paper, inLists: ReadonlySet<Line>): Promise<SingleField[]> {
  const chosen: SingleField[] = [];
  // `€ 360` is a total and a currency, and a sentence may state the beginning and the term of a contract.
  const isTaken = ({ name, best }: SingleField) =>
    chosen.some(
      (one) =>
        one.name === name ||
        (one.best.line === best.line &&
          overlaps(one.best, best) &&
          !(WITHIN_OTHERS.has(name) && one.best.value !== best.value)),
    );
  const add = async (one: SingleField | undefined) => {
    const isOfList = one && inLists.has(one.best.line) && !WITHIN_OTHERS.has(one.name);
    if (one && !isTaken(one) && !isOfList && chosen.length < MAX_FIELDS) chosen.push(one);
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (const rule of RULES) await add(suggestedField(paper, rule, leafOfRule(rule)));
  for (const [rule, kind] of BY_POSITION)
    if (chosen.some(({ name }) => kind.includes(name)))
      await add(suggestedField(paper, rule, leafOfRule(rule), { needsLabel: false }));
  for (const [name, leaf] of CONTACTS) await add(suggestedField(paper, name, leaf, { needsLabel: false }));
  const spans = [...spansByLabel(paper).byKey.values()].flatMap(
    (same) => same.find(({ line }) => !inLists.has(line)) ?? [],
  );
  for (const span of spans.slice(0, MAX_LABELS)) await add(fieldOfLabel(paper, span));
  const order = new Map(paper.lines.map((line, at) => [line, at]));
  const positionOf = ({ best }: SingleField) => (order.get(best.line) ?? 0) * 100_000 + best.start;
  return chosen.sort((a, b) => positionOf(a) - positionOf(b));
}

const overlaps = (a: FieldCandidate, b: FieldCandidate): boolean => a.start < b.end && b.start < a.end;

/** Those for one value. */
const RULES = LABELLED_NAMES.filter((rule) => rule !== 'currency' && rule !== 'contract_parties');
const RULES_OF_NUMBERS: ReadonlySet<LabelledName> = new Set(['total', 'subtotal', 'tax']);
const RULES_OF_DATES: ReadonlySet<LabelledName> = new Set(['issue_date', 'due_date', 'effective_date']);

const leafOfRule = (rule: LabelledName): LeafSchema =>
  RULES_OF_NUMBERS.has(rule)
    ? { type: 'number' }
    : RULES_OF_DATES.has(rule)
      ? { type: 'string', format: 'date' }
      : { type: 'string' };

/** Rules whose value may stand without a label, and the fields that show the kind of document in which it does. */
const BY_POSITION: readonly [LabelledName, kind: readonly string[]][] = [
  ['currency', ['total']],
  ['seller', ['total']],
  ['term', ['effective_date', 'jurisdiction']],
];
const WITHIN_OTHERS: ReadonlySet<string> = new Set(['currency', 'term']);
const CONTACTS: readonly [string, LeafSchema][] = [
  ['email', { type: 'string', format: 'email' }],
  ['phone', { type: 'string' }],
];

/** The field, if a record with it would have a value in this document: a proven one, where a label is needed. */
function suggestedField(
  paper: Paper,
  name: string,
  leaf: LeafSchema,
  { needsLabel = true } = {},
): SingleField | undefined {
  const decision = decideValue(paper, fieldFor([name], leaf));
  if (!decision || decision.rivals.length > 0 || (needsLabel && !decision.best.hasLabel)) return undefined;
  return { name, leaf, best: decision.best };
}

function fieldFor(names: readonly string[], { type: kind, format, title }: LeafSchema) {
  const leaf: SchemaLeaf = { kind, ...(format ? { format } : {}), ...(title === undefined ? {} : { title }) };
  return { names, leaf, words: fieldWords(names, leaf), isWanted: true };
}

/** Spans with a lower score stand below a text that may be a heading as well as a label. */
const LABEL_SCORE = 2.3;
/** A text says less than a figure, so its label has to be set apart by a colon, a gap or a cell. */
const TEXT_SCORE = 2.8;
const MAX_TEXT = 100;
const MAX_WORDS = 5;

function fieldOfLabel(paper: Paper, { label, line, span, score }: LabelledSpan): SingleField | undefined {
  const title = titleOf(label);
  const name = nameOf(title);
  const type = typeOf([span.text], title, paper);
  const isText = type.type === 'string' && !type.format;
  // The first row of a table may be the heads of its columns.
  const isHead = line.cells && !line.head && !/\d/.test(span.text) && !/:\s*$/.test(label);
  const isLikely =
    !isHead &&
    title.split(' ').length <= MAX_WORDS &&
    score >= (isText ? TEXT_SCORE : LABEL_SCORE) &&
    !(isText && span.text.length > MAX_TEXT);
  // `Lindenweg 12` above a town is a street, not a label with a number.
  if (isAddressAt(paper.lines, paper.lines.indexOf(line))) return undefined;
  // A long number belongs to the line above, which the reader joined to the label.
  if (!/\p{L}{2}/u.test(name) || /\d{3}/.test(title) || !isLikely || line.isHeading) return undefined;
  const field = suggestedField(paper, name, { ...type, title });
  // Another value of the same name would not be the one that this label names.
  const isSame = field?.best.line === line && field.best.start < span.start + span.text.length;
  return isSame && field.best.end > span.start ? field : undefined;
}

/** One line without the marks of Markdown. */
const titleOf = (label: string): string =>
  label
    .replaceAll('<br>', ' ')
    .replaceAll(/[*_`|\p{C}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s:.]+$/, '')
    .trim();

// Types by the texts of values.

const TYPES: readonly LeafSchema[] = [
  { type: 'string', format: 'date' },
  { type: 'string', format: 'email' },
  { type: 'string', format: 'uri' },
  { type: 'number' },
  { type: 'boolean' },
];

/** What such a label names is not to be added up, even if it has nothing but digits. */
const IDENTIFIER =
  /(?:^| )(?:no|nr|num|number|nummer|id|code|ref|reference|numéro|número|numero|iban|bic|phone|telephone|telefon|tel|fax|zip|postcode|plz|year|jahr)(?: |$)|nummer$/;
const COUNT = /^number of /;

function namesIdentifier(label: string): boolean {
  const words = folded(withoutNotes(label));
  return IDENTIFIER.test(words) && !COUNT.test(words);
}

/** The type of which all but a few of the texts are, each as a whole. */
function typeOf(texts: readonly string[], label: string, { habits }: Paper): LeafSchema {
  const isIdentifier = namesIdentifier(label);
  const found = TYPES.find(({ type, format }) => {
    if (type === 'number' && isIdentifier) return false;
    const leaf: SchemaLeaf = { kind: type, ...(format ? { format } : {}) };
    const whole = texts.filter((text) => {
      const [reading, ...more] = readingsOf(leaf, text, habits);
      if (!reading || more.length > 0 || (type === 'number' && /^0\d/.test(text.trim()))) return false;
      return !/[\p{L}\d]/u.test(text.slice(0, reading.start) + text.slice(reading.end).replace(UNIT, ''));
    });
    return whole.length > 0 && whole.length >= texts.length * MOST;
  });
  return found ?? { type: 'string' };
}

const MOST = 0.9;
/** `5 %`, `12 kg`, `7 days` */
const UNIT = /^\s?(?:%|\p{L}{1,8}\.?)\s*$/u;

// Lists: a table with a row for each entry becomes an array of objects.

type SuggestedList = { name: string; table: RowTable; schema: ListSchema; examples: SuggestedField[] };

/** Heads with figures are the first pair of a form, and so are the two columns of labels and texts. */
function isList({ head, rows }: RowTable): boolean {
  const names = head.map(({ text }) => labelKey(text)).filter((key) => key !== '');
  const isNamed = names.length >= 2 && new Set(names).size === names.length;
  return isNamed && !head.some(({ text }) => /\d{3}/.test(text) || /:\s*$/.test(text)) && rows.length > 0;
}

/** The rows of the tables, and their heads on each page. A row with a total names a field of its own. */
function linesOf({ lines }: Paper, tables: readonly RowTable[]): ReadonlySet<Line> {
  const key = (head: RowTable['head']) => head.map(({ text }) => text).join('|');
  const heads = new Set(tables.map(({ head }) => key(head)));
  return new Set(
    lines.filter((line) => {
      const { cells, head = cells } = line;
      return head && heads.has(key(head)) && !(line.head && isSumRow(line));
    }),
  );
}

const SAMPLE_ROWS = 50;
const MAX_TITLE = 60;

function listOf(paper: Paper, table: RowTable, typed: readonly SheetTable[]): SuggestedList | undefined {
  const cells = columnTypes(table, typed);
  const entries = table.rows.filter((row) => !isSumRow(row)).slice(0, SAMPLE_ROWS);
  const columns = table.head.slice(0, MAX_COLUMNS).flatMap(({ text }, column) => {
    const title = titleOf(text);
    const name = nameOf(title);
    const texts = entries.flatMap((row) => row.cells?.[column]?.text.trim() || []);
    if (!/\p{L}/u.test(name) || title.length > MAX_TITLE || texts.length === 0) return [];
    const leaf = columnType(cells[column], title, typeOf(texts, title, paper));
    return [{ name, field: fieldFor(['rows', '*', name], { ...leaf, title }), leaf: { ...leaf, title } }];
  });
  // Pairs of labels and texts are a form.
  if (columns.length < 2 || (table.head.length === 2 && columns.every(({ leaf }) => leaf.type === 'string')))
    return undefined;
  const rows = rowsFor(paper, { fields: columns.map(({ field }) => field), lists: [] })?.rows ?? [];
  const inTable = rows.filter(({ line }) => table.rows.includes(line));
  const proven = columns.flatMap(
    ({ name, field, leaf }): { name: string; leaf: LeafSchema; first: FieldCandidate }[] => {
      const values = inTable.flatMap(({ values }) => values.get(field) ?? []);
      const [first] = values;
      return first && values.length * 2 >= inTable.length ? [{ name, leaf, first }] : [];
    },
  );
  if (proven.length < 2) return undefined;
  const properties: Record<string, LeafSchema> = Object.create(null);
  for (const { name, leaf } of proven) properties[name] ??= leaf;
  return {
    name: listName(paper, table),
    table,
    schema: { type: 'array', items: { type: 'object', properties } },
    examples: proven.map(({ name, first }) => ({
      path: name,
      example: first.value,
      place: placeOf(paper, first.line),
    })),
  };
}

/** Dates in cells of CSV are text; numbers that name something are text, also in a workbook. */
function columnType(ofCells: LeafSchema | undefined, title: string, ofTexts: LeafSchema): LeafSchema {
  if (!ofCells || (ofCells.type === 'string' && ofTexts.format)) return ofTexts;
  return ofCells.type === 'number' && namesIdentifier(title) ? { type: 'string' } : ofCells;
}

const TYPE_OF_CELL: Record<CellType, LeafSchema | undefined> = {
  text: { type: 'string' },
  number: { type: 'number' },
  percent: { type: 'number' },
  currency: { type: 'number' },
  date: { type: 'string', format: 'date' },
  boolean: { type: 'boolean' },
  empty: undefined,
};

/** The types of the cells of a workbook, of the table with the same header: absent where they differ. */
function columnTypes({ head }: RowTable, typed: readonly SheetTable[]): (LeafSchema | undefined)[] {
  const keys = head.map(({ text }) => labelKey(text));
  const same = typed.find(({ header }) => keys.every((key, at) => key === labelKey(header[at] ?? '')));
  return keys.map((_, column) => {
    const all = (same?.rows ?? [])
      .slice(0, SAMPLE_ROWS)
      .flatMap((row) => TYPE_OF_CELL[row[column]?.type ?? 'empty'] ?? []);
    const [first] = all;
    return all.every((one) => one === first || (one.type === 'number' && first?.type === 'number')) ? first : undefined;
  });
}

const LINE_ITEMS =
  /(?:^|_)(?:qty|quantity|unit_price|menge|anzahl|einzelpreis|quantité|qté|prix_unitaire|cantidad|quantità|aantal)(?:_|$)/;
const HEADING_DISTANCE = 3;

/** After what the columns say, the heading above, or the sheet. */
function listName(paper: Paper, { head, rows }: RowTable): string {
  if (head.some(({ text }) => LINE_ITEMS.test(nameOf(text)))) return 'line_items';
  const [first] = rows;
  const at = first ? paper.lines.indexOf(first) : 0;
  const above = paper.lines.slice(Math.max(0, at - 1 - HEADING_DISTANCE), at);
  const heading = above.findLast(({ isHeading, part }) => isHeading && part === first?.part)?.text;
  const sheet = first && /^sheet (.+)$/.exec(placeOf(paper, first))?.[1];
  const name = nameOf(titleOf(heading ?? sheet ?? ''))
    .replace(/^[\d_]+/, '')
    .slice(0, MAX_NAME);
  return /\p{L}/u.test(name) ? name : 'rows';
}

const MAX_NAME = 40;
