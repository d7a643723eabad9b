/** Names unknown fields of a body, with the nearest known field. */

import type * as v from 'valibot';
import { nearestName } from '../../shared/core/nearest-name.ts';
import { limitWarnings, quotedName } from '../../shared/core/warnings.ts';
import { ignoredWarning } from './route.ts';

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
export function warningsAbout(schema: BodySchema, body: object): string[] {
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
  knownFieldPaths(schema, body).find((path) => path.endsWith(`.${name}`) || path === name);

/** The dotted names of all fields of a schema, except those of list entries. */
export function knownFieldPaths(schema: BodySchema, body: unknown, path = ''): string[] {
  const shape = shapeOf(schema, body);
  if (!shape || 'item' in shape) return [];
  return Object.entries(shape.entries).flatMap(([name, fieldSchema]) => [
    path + name,
    ...knownFieldPaths(fieldSchema, undefined, `${path}${name}.`),
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
