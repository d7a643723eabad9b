/** The fields of a JSON Schema, as the reference page lists them. */

/** A JSON Schema, as the reference shows it: fields with dotted names, types and constraints. */
export type DocumentedSchema = {
  $ref?: string;
  description?: string;
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
export type DocumentedField = { name: string; type: string; isRequired: boolean; rules: string; text: string };

const DEEPEST = 6;

export function documentedFields(schema: DocumentedSchema, schemas: Schemas, above = '', depth = 0): DocumentedField[] {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  if (depth > DEEPEST) return [];
  return Object.entries(properties).flatMap(([key, documented]) => {
    const name = above === '' ? key : `${above}.${key}`;
    const field = resolved(documented, schemas);
    const documentedField = {
      name,
      type: typeOf(field, schemas),
      isRequired: required.includes(key),
      rules: rulesOf(field),
      text: documented.description ?? field.description ?? '',
    };
    const inner = insideOf(field, schemas, name);
    return [
      documentedField,
      ...inner.flatMap(({ schema, below }) => documentedFields(schema, schemas, below, depth + 1)),
    ];
  });
}

/** The variants of a schema, each with its name. */
export function variantsOf(schema: DocumentedSchema, schemas: Schemas): [name: string, schema: DocumentedSchema][] {
  const options = resolved(schema, schemas);
  const variants = (options.oneOf ?? options.anyOf ?? []).filter(({ $ref }) => $ref);
  return variants.length > 0
    ? variants.map((variant) => [nameOf(variant), resolved(variant, schemas)])
    : [['', options]];
}

const nameOf = ({ $ref = '' }: DocumentedSchema): string => $ref.split('/').at(-1) ?? '';

const resolved = (schema: DocumentedSchema, schemas: Schemas): DocumentedSchema =>
  schema.$ref ? (schemas[nameOf(schema)] ?? {}) : schema;

/** The object schemas of a field or of its entries, with their names if there are several. */
function insideOf(field: DocumentedSchema, schemas: Schemas, name: string) {
  const list = field.items ? '[]' : '';
  const entry = field.items ? resolved(field.items, schemas) : field;
  const options = (entry.anyOf ?? entry.oneOf ?? [entry]).map((option) => ({
    option: nameOf(option),
    schema: resolved(option, schemas),
  }));
  const objects = options.filter(({ schema }) => schema.properties);
  return objects.map(({ option, schema }) => ({
    schema,
    below: objects.length > 1 ? `${name}${list} (${option})` : `${name}${list}`,
  }));
}

function typeOf(schema: DocumentedSchema, schemas: Schemas): string {
  const target = resolved(schema, schemas);
  if (target.const !== undefined) return JSON.stringify(target.const);
  if (target.enum) return target.enum.map((word) => JSON.stringify(word)).join(' | ');
  const options = target.anyOf ?? target.oneOf;
  if (options) return [...new Set(options.map((option) => optionOf(option, schemas)))].join(' | ');
  const type = [target.type ?? 'any'].flat().join(' | ');
  return target.items ? `${type} of ${typeOf(target.items, schemas)}` : type;
}

const optionOf = (option: DocumentedSchema, schemas: Schemas): string =>
  option.$ref && resolved(option, schemas).properties ? nameOf(option) : typeOf(option, schemas);

function rulesOf(schema: DocumentedSchema): string {
  const rules = [
    schema.format,
    between(schema.minimum, schema.maximum, ''),
    between(schema.minLength, schema.maxLength, 'characters'),
    between(schema.minItems, schema.maxItems, 'entries'),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ];
  return rules.filter((rule) => rule !== undefined && rule !== '').join(', ');
}

function between(min: number | undefined, max: number | undefined, of: string): string | undefined {
  const isBound = max !== undefined && max < Number.MAX_SAFE_INTEGER;
  if (!isBound) return min ? `at least ${min} ${of}`.trim() : undefined;
  return `${min ? `${min} to` : 'up to'} ${max.toLocaleString('en-US')} ${of}`.trim();
}
