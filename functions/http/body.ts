/** Reads a JSON body, checks it against the route's schema, and names the fields that the schema does not know. */

import * as v from 'valibot';
import { nearestName } from '../../shared/core/nearest-name.ts';
import { Problem } from '../../shared/core/problem.ts';
import { limitWarnings, quotedName } from '../../shared/core/warnings.ts';
import { type Api, type ApiContext, type HttpRequestMessage, ignoredWarning, type Route, takesBody } from './route.ts';

// Names unknown fields of a body, with the nearest known field.

/** The maximum of warnings for one body. */
const MAX_NAMED = 10;

type BodySchema = v.GenericSchema;
/** The fields of the schema types that the walk visits; no schema has all of them. */
type Parts = {
  type: string;
  kind: string;
  entries?: Record<string, BodySchema>;
  item?: BodySchema;
  wrapped?: BodySchema;
  pipe?: readonly BodySchema[];
  getter?: (value: unknown) => BodySchema;
};
type BodyShape = { entries: Record<string, BodySchema> } | { item: BodySchema };

type UnknownField = { path: string; name: string; siblings: string[] };

/** Expects a body that the schema has accepted. */
function warningsAbout(schema: BodySchema, body: object): string[] {
  const unknown = [...unknownIn(schema, body, '')];
  const listedWarnings = unknown.slice(0, MAX_NAMED).map(({ path, name, siblings }) => {
    const sibling = nearestName(name, siblings);
    const nearest = sibling === undefined ? pathElsewhere(schema, body, name) : path + sibling;
    return ignoredWarning(path + quotedName(name), 'field', nearest);
  });
  return limitWarnings(listedWarnings, unknown.length - listedWarnings.length);
}

function* unknownIn(schema: BodySchema, value: unknown, path: string): Generator<UnknownField> {
  const shape = typeof value === 'object' && value !== null ? shapeOf(schema, value) : undefined;
  if (!shape) return;
  const ofList = 'item' in shape;
  for (const [name, fieldValue] of Object.entries(value as object)) {
    const fieldSchema = ofList ? shape.item : Object.hasOwn(shape.entries, name) && shape.entries[name];
    if (fieldSchema) yield* unknownIn(fieldSchema, fieldValue, `${path}${name}.`);
    else yield { path, name, siblings: ofList ? [] : Object.keys(shape.entries) };
  }
}

/** The path of a known field with this name in another object. */
const pathElsewhere = (schema: BodySchema, body: object, name: string): string | undefined =>
  fieldsOf(schema, body).find((path) => path.endsWith(`.${name}`) || path === name);

/** The dotted names of all fields of a schema, except those of list entries. */
export function fieldsOf(schema: BodySchema, body: unknown, path = ''): string[] {
  const shape = shapeOf(schema, body);
  if (!shape || 'item' in shape) return [];
  return Object.entries(shape.entries).flatMap(([name, fieldSchema]) => [
    path + name,
    ...fieldsOf(fieldSchema, undefined, `${path}${name}.`),
  ]);
}

/** The part of a schema that names fields. Free-form objects, such as `metadata`, have none. */
function shapeOf(schema: BodySchema, value: unknown): BodyShape | undefined {
  const { type, entries, item, wrapped, pipe, getter } = schema as unknown as Parts;
  if ((type === 'object' || type === 'strict_object') && entries) return { entries };
  if (type === 'array' && item) return { item };
  if (pipe) return firstShape(pipe, value);
  if (wrapped) return shapeOf(wrapped, value);
  return getter ? shapeOf(getter(value), value) : undefined;
}

/** A pipe may check or transform a value before the schema that names its fields. */
function firstShape(parts: readonly BodySchema[], value: unknown): BodyShape | undefined {
  for (const part of parts) {
    const shape = part.kind === 'schema' ? shapeOf(part, value) : undefined;
    if (shape) return shape;
  }
  return undefined;
}

const MAX_BODY_BYTES = 1_000_000;

/** The content types that browsers and mail clients send for forms. */
const FORMS = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The checks without a schema, which run before the idempotency key is looked up. The body of a GET or DELETE is never read. */
export function checkTransport(
  { method, body, headers }: HttpRequestMessage,
  { takesForm }: Pick<Route<never>, 'takesForm'>,
) {
  if (!takesBody(method)) return;
  if (body.byteLength > MAX_BODY_BYTES) {
    throw new Problem('tooLarge', `A body has at most ${MAX_BODY_BYTES} bytes.`);
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (body.byteLength > 0 && encoding !== '' && encoding !== 'identity') {
    throw new Problem('unsupportedType', 'Send the body as it is, without content-encoding.');
  }
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (body.byteLength > 0 && type !== 'application/json' && !(takesForm && FORMS.has(type ?? ''))) {
    throw new Problem('unsupportedType', 'Send the body as JSON, with content-type: application/json.');
  }
}

/** `warnings` name the fields that the schema does not know. */
type Body = { body: unknown; warnings: string[] };

export function bodyOf<C extends ApiContext>(
  api: Api<C>,
  schema: v.GenericSchema | undefined,
  incoming: HttpRequestMessage,
  { takesForm }: Pick<Route<never>, 'takesForm'>,
): Body {
  if (!takesBody(incoming.method) || takesForm) return { body: undefined, warnings: [] };
  const body = parseObject(api, incoming.body);
  if (!schema) return { body: undefined, warnings: [] };
  const parsed = v.safeParse(schema, body);
  if (parsed.success) return { body: parsed.output, warnings: warningsAbout(schema, body) };
  throw api.invalid(parsed.issues);
}

function parseObject<C extends ApiContext>(api: Api<C>, bytes: Uint8Array): object {
  if (bytes.byteLength === 0) return {};
  if (isDeeperThan(MAX_DEPTH, bytes)) {
    throw new Problem('invalid', `The body is nested more than ${MAX_DEPTH} objects and arrays deep.`);
  }
  const json = parseJson(bytes);
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  if (api.takesAnyJson) return {};
  throw new Problem('invalid', 'The body must be a JSON object.');
}

/** No field needs more. Whatever walks or serializes a body that is much deeper runs out of stack. */
const MAX_DEPTH = 100;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: ReadonlySet<number> = new Set(Buffer.from('[{'));
const CLOSING: ReadonlySet<number> = new Set(Buffer.from(']}'));

/** Counts brackets outside of strings. Bytes that are not JSON may be counted wrongly; they are refused anyway. */
function isDeeperThan(maxDepth: number, bytes: Uint8Array): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.has(byte) && ++depth > maxDepth) return true;
    else if (CLOSING.has(byte)) depth--;
  }
  return false;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new Problem('invalid', 'The body is not valid JSON.', { cause });
  }
}
