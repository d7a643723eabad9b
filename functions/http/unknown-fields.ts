/** Names the fields of a body that its schema does not know, with the known field that each most likely means. */
import type * as v from 'valibot';
import { bounded, nearestName, quotedName } from '../../shared/core/problem.ts';

/** Of one body. */
const MOST_NAMED = 10;

type BodySchema = v.GenericSchema;
/** What the schemas that this walks through have in common with none of the others. */
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

/** Of a body that the schema has accepted. */
export function warningsAbout(schema: BodySchema, body: object): string[] {
  const unknown = [...unknownIn(schema, body, '')];
  const named = unknown.slice(0, MOST_NAMED).map(({ path, name, siblings }) => {
    const sibling = nearestName(name, siblings);
    const meant = sibling === undefined ? elsewhere(schema, body, name) : path + sibling;
    return ignoredWarning(path + quotedName(name), 'field', meant);
  });
  return bounded(named, unknown.length - named.length);
}

function* unknownIn(schema: BodySchema, value: unknown, path: string): Generator<UnknownField> {
  const shape = typeof value === 'object' && value !== null ? shapeOf(schema, value) : undefined;
  if (!shape) return;
  const ofList = 'item' in shape;
  for (const [name, one] of Object.entries(value as object)) {
    const known = ofList ? shape.item : Object.hasOwn(shape.entries, name) && shape.entries[name];
    if (known) yield* unknownIn(known, one, `${path}${name}.`);
    else yield { path, name, siblings: ofList ? [] : Object.keys(shape.entries) };
  }
}

export const ignoredWarning = (name: string, what: 'field' | 'parameter', meant: string | undefined): string =>
  `${name} is not a known ${what} and was ignored.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;

/** A field that is known, but stands in another object. */
const elsewhere = (schema: BodySchema, body: object, name: string): string | undefined =>
  fieldsOf(schema, body).find((path) => path.endsWith(`.${name}`) || path === name);

/** The dotted names of all fields that a schema knows; of the entries of a list none. */
export function fieldsOf(schema: BodySchema, body: unknown, path = ''): string[] {
  const shape = shapeOf(schema, body);
  if (!shape || 'item' in shape) return [];
  return Object.entries(shape.entries).flatMap(([name, one]) => [
    path + name,
    ...fieldsOf(one, undefined, `${path}${name}.`),
  ]);
}

/** The part of a schema that names fields. Free-form objects, such as `metadata`, have none. */
function shapeOf(schema: BodySchema, value: unknown): BodyShape | undefined {
  const { type, entries, item, wrapped, pipe, getter } = schema as unknown as Parts;
  if (type === 'object' && entries) return { entries };
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
