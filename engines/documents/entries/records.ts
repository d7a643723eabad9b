/** Entries from records: JSON lists and CSV rows, mapped by the templates of a connector. */
import { definedFields } from '../../../shared/core/optional-fields.ts';
import type { Figure } from '../../../shared/sources/source-item.ts';
import type { Connector } from '../../../shared/sources/source-schema.ts';
import type { ReaderInput } from '../document.ts';
import { ENTRY_LIMITS, type EntryShape, type SourceEntry } from '../document.ts';
import { recordsOf, separatorOf } from '../formats/csv.ts';
import { decodeText } from '../text.ts';
import { buildEntry } from './build-entry.ts';

/** Returns the text or number at a path of a record, or undefined. */
type RecordLookup = (path: string) => string | undefined;

const BLANK = /\{([^{}]*)\}/g;

/** Replaces each `{path}` in a template by the record's value. */
const fillTemplate = (template: string, at: RecordLookup): string =>
  template.replaceAll(BLANK, (_, path: string) => at(path.trim()) ?? '');

/** Returns true if the template has no placeholders, or if at least one has a value. */
const hasValue = (template: string, at: RecordLookup): boolean => {
  const blanks = [...template.matchAll(BLANK)];
  return blanks.length === 0 || blanks.some(([, path = '']) => (at(path.trim()) ?? '') !== '');
};

/** A connector's mapping from the fields of a record to an entry. */
type RecordMapping = Pick<Extract<Connector, { kind: 'json' | 'csv' }>, 'fields' | 'figures'>;

function entryFromRecord(
  mapping: RecordMapping,
  at: RecordLookup,
  o: { base: string; reading: ReaderInput },
): SourceEntry | undefined {
  const { title, text, published, address } = mapping.fields;
  const figures = mapping.figures.flatMap((figure) => figureIn(figure, at) ?? []);
  // Skip records with neither figures nor values for the title and text.
  if (figures.length === 0 && ![title, text].some((template) => template !== undefined && hasValue(template, at)))
    return undefined;
  const rawEntry = {
    title: fillTemplate(title, at),
    text: text === undefined ? '' : fillTemplate(text, at),
    published: published && fillTemplate(published, at),
    link: address && hasValue(address, at) ? fillTemplate(address, at) : undefined,
    figures,
  };
  return buildEntry(rawEntry, o.base, o.reading);
}

const MAX_LABEL = 200;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
/** Numbers with thousands separators, such as 1,234,567.8. */
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

function figureIn({ label, value, unit }: RecordMapping['figures'][number], at: RecordLookup): Figure | undefined {
  const text = fillTemplate(value, at).trim();
  const number = Number(NUMBER.test(text) ? text : GROUPED.test(text) ? text.replaceAll(',', '') : Number.NaN);
  const name = fillTemplate(label, at).trim().slice(0, MAX_LABEL);
  if (!Number.isFinite(number) || name === '') return undefined;
  return { label: name, value: number, ...definedFields({ unit }) };
}

/** The placeholder for a record's key, if the records are the values of an object. */
const KEY = '$key';

export function readJsonEntries(reading: ReaderInput, { of, base }: EntryShape): SourceEntry[] | string {
  if (of.kind !== 'json') throw new Error(`No JSON is expected of ${of.kind}.`);
  const text = decodeText(reading.bytes);
  if (isDeep(text)) return 'is nested too deeply';
  const whole = parseJson(text);
  if (whole === undefined) return 'is not valid JSON';
  const list = valueAt(whole.value, of.items);
  if (typeof list !== 'object' || list === null) return 'holds no list at the path of its items';
  return Object.entries(list)
    .slice(0, ENTRY_LIMITS.records)
    .flatMap(([key, record]) => entryFromRecord(of, lookupIn(record, key), { base, reading }) ?? []);
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const STEPS: ReadonlyMap<string | undefined, number> = new Map([
  ['[', 1],
  ['{', 1],
  [']', -1],
  ['}', -1],
]);

/** Counts brackets outside of strings before the text is parsed. */
function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length && depth <= ENTRY_LIMITS.jsonDepth; at++) {
    const sign = text[at];
    if (sign === '"') quoted = !quoted;
    else if (sign === '\\') at++;
    else if (!quoted) depth += STEPS.get(sign) ?? 0;
  }
  return depth > ENTRY_LIMITS.jsonDepth;
}

/** Reads own properties only, so that `constructor` is not found. */
function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  let here = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}

const lookupIn =
  (record: unknown, key: string): RecordLookup =>
  (path) => {
    const value = path === KEY ? key : valueAt(record, path);
    const scalar = Array.isArray(value) ? value.filter(isScalar).join(', ') : value;
    return isScalar(scalar) ? String(scalar) : undefined;
  };

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Reads CSV rows as records. The first row names the columns. */
export function readColumns(reading: ReaderInput, { of, base }: EntryShape): SourceEntry[] | string {
  if (of.kind !== 'csv') throw new Error(`No CSV is expected of ${of.kind}.`);
  const text = decodeText(reading.bytes);
  const entries: SourceEntry[] = [];
  let columns: Map<string, number> | undefined;
  let records = 0;
  for (const cells of recordsOf(text, separatorOf(text))) {
    reading.budget.countCells(cells.length);
    if (!columns) {
      columns = new Map(cells.map((name, place) => [name.trim(), place]));
      continue;
    }
    if (++records > ENTRY_LIMITS.records) break;
    const places = columns;
    const entry = entryFromRecord(of, (name) => cells[places.get(name) ?? -1]?.trim(), { base, reading });
    if (entry) entries.push(entry);
  }
  return entries.length === 0 && records > 0 ? 'has none of the configured columns' : entries;
}
