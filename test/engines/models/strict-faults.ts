/** What of a JSON Schema lies outside the strict subset that OpenAI documents for structured outputs. */
import type { JSONSchema7, JSONSchema7Definition } from '@ai-sdk/provider';

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'anyOf', 'enum', 'const', 'description'],
  ...['title', 'pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', '$ref', '$defs'],
]);
const MAX_PROPERTIES = 5_000;
const MAX_DEPTH = 10;

type Visit = { node: JSONSchema7Definition; path: string; depth: number };

export function strictFaults(schema: JSONSchema7 | undefined): string[] {
  if (schema?.type !== 'object') return ['$: the root is no object'];
  const visits = visitsIn({ node: schema, path: '$', depth: 1 });
  const properties = visits.filter(({ path }) => /\.[^.[|]+$/.test(path)).length;
  const tooMany = properties > MAX_PROPERTIES ? [`$: has more than ${MAX_PROPERTIES} properties`] : [];
  return [...tooMany, ...visits.flatMap(faultsOf)];
}

/** The schema itself and all schemas within it. */
function visitsIn(visit: Visit): Visit[] {
  const { node, path, depth } = visit;
  if (typeof node === 'boolean') return [visit];
  const { properties = {}, items = [] } = node;
  const anyOf: readonly JSONSchema7Definition[] = node.anyOf ?? [];
  const within: Visit[] = [
    ...Object.entries(properties).map(([name, node]) => ({ node, path: `${path}.${name}`, depth: depth + 1 })),
    ...[items].flat().map((node) => ({ node, path: `${path}[]`, depth: depth + 1 })),
    ...anyOf.map((node, at): Visit => ({ node, path: `${path}|${at}`, depth })),
  ];
  return [visit, ...within.flatMap(visitsIn)];
}

function faultsOf({ node, path, depth }: Visit): string[] {
  if (typeof node === 'boolean') return [`${path}: is no schema`];
  const unknown = Object.keys(node).filter((keyword) => !KEYWORDS.has(keyword));
  const { properties = {}, required = [], additionalProperties, type } = node;
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return [
    ...(depth > MAX_DEPTH ? [`${path}: is nested more than ${MAX_DEPTH} levels deep`] : []),
    ...unknown.map((keyword) => `${path}: has ${keyword}`),
    ...optional.map((name) => `${path}.${name}: is not required`),
    ...(type === 'object' && additionalProperties !== false ? [`${path}: allows other properties`] : []),
  ];
}
