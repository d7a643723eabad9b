/** The fields of a form as data: how input becomes a body, and where each reason of an error belongs. */
import type { FieldFault } from '../contract/validate.ts';

/** Ticked among what the organization may name. */
const CHOOSE_KINDS = ['workflows', 'rulesets', 'sources'] as const;
export type ChooseKind = (typeof CHOOSE_KINDS)[number];
export const isChooseKind = (kind: string): kind is ChooseKind => (CHOOSE_KINDS as readonly string[]).includes(kind);

/** By id, of everything that was offered: for the summary of a request. */
export const choiceNames = new Map<string, string>();

type FieldKind =
  | 'text'
  | 'long'
  | 'number'
  | 'choice'
  | 'flag'
  | 'time'
  /** One entry a line. */
  | 'lines'
  /** Known words to tick, and others, separated by commas. */
  | 'words'
  /** One address a line, each an object. */
  | 'addresses'
  /** `name: value`, one a line. */
  | 'pairs'
  /** A JSON object. */
  | 'json'
  /** Ticked among what the organization has. */
  | 'files'
  | ChooseKind;

export type FieldSpec = {
  /** Within the body, with dots. */
  path: string;
  label: string;
  kind: FieldKind;
  help?: string;
  /** Where it is shown it has to be filled in, though the contract cannot say so. */
  isNeeded?: boolean;
  placeholder?: string;
  suggestions?: readonly string[];
  /** What a choice says where nothing is chosen. */
  none?: string;
  /** Which of its words that is, in the place of `none`. */
  defaultValue?: string;
  /** The words of a choice, where the contract has no closed list. */
  words?: readonly string[];
  /** Shown, and sent, only while this holds. */
  when?: (values: Values) => boolean;
  rows?: number;
  /** Of JSON, by what their buttons say. */
  templates?: Readonly<Record<string, object>>;
};

export type Group = { title: string; fields: FieldSpec[]; isFolded?: boolean };

/** What stands in the fields, by path: text, or the ticked words. */
export type Values = Record<string, string>;

const entries = (text: string, mark: RegExp): string[] =>
  text
    .split(mark)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

export const linesIn = (text: string): string[] => entries(text, /\r?\n/);
/** Of ticked and other words. */
export const wordsIn = (text: string): string[] => entries(text, /[,\n]/);

const LISTS: ReadonlySet<FieldKind> = new Set(['lines', 'files', ...CHOOSE_KINDS]);

/** Undefined is left out of the body. */
function typed(kind: FieldKind, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (kind === 'number') return Number(trimmed);
  if (kind === 'flag') return trimmed === 'true';
  if (kind === 'time') return trimmed.length === 5 ? `${trimmed}:00` : trimmed;
  if (LISTS.has(kind)) return linesIn(text);
  if (kind === 'words') return wordsIn(text);
  if (kind === 'addresses') return linesIn(text).map((url) => ({ url }));
  if (kind === 'pairs') return pairsIn(text);
  if (kind === 'json') return jsonIn(trimmed).value;
  return trimmed;
}

/** `fault` says where the text stops being JSON, as the browser words it. */
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

/** What would be lost on the way into a body. */
export function typingFaults(fields: readonly FieldSpec[], values: Values): FieldFault[] {
  const shown = fields.filter(({ when }) => when?.(values) ?? true);
  const json = shown.flatMap(({ path, kind }): FieldFault[] => {
    const text = (values[path] ?? '').trim();
    const { fault } = kind === 'json' && text !== '' ? jsonIn(text) : {};
    return fault === undefined ? [] : [{ path, reason: `is not valid JSON: ${fault}` }];
  });
  const pairs = shown
    .filter(({ kind }) => kind === 'pairs')
    .flatMap(({ path }) =>
      linesIn(values[path] ?? '')
        .filter((line) => line.indexOf(':') < 1)
        .map((line) => ({ path, reason: `has a line that is not of the form name: value: ${line.slice(0, 80)}` })),
    );
  return [...json, ...pairs];
}

/** `start` is what every such body has. */
export function bodyOf(start: object, fields: readonly FieldSpec[], values: Values): object {
  const body = structuredClone(start) as Record<string, unknown>;
  for (const { path, kind, when } of fields) {
    const value = when && !when(values) ? undefined : typed(kind, values[path] ?? '');
    if (value !== undefined) put(body, path.split('.'), value);
  }
  return body;
}

function put(body: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    body[name] = value;
    return;
  }
  const inner = (body[name] ?? {}) as Record<string, unknown>;
  body[name] = inner;
  put(inner, rest, value);
}

// Assigns each reason of an error to a field: errors found here, and errors of the response.

/** By the path of the field; what fits no field has the path ''. */
export type Reasons = Record<string, string[]>;

export function reasonsOf(faults: readonly FieldFault[], fields: readonly Pick<FieldSpec, 'path'>[]): Reasons {
  const reasons: Reasons = {};
  for (const { path, reason } of faults) {
    const field = ownerOf(path, fields);
    const text = field === undefined ? `${path} ${reason}`.trim() : inField(path.slice(field.length + 1), reason);
    reasons[field ?? ''] = [...(reasons[field ?? ''] ?? []), text];
  }
  return reasons;
}

/** The field itself, one around it (`documents` of `documents.0.url`), or one inside of it (`recipients` of `content`). */
function ownerOf(path: string, fields: readonly Pick<FieldSpec, 'path'>[]): string | undefined {
  const around = fields.filter((field) => path === field.path || path.startsWith(`${field.path}.`));
  const longest = around.sort((a, b) => b.path.length - a.path.length)[0];
  return (longest ?? fields.find((field) => path !== '' && field.path.startsWith(`${path}.`)))?.path;
}

/** `0.url` is the first entry. */
function inField(rest: string, reason: string): string {
  const [first = '', ...more] = rest.split('.');
  if (rest === '') return `This ${reason}`;
  if (/^\d+$/.test(first)) return `Entry ${Number(first) + 1} ${reason}`;
  return `${[first, ...more].join('.')} ${reason}`;
}

type Answered = { message: string; details: Record<string, unknown> };

/** The agents' API tells every field with its reason; the other one tells one fault, its field first. */
export function answeredFaults(
  { message, details }: Answered,
  fields: readonly Pick<FieldSpec, 'path'>[],
): FieldFault[] {
  const { reasons, invalid_fields: named } = details as { reasons?: Record<string, unknown>; invalid_fields?: unknown };
  if (typeof reasons === 'object' && reasons !== null) {
    return Object.entries(reasons).map(([path, reason]) => ({ path, reason: String(reason) }));
  }
  if (Array.isArray(named)) return named.map((path) => ({ path: String(path), reason: 'is not accepted' }));
  const [first = '', ...rest] = message.split(' ');
  const field = fields.find(({ path }) => first === path || first.startsWith(`${path}.`));
  return field ? [{ path: first, reason: rest.join(' ') }] : [];
}
