/**
 * The subset of JSON Schema 2020-12 with which a caller describes the record to extract, and the schema of our answer.
 */

const FORMATS_OF_TEXT = ['date', 'date-time', 'email', 'uri'] as const;
type TextFormat = (typeof FORMATS_OF_TEXT)[number];

/** How to handle fields without a value, and which values are accepted. */
export const ON_MISSING = ['null', 'fail'] as const;
export type OnMissing = (typeof ON_MISSING)[number];
export const ACCEPTED_STATUSES = ['proven', 'computed', 'judged', 'unverified'] as const;
export type AcceptedStatus = (typeof ACCEPTED_STATUSES)[number];
/** The values that are delivered unless the caller says otherwise. */
export const ACCEPTED_BY_DEFAULT: readonly AcceptedStatus[] = ['proven', 'computed', 'judged'];

type Scalar = string | number | boolean;

/** The annotations of every node. They describe the field to people and models, and are never instructions. */
type Annotations = { title?: string; description?: string; isNullable?: true };

export type SchemaLeaf = Annotations & {
  kind: 'string' | 'number' | 'integer' | 'boolean';
  format?: TextFormat;
  /** The values of `enum` or `const`. */
  values?: readonly Scalar[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
};

export type SchemaObject = Annotations & {
  kind: 'object';
  properties: readonly { name: string; node: SchemaNode; isRequired: boolean }[];
  /** The caller's own list; if absent, every property is requested. */
  required?: readonly string[];
  isClosed?: true;
};

export type SchemaArray = Annotations & { kind: 'array'; items: SchemaNode; minItems?: number; maxItems?: number };

export type SchemaNode = SchemaLeaf | SchemaObject | SchemaArray;

export const SCHEMA_LIMITS = {
  bytes: 32_768,
  depth: 5,
  leaves: 200,
  enumValues: 500,
  patternCharacters: 200,
  nameCharacters: 100,
  /** The limit of a counted repetition in a pattern, such as `\d{4}`. */
  repeats: 1_000,
} as const;

/** The location of a fault as keys from the schema's root, and its message. */
type SchemaFault = { path: string[]; message: string };

class Fault extends Error {
  readonly path: readonly string[];
  constructor(path: readonly string[], message: string) {
    super(message);
    this.path = path;
  }
}

/** With `list`, the result is an array of records, and `schema` describes one of them. */
type ParsedSchema = { schema: SchemaObject; list?: SchemaArray };

/** Whether each record of a list describes a file or an entity, for schemas that may describe a list. */
type ListOptions = { listOf?: 'file' | 'entity' };

/** Returns the parsed schema or its first fault. */
export function parseOutputSchema(input: unknown, { listOf }: ListOptions = {}): ParsedSchema | { fault: SchemaFault } {
  try {
    if (!isRecord(input)) throw new Fault([], 'must be a JSON Schema: an object with "type": "object"');
    if (Buffer.byteLength(JSON.stringify(input)) > SCHEMA_LIMITS.bytes)
      throw new Fault([], `must have at most ${SCHEMA_LIMITS.bytes} bytes of JSON`);
    const counts = { leaves: 0, nodes: 0, values: 0 };
    const definitions = ownProperty(input, '$defs');
    if (definitions !== undefined && !isRecord(definitions)) throw new Fault(['$defs'], 'must be an object');
    const schema = parseNode(input, { path: [], depth: 1, definitions: definitions ?? {}, open: [], counts });
    const root = rootOf(schema, listOf);
    if (counts.leaves === 0)
      throw new Fault(root.list ? ['items', 'properties'] : ['properties'], 'must describe at least one field');
    return root;
  } catch (error) {
    if (error instanceof Fault) return { fault: { path: [...error.path], message: error.message } };
    throw error;
  }
}

function rootOf(schema: SchemaNode, listOf: ListOptions['listOf']): ParsedSchema {
  if (schema.kind === 'object') return { schema };
  const list = listOf && schema.kind === 'array' ? schema : undefined;
  if (list?.items.kind === 'object') return { schema: list.items, list };
  if (list) throw new Fault(['items', 'type'], 'must be "object": each entry is a record');
  const alternative = listOf ? `, or "array" for a record of each ${listOf}` : ': the schema describes one record';
  throw new Fault(['type'], `must be "object"${alternative}`);
}

type ParseContext = {
  path: readonly string[];
  depth: number;
  definitions: Record<string, unknown>;
  /** The references being resolved, to detect a definition that contains itself. */
  open: readonly string[];
  counts: { leaves: number; nodes: number; values: number };
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ownProperty = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const ANNOTATIONS = ['$schema', '$id', 'title', 'description', 'default', 'examples', '$defs'] as const;

/** The keywords allowed for each kind of schema, in addition to the annotations. */
const KEYWORDS: Record<SchemaNode['kind'], readonly string[]> = {
  object: ['type', 'properties', 'required', 'additionalProperties'],
  array: ['type', 'items', 'minItems', 'maxItems'],
  string: ['type', 'format', 'pattern', 'enum', 'const', 'minLength', 'maxLength'],
  number: ['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  integer: ['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  boolean: ['type', 'enum', 'const'],
};

/** Each reference and each member of `anyOf` counts, so that definitions cannot grow without limit. */
const MAX_NODES = 2_000;

function parseNode(raw: unknown, at: ParseContext): SchemaNode {
  if (!isRecord(raw)) throw new Fault(at.path, 'must be a schema object');
  at.counts.nodes++;
  if (at.counts.nodes > MAX_NODES) throw new Fault(at.path, 'makes the schema too large when references are followed');
  const described = annotationsOf(raw, at);
  if ('$ref' in raw) return { ...parseReference(raw, at), ...described };
  if ('anyOf' in raw) return { ...parseAnyOf(raw, at), ...described };
  const { kind, isNullable } = kindOf(raw, at);
  const key = Object.keys(raw).find((name) => !isAnnotation(name) && !KEYWORDS[kind].includes(name));
  if (key !== undefined)
    throw new Fault([...at.path, key], `is not a supported keyword for a schema of type ${kind}: leave it out`);
  const common = { ...described, ...(isNullable ? { isNullable } : {}) };
  if (kind === 'object') return { ...parseObject(raw, at), ...common };
  if (kind === 'array') return { ...parseArray(raw, at), ...common };
  return { ...parseLeaf(raw, kind, at), ...common };
}

const isAnnotation = (key: string): boolean => (ANNOTATIONS as readonly string[]).includes(key);

function annotationsOf(raw: Record<string, unknown>, { path }: ParseContext): Annotations {
  const described: Annotations = {};
  for (const key of ['title', 'description'] as const) {
    const text = ownProperty(raw, key);
    if (text === undefined) continue;
    if (typeof text !== 'string') throw new Fault([...path, key], 'must be a string');
    described[key] = text;
  }
  return described;
}

function onlyKeys(raw: Record<string, unknown>, allowed: string, { path }: ParseContext): void {
  const key = Object.keys(raw).find((name) => name !== allowed && !isAnnotation(name));
  if (key !== undefined) throw new Fault([...path, key], `is not supported beside ${allowed}`);
}

const REFERENCE = /^#\/\$defs\/([^/]+)$/;

function parseReference(raw: Record<string, unknown>, at: ParseContext): SchemaNode {
  const path = [...at.path, '$ref'];
  onlyKeys(raw, '$ref', at);
  const reference = ownProperty(raw, '$ref');
  const encoded = typeof reference === 'string' ? REFERENCE.exec(reference)?.[1] : undefined;
  const name = encoded?.replaceAll('~1', '/').replaceAll('~0', '~');
  const target = name === undefined ? undefined : ownProperty(at.definitions, name);
  if (name === undefined || target === undefined)
    throw new Fault(path, 'must name a schema in $defs of the same document, such as #/$defs/Line');
  if (at.open.includes(name)) throw new Fault(path, 'is recursive: a record has a fixed depth');
  return parseNode(target, { ...at, path: ['$defs', name], open: [...at.open, name] });
}

/** pydantic describes a decimal as a number or a string whose pattern starts like this; only the number is used. */
const DECIMAL_TEXT = '^(?!^[-+.]*$)[+-]?0*';
const DECIMAL = '^[+-]?\\d*\\.?\\d*$';
const isDecimalText = (raw: unknown): boolean =>
  isRecord(raw) &&
  ownProperty(raw, 'type') === 'string' &&
  String(ownProperty(raw, 'pattern')).startsWith(DECIMAL_TEXT);

function parseAnyOf(raw: Record<string, unknown>, at: ParseContext): SchemaNode {
  const path = [...at.path, 'anyOf'];
  onlyKeys(raw, 'anyOf', at);
  const members = ownProperty(raw, 'anyOf');
  if (!Array.isArray(members)) throw new Fault(path, 'must be an array of schemas');
  const nonNullMembers = members.filter((member) => !(isRecord(member) && ownProperty(member, 'type') === 'null'));
  const hasNumber = nonNullMembers.some((member) => isRecord(member) && ownProperty(member, 'type') === 'number');
  const [only, ...more] = hasNumber ? nonNullMembers.filter((member) => !isDecimalText(member)) : nonNullMembers;
  if (only === undefined || more.length > 0)
    throw new Fault(path, 'is supported for one schema and null only: describe alternatives as fields of their own');
  const node = parseNode(only, { ...at, path: [...path, String(members.indexOf(only))] });
  return nonNullMembers.length < members.length ? { ...node, isNullable: true } : node;
}

const KINDS = Object.keys(KEYWORDS) as SchemaNode['kind'][];

const KNOWN_KEYWORDS = new Set(Object.values(KEYWORDS).flat());

function kindOf(raw: Record<string, unknown>, { path }: ParseContext): { kind: SchemaNode['kind']; isNullable?: true } {
  const declared = ownProperty(raw, 'type') ?? typeOfValues(raw);
  const unknown = Object.keys(raw).find((name) => !isAnnotation(name) && !KNOWN_KEYWORDS.has(name));
  if (declared === undefined && unknown !== undefined)
    throw new Fault([...path, unknown], 'is not a supported keyword');
  const types = Array.isArray(declared) ? declared : [declared];
  const nonNullTypes = types.filter((type) => type !== 'null');
  const kind = KINDS.find((candidate) => candidate === nonNullTypes[0]);
  if (kind === undefined || nonNullTypes.length !== 1)
    throw new Fault(
      [...path, 'type'],
      `must be one of ${KINDS.join(', ')}, or an array of one of them and "null"; a schema without a type is not supported`,
    );
  return nonNullTypes.length < types.length ? { kind, isNullable: true } : { kind };
}

/** `enum` and `const` need no type if their values have a common one. */
function typeOfValues(raw: Record<string, unknown>): unknown {
  const values = [ownProperty(raw, 'enum') ?? ownProperty(raw, 'const')].flat();
  const types = [...new Set(values.filter((value) => value !== null).map((one) => typeof one))];
  const [type] = types;
  if (types.length !== 1 || type === 'undefined' || type === 'object') return undefined;
  return values.includes(null) ? [type, 'null'] : type;
}

function parseObject(raw: Record<string, unknown>, at: ParseContext): SchemaObject {
  checkDepth(at);
  const properties = ownProperty(raw, 'properties') ?? {};
  if (!isRecord(properties)) throw new Fault([...at.path, 'properties'], 'must be an object');
  const additional = ownProperty(raw, 'additionalProperties');
  if (additional !== undefined && additional !== false)
    throw new Fault([...at.path, 'additionalProperties'], 'is supported as false only: name every property');
  const required = ownProperty(raw, 'required');
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string')))
    throw new Fault([...at.path, 'required'], 'must be an array of property names');
  const names = required as string[] | undefined;
  const unknown = names?.find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) throw new Fault([...at.path, 'required'], 'names a property that is not in properties');
  return {
    kind: 'object',
    properties: Object.entries(properties).map(([name, node]) => {
      const path = [...at.path, 'properties', name];
      if (!isName(name))
        throw new Fault(
          path,
          `must have a name of 1 to ${SCHEMA_LIMITS.nameCharacters} characters without points and control characters`,
        );
      return {
        name,
        node: parseNode(node, { ...at, path, depth: at.depth + 1 }),
        isRequired: names?.includes(name) ?? true,
      };
    }),
    ...(names ? { required: names } : {}),
    ...(additional === false ? { isClosed: true as const } : {}),
  };
}

/** The paths of fields join the names with dots. */
const isName = (name: string): boolean =>
  name !== '' && name.length <= SCHEMA_LIMITS.nameCharacters && !/[.\p{Cc}]/u.test(name);

function checkDepth({ path, depth }: ParseContext): void {
  if (depth > SCHEMA_LIMITS.depth)
    throw new Fault(path, `must be nested at most ${SCHEMA_LIMITS.depth} objects and arrays deep`);
}

function parseArray(raw: Record<string, unknown>, at: ParseContext): SchemaArray {
  checkDepth(at);
  const path = [...at.path, 'items'];
  const items = parseNode(ownProperty(raw, 'items'), { ...at, path, depth: at.depth + 1 });
  if (items.kind === 'array') throw new Fault(path, 'must not be an array: use an array of objects');
  return { kind: 'array', items, ...countLimits(raw, ['minItems', 'maxItems'], at) };
}

function countLimits<Key extends string>(raw: Record<string, unknown>, keys: readonly Key[], { path }: ParseContext) {
  const limits: { [K in Key]?: number } = {};
  for (const key of keys) {
    const value = ownProperty(raw, key);
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || (value as number) < 0)
      throw new Fault([...path, key], 'must be a whole number from 0');
    limits[key] = value as number;
  }
  return limits;
}

const NUMBER_BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

function parseLeaf(raw: Record<string, unknown>, kind: SchemaLeaf['kind'], at: ParseContext): SchemaLeaf {
  at.counts.leaves++;
  if (at.counts.leaves > SCHEMA_LIMITS.leaves)
    throw new Fault(at.path, `is one field too many: a schema has at most ${SCHEMA_LIMITS.leaves}`);
  const leaf: SchemaLeaf = { kind, ...countLimits(raw, ['minLength', 'maxLength'], at) };
  for (const key of NUMBER_BOUNDS) {
    const value = ownProperty(raw, key);
    if (value === undefined) continue;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new Fault([...at.path, key], 'must be a number');
    leaf[key] = value;
  }
  const format = ownProperty(raw, 'format');
  if (format !== undefined) {
    const textFormat = FORMATS_OF_TEXT.find((candidate) => candidate === format);
    if (!textFormat) throw new Fault([...at.path, 'format'], `must be one of ${FORMATS_OF_TEXT.join(', ')}`);
    leaf.format = textFormat;
  }
  const pattern = ownProperty(raw, 'pattern');
  // Libraries write long patterns beside a format; then only the format counts.
  if (isDecimalText(raw)) leaf.pattern = DECIMAL;
  else if (pattern !== undefined && !leaf.format) leaf.pattern = checkedPattern(pattern, [...at.path, 'pattern']);
  const { values, isNullable } = parseValues(raw, kind, at);
  return { ...leaf, ...(values ? { values } : {}), ...(isNullable ? { isNullable } : {}) };
}

function parseValues(
  raw: Record<string, unknown>,
  kind: SchemaLeaf['kind'],
  at: ParseContext,
): { values?: Scalar[]; isNullable?: true } {
  const key = 'enum' in raw ? 'enum' : 'const';
  const declared = ownProperty(raw, key);
  if (declared === undefined) return {};
  const path = [...at.path, key];
  if (key === 'enum' && !(Array.isArray(declared) && declared.length > 0))
    throw new Fault(path, 'must be an array of values');
  const declaredValues = [declared].flat();
  at.counts.values += declaredValues.length;
  if (at.counts.values > SCHEMA_LIMITS.enumValues)
    throw new Fault(path, `makes more than ${SCHEMA_LIMITS.enumValues} values in all enumerations together`);
  const values = declaredValues.filter((value) => value !== null);
  const type = kind === 'integer' ? 'number' : kind;
  if (values.length === 0 || !values.every((value): value is Scalar => typeof value === type && value !== ''))
    throw new Fault(path, `must have values of type ${kind}, or null`);
  return {
    values: values as Scalar[],
    ...(values.length < declaredValues.length ? { isNullable: true as const } : {}),
  };
}

/**
 * A pattern that backtracks without end is stopped in its thread. These rules reject known cases in advance.
 */
function checkedPattern(pattern: unknown, path: readonly string[]): string {
  if (typeof pattern !== 'string') throw new Fault(path, 'must be a string');
  if (pattern.length > SCHEMA_LIMITS.patternCharacters)
    throw new Fault(path, `must have at most ${SCHEMA_LIMITS.patternCharacters} characters`);
  const fault = faultOfPattern(pattern);
  if (fault) throw new Fault(path, fault);
  try {
    new RegExp(pattern, 'u');
  } catch {
    throw new Fault(path, 'must be a regular expression of ECMAScript with Unicode');
  }
  return pattern;
}

const ESCAPE_OR_CLASS = /\\.|\[(?:\\.|[^\]\\])*\]/gsu;
const COUNT = /\{(?<least>\d+)(?<comma>,?)(?<most>\d*)\}/g;
const INNERMOST_GROUP = /\((?:\?:|\?<[^>]*>)?(?<inner>[^()]*)\)(?<repeated>[*+]|\{)?/;

function faultOfPattern(pattern: string): string | undefined {
  const escapedCharacters = pattern.match(/\\./gsu) ?? [];
  if (escapedCharacters.some((character) => /[1-9k]/.test(character))) return 'must not have back-references';
  let simplified = pattern.replaceAll(ESCAPE_OR_CLASS, 'x');
  if (/\(\?<?[=!]/.test(simplified)) return 'must not have look-ahead or look-behind';
  for (const { groups = {} } of simplified.matchAll(COUNT))
    if (Math.max(Number(groups.least), Number(groups.most)) > SCHEMA_LIMITS.repeats)
      return `must not repeat anything more than ${SCHEMA_LIMITS.repeats} times by a count`;
  // An exact count is not a choice, so it may nest; a group with `?` counts as not repeated.
  simplified = simplified.replaceAll(/\{\d+\}/g, (count) => (count === '{1}' ? '' : '{'));
  simplified = simplified.replaceAll(/\{(?=\d)[^}]*\}/g, '*');
  for (let group = INNERMOST_GROUP.exec(simplified); group; group = INNERMOST_GROUP.exec(simplified)) {
    const { inner = '', repeated } = group.groups ?? {};
    const varies = /[*+?]/.test(inner);
    if (varies && repeated !== undefined) return 'must not repeat a group that contains a repetition';
    simplified = simplified.replace(group[0], () => (varies || /[*+]/.test(repeated ?? '') ? 'x*' : 'x'));
  }
  return undefined;
}

/**
 * The schema of the answers: the caller's, in which every leaf may also be null and an array may be empty. `required` only
 * means that the key is present.
 */
export function effectiveSchema(node: SchemaObject | SchemaArray): Record<string, unknown> {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...effectiveNode(node) };
}

function effectiveNode(node: SchemaNode): Record<string, unknown> {
  const { title, description } = node;
  const common = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
  if (node.kind === 'object') {
    // No prototype, because a property may be named `__proto__`.
    const properties: Record<string, unknown> = Object.create(null);
    for (const { name, node: inner } of node.properties) properties[name] = effectiveNode(inner);
    const { required, isClosed } = node;
    return {
      ...common,
      type: 'object',
      properties,
      ...(required ? { required } : {}),
      ...(isClosed ? { additionalProperties: false } : {}),
    };
  }
  if (node.kind === 'array') {
    const { items, maxItems } = node;
    return { ...common, type: 'array', items: effectiveNode(items), ...(maxItems === undefined ? {} : { maxItems }) };
  }
  const { kind, values, isNullable: _, title: __, description: ___, ...constraints } = node;
  return { ...common, type: [kind, 'null'], ...constraints, ...(values ? { enum: [...values, null] } : {}) };
}
