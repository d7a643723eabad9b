/** The form of a task that was submitted before: the values of its fields, and what the form has no field for. */
import { bodyOf, type FieldSpec, isFileId, type Values } from './field-spec.ts';

type Body = Record<string, unknown>;

export type FilledForm = {
  values: Values;
  /** The rest of the stored body, which is submitted unchanged. */
  start: object;
  /** The names of fields with a stored value that the form cannot show as it is. */
  changed: string[];
};

export function filledForm(body: object, fields: readonly FieldSpec[]): FilledForm {
  const start = withoutNull(structuredClone(body)) as Body;
  const values: Values = {};
  const stored = new Map<string, unknown>();
  for (const { path, ...field } of fields) {
    if (field.formOnly) continue;
    const value = take(start, path.split('.')) ?? field.apiDefault;
    if (value === undefined) continue;
    stored.set(path, value);
    values[path] = textOf(field, value);
  }
  for (const { path, formOnly } of fields) if (formOnly) values[path] = formOnly(values);
  const again = bodyOf({}, fields, values);
  const isChanged = ({ path }: FieldSpec) =>
    stored.has(path) && values[path] && JSON.stringify(valueAt(again, path)) !== JSON.stringify(stored.get(path));
  return { values, start, changed: fields.filter(isChanged).map(({ label }) => label) };
}

function textOf({ kind, defaultValue }: Pick<FieldSpec, 'kind' | 'defaultValue'>, value: unknown): string {
  if (kind === 'choice') return value === defaultValue ? '' : String(value);
  if (kind === 'flag') return value === true ? 'true' : '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'pairs') return linesOf(Object.entries(value as Body).map(([name, text]) => `${name}: ${text}`));
  if (kind === 'documents') return linesOf((value as Body[]).map(({ url, file_id: fileId }) => url ?? fileId));
  return Array.isArray(value) ? linesOf(value) : String(value);
}

const linesOf = (entries: readonly unknown[]): string => entries.map(String).join('\n');

/** The ids of the stored files that a body names, in any of its fields for files. */
export function fileIdsIn(values: Values, fields: readonly FieldSpec[]): string[] {
  const holders = fields.filter(({ kind }) => kind === 'files' || kind === 'documents');
  return holders.flatMap(({ path }) => (values[path] ?? '').split('\n').filter(isFileId));
}

/** Removes a value from a body, and returns it. */
function take(body: Body, [name = '', ...restOfPath]: string[]): unknown {
  const value = body[name];
  if (restOfPath.length === 0) {
    delete body[name];
    return value;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const taken = take(value as Body, restOfPath);
  if (Object.keys(value).length === 0) delete body[name];
  return taken;
}

const valueAt = (body: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Body | undefined)?.[name], body);

/** In both APIs, null is the same as an absent field. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNull(inner)]));
}

/** The names of the settings that a form keeps without showing them. */
export function keptNames(start: object): string[] {
  const { input = {}, budget = {} } = start as { input?: object; budget?: object };
  const names = Object.keys(input).filter((name) => name !== 'type');
  return [...names, ...(Object.keys(budget).length > 0 ? ['budget'] : [])];
}
