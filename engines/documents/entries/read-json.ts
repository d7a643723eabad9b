/** JSON: the list at a path, and of each record what its fields say. */
import type { ReaderInput } from '../read-document.ts';
import { decodeText } from '../text/decode-text.ts';
import { ENTRY_LIMITS, type EntryShape, type SourceEntry } from './entry.ts';
import type { RecordLookup } from './fill.ts';
import { entryFromRecord } from './record.ts';

/** The name under which a record stands, when the records are the values of an object. */
const KEY = '$key';

export function readJson(reading: ReaderInput, { of, base }: EntryShape): SourceEntry[] | string {
  if (of.kind !== 'json') throw new Error(`No JSON is expected of ${of.kind}.`);
  const text = decodeText(reading.bytes);
  if (isDeep(text)) return 'is nested too deeply';
  const whole = parseJson(text);
  if (whole === undefined) return 'is no JSON';
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

/** Told before it is parsed, by its brackets outside of strings. */
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

/** Only what a value has itself: `constructor` is nowhere. */
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
    const found = path === KEY ? key : valueAt(record, path);
    const one = Array.isArray(found) ? found.filter(isWord).join(', ') : found;
    return isWord(one) ? String(one) : undefined;
  };

const isWord = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
