/** The fields of a form as data: how values become a body, and which field shows which error. */
import type { FieldFault } from '../contract/validate.ts';

/** Checkboxes for the items that the organization may name. */
const CHOOSE_KINDS = ['workflows', 'rulesets', 'sources'] as const;
export type ChooseKind = (typeof CHOOSE_KINDS)[number];
export const isChooseKind = (kind: string): kind is ChooseKind => (CHOOSE_KINDS as readonly string[]).includes(kind);

/** Names of all offered items by id, for the summary of a request. */
export const choiceNames = new Map<string, string>();

type FieldKind =
  | 'text'
  | 'long'
  | 'number'
  | 'choice'
  | 'flag'
  | 'time'
  /** One entry per line. */
  | 'lines'
  /** Checkboxes for known words, and an input for others, separated by commas. */
  | 'words'
  /** Stored files, and the addresses of others, each an object. */
  | 'documents'
  /** `name: value`, one per line. */
  | 'pairs'
  /** A JSON object. */
  | 'json'
  /** Checkboxes for the organization's files. */
  | 'files'
  | ChooseKind;

export type FieldSpec = {
  /** The path in the body, with dots. */
  path: string;
  label: string;
  kind: FieldKind;
  help?: string;
  /** Required where it is shown, although the contract cannot express that. */
  isNeeded?: boolean;
  /** Optional although the contract requires it, because the form sends a value of its own instead. */
  isOptional?: boolean;
  placeholder?: string;
  suggestions?: readonly string[];
  /** The label of an empty choice. */
  none?: string;
  /** The word that an empty choice means, instead of `none`. */
  defaultValue?: string;
  /** What the API takes an absent value for, if the form has another default: an empty choice is sent as that. */
  apiDefault?: string;
  /** The words of a choice for which the contract has no closed list. */
  words?: readonly string[];
  /** The field is shown and sent only if this is true. */
  when?: (values: Values) => boolean;
  /** Of a field that only decides which others are shown, and is no part of the body: its value by theirs. */
  formOnly?: (values: Values) => string;
  rows?: number;
  /** Templates for a JSON field, by the labels of their buttons. */
  templates?: Readonly<Record<string, object>>;
};

export type Group = { title: string; fields: FieldSpec[]; isFolded?: boolean };

/** The values of the fields by path: text, or the ticked words. */
export type Values = Record<string, string>;

const entries = (text: string, mark: RegExp): string[] =>
  text
    .split(mark)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

export const linesIn = (text: string): string[] => entries(text, /\r?\n/);
/** Stored files have a UUID; no address is one. */
export const isFileId = (entry: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(entry);
/** Splits ticked and other words. */
export const wordsIn = (text: string): string[] => entries(text, /[,\n]/);

const LISTS: ReadonlySet<FieldKind> = new Set(['lines', 'files', ...CHOOSE_KINDS]);

/** `undefined` is omitted from the body. */
function toValue(kind: FieldKind, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (kind === 'number') return Number(trimmed);
  if (kind === 'flag') return trimmed === 'true';
  if (kind === 'time') return trimmed.length === 5 ? `${trimmed}:00` : trimmed;
  if (LISTS.has(kind)) return linesIn(text);
  if (kind === 'words') return wordsIn(text);
  if (kind === 'documents')
    return linesIn(text).map((entry) => (isFileId(entry) ? { file_id: entry } : { url: entry }));
  if (kind === 'pairs') return pairsIn(text);
  if (kind === 'json') return jsonIn(trimmed).value;
  return trimmed;
}

/** `fault`: where the JSON is invalid, in the browser's words. */
function jsonIn(text: string): { value?: unknown; fault?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

function pairsIn(text: string): Record<string, string> {
  const pairs = linesIn(text).map((line) => {
    const at = line.indexOf(':');
    return at < 0 ? ([line, ''] as const) : ([line.slice(0, at).trim(), line.slice(at + 1).trim()] as const);
  });
  return Object.fromEntries(pairs);
}

/** Finds text that a body could not represent. */
export function typingFaults(fields: readonly FieldSpec[], values: Values): FieldFault[] {
  const shownFields = fields.filter(({ when }) => when?.(values) ?? true);
  const json = shownFields.flatMap(({ path, kind }): FieldFault[] => {
    const text = (values[path] ?? '').trim();
    const { fault } = kind === 'json' && text !== '' ? jsonIn(text) : {};
    return fault === undefined ? [] : [{ path, reason: `is not valid JSON: ${fault}` }];
  });
  const pairs = shownFields
    .filter(({ kind }) => kind === 'pairs')
    .flatMap(({ path }) =>
      linesIn(values[path] ?? '')
        .filter((line) => line.indexOf(':') < 1)
        .map((line) => ({ path, reason: `has a line that is not of the form name: value: ${line.slice(0, 80)}` })),
    );
  return [...json, ...pairs];
}

/** `start`: the part that every such body has. */
export function bodyOf(start: object, fields: readonly FieldSpec[], values: Values): object {
  const body = structuredClone(start) as Record<string, unknown>;
  for (const { path, kind, when, apiDefault, defaultValue = '', formOnly } of fields) {
    if (formOnly) continue;
    const text = values[path] || (apiDefault === undefined ? '' : defaultValue);
    const value = when && !when(values) ? undefined : toValue(kind, text);
    if (value !== undefined) setAt(body, path.split('.'), value);
  }
  return body;
}

function setAt(body: Record<string, unknown>, [name = '', ...restOfPath]: string[], value: unknown): void {
  if (restOfPath.length === 0) {
    body[name] = value;
    return;
  }
  const inner = (body[name] ?? {}) as Record<string, unknown>;
  body[name] = inner;
  setAt(inner, restOfPath, value);
}
