/** Descriptions in the documents: adds those of request bodies, and finds fields, parameters and answers without a useful one. */
import type { FieldTexts } from '../../functions/http/contract.ts';
import type { JsonSchema } from './json-schema.ts';

type Schema = { [key: string]: unknown; description?: string };

/** Calls `visit` for each field within a schema, with its dotted name; `[]` follows the name of a list. */
function eachField(schema: Schema, visit: (path: string, name: string, field: Schema) => void, above = ''): void {
  const {
    properties = {},
    items,
    anyOf = [],
    oneOf = [],
    additionalProperties: more,
  } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
    oneOf?: Schema[];
    additionalProperties?: Schema | boolean;
  };
  for (const option of [...anyOf, ...oneOf]) eachField(option, visit, above);
  if (items) eachField(items, visit, `${above}[]`);
  if (typeof more === 'object') eachField(more, visit, `${above}.*`);
  for (const [name, field] of Object.entries(properties)) {
    const path = above === '' ? name : `${above}.${name}`;
    visit(path, name, field);
    eachField(field, visit, path);
  }
}

/** The schema of a body with the texts that stand beside it in the code. A text that no field has is a mistake. */
export function withTexts(name: string, schema: JsonSchema, texts: FieldTexts): JsonSchema {
  const described = structuredClone(schema);
  const unused = new Set(Object.keys(texts));
  eachField(described as Schema, (path, _, field) => {
    if (unused.delete(path)) field.description = texts[path] as string;
  });
  if (unused.size > 0) throw new Error(`${name} has no field ${[...unused].join(', ')}.`);
  return described;
}

/** Gives each field that is a reference the description of the schema it refers to. */
export function describeReferences(schemas: Record<string, JsonSchema>): void {
  for (const schema of Object.values(schemas) as Schema[])
    eachField(schema, (_, __, field) => {
      const text = typeof field.$ref === 'string' && schemas[field.$ref.split('/').at(-1) ?? '']?.description;
      if (text) field.description ??= text;
    });
}

const MIN_WORDS = 5;
/** Words that do not describe a field. */
const EMPTY = new Set(
  'a an the of is are in on at to for from with by that this it its and or as be was when what which each all'.split(
    ' ',
  ),
);

const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const singular = (word: string): string => word.replace(/(?<=..)(es|s|ed|d)$/, '');

function faultOf(name: string, text: string | undefined): string | undefined {
  if (!text) return 'has no description';
  const words = wordsOf(text);
  if (words.length < MIN_WORDS) return `has a description of less than ${MIN_WORDS} words: ${text}`;
  const nameWords = new Set(wordsOf(name).map(singular));
  const isOnlyName = words.every((word) => EMPTY.has(word) || nameWords.has(singular(word)));
  return isOnlyName ? `has a description of nothing but its name: ${text}` : undefined;
}

type Described = { name?: string; description?: string; $ref?: string };
type Paths = Record<string, Record<string, { parameters?: Described[]; responses: Record<string, Described> }>>;
type DescribedDocument = {
  info: { title: string };
  paths?: Paths;
  webhooks?: Paths;
  components: {
    schemas: Record<string, Schema>;
    parameters?: Record<string, Described>;
    headers?: Record<string, Described>;
  };
};

/** One line for each field, parameter, header and answer whose description is missing, too short, or only its name. */
export function descriptionFaults({ info, paths, webhooks, components }: DescribedDocument): string[] {
  const faults: string[] = [];
  const check = (place: string, name: string, text: string | undefined) => {
    const fault = faultOf(name, text);
    if (fault) faults.push(`${info.title}: ${place} ${fault}`);
  };
  for (const [schema, shape] of Object.entries(components.schemas))
    eachField(shape, (path, name, field) => check(`${schema}.${path}`, `${schema} ${name}`, field.description));
  for (const [name, component] of Object.entries({ ...components.parameters, ...components.headers }))
    check(name, name, component.description);
  for (const [path, methods] of Object.entries({ ...paths, ...webhooks }))
    for (const [method, { parameters = [], responses }] of Object.entries(methods)) {
      const operation = `${method.toUpperCase()} ${path}`;
      for (const { $ref, name = '', description } of parameters)
        if (!$ref) check(`${operation} ?${name}`, name, description);
      for (const [status, { description }] of Object.entries(responses))
        check(`${operation} ${status}`, status, description);
    }
  return faults;
}
