/** A schema as the fields that somebody sends or reads: their names with dots, what they are, what they may be. */

export type DocumentedSchema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: DocumentedSchema[];
  oneOf?: DocumentedSchema[];
  items?: DocumentedSchema;
  properties?: Record<string, DocumentedSchema>;
  required?: string[];
  additionalProperties?: DocumentedSchema | boolean;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
};
export type Schemas = Record<string, DocumentedSchema>;
export type DocumentedField = { name: string; type: string; isRequired: boolean; rules: string };

const DEEPEST = 6;

export function fieldsOf(schema: DocumentedSchema, schemas: Schemas, above = '', depth = 0): DocumentedField[] {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  if (depth > DEEPEST) return [];
  return Object.entries(properties).flatMap(([key, given]) => {
    const name = above === '' ? key : `${above}.${key}`;
    const field = resolved(given, schemas);
    const { inner, below } = insideOf(field, schemas, name);
    const own = { name, type: typeOf(field, schemas), isRequired: required.includes(key), rules: rulesOf(field) };
    return [own, ...(inner ? fieldsOf(inner, schemas, below, depth + 1) : [])];
  });
}

/** The variants of a schema, each with what it is called. */
export function variantsOf(schema: DocumentedSchema, schemas: Schemas): [name: string, schema: DocumentedSchema][] {
  const options = resolved(schema, schemas);
  const found = (options.oneOf ?? options.anyOf ?? []).filter(({ $ref }) => $ref);
  return found.length > 0 ? found.map((each) => [nameOf(each), resolved(each, schemas)]) : [['', options]];
}

const nameOf = ({ $ref = '' }: DocumentedSchema): string => $ref.split('/').at(-1) ?? '';

const resolved = (schema: DocumentedSchema, schemas: Schemas): DocumentedSchema =>
  schema.$ref ? (schemas[nameOf(schema)] ?? {}) : schema;

function insideOf(
  field: DocumentedSchema,
  schemas: Schemas,
  name: string,
): { inner?: DocumentedSchema; below: string } {
  const one = field.anyOf ? resolved(field.anyOf[0] ?? {}, schemas) : field;
  if (one.properties) return { inner: one, below: name };
  const item = one.items && resolved(one.items, schemas);
  return item?.properties ? { inner: item, below: `${name}[]` } : { below: name };
}

function typeOf(schema: DocumentedSchema, schemas: Schemas): string {
  const one = resolved(schema, schemas);
  if (one.const !== undefined) return JSON.stringify(one.const);
  if (one.enum) return one.enum.map((word) => JSON.stringify(word)).join(' | ');
  const options = one.anyOf ?? one.oneOf;
  if (options) return options.map((option) => typeOf(option, schemas)).join(' | ');
  const type = [one.type ?? 'any'].flat().join(' | ');
  return one.items ? `${type} of ${typeOf(one.items, schemas)}` : type;
}

function rulesOf(schema: DocumentedSchema): string {
  const rules = [
    schema.format,
    between(schema.minimum, schema.maximum, ''),
    between(schema.minLength, schema.maxLength, 'characters'),
    between(schema.minItems, schema.maxItems, 'entries'),
    schema.default === undefined ? undefined : `${JSON.stringify(schema.default)} if left out`,
  ];
  return rules.filter((rule) => rule !== undefined && rule !== '').join(', ');
}

function between(least: number | undefined, most: number | undefined, of: string): string | undefined {
  const isBound = most !== undefined && most < Number.MAX_SAFE_INTEGER;
  if (!isBound) return least ? `at least ${least} ${of}`.trim() : undefined;
  return `${least ? `${least} to` : 'up to'} ${most.toLocaleString('en-US')} ${of}`.trim();
}
