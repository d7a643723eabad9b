/** Turns the schemas of a document into TypeScript types, one for each name. */

import type { DocumentedSchema } from '../../bin/local/documented-schema.ts';

export function typesOf(document: { components: { schemas: Record<string, unknown> } }, about: string): string {
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `${comment(schema as DocumentedSchema, '')}export type ${nameIn(name)} = ${typeOf(schema as DocumentedSchema, '')};\n`,
  );
  return `/** ${about} Written by \`npm run contracts\`. */\n\n${types.join('\n')}`;
}

/** The description, which editors show. */
const comment = ({ description }: DocumentedSchema, indent: string): string =>
  description ? `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n` : '';

/** Renames types whose name is a JavaScript global. */
const nameIn = (name: string): string => (name === 'Error' ? 'ErrorBody' : name === 'File' ? 'StoredFile' : name);

function typeOf(schema: DocumentedSchema, indent: string): string {
  if (schema.$ref) return nameIn(schema.$ref.split('/').at(-1) ?? '');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((option) => typeOf(option, indent)).join(' | ');
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? 'unknown' : types.map((type) => plain(type, schema, indent)).join(' | ');
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

function plain(type: string, schema: DocumentedSchema, indent: string): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return arrayOf(typeOf(schema.items ?? {}, indent));
  return type === 'object' ? objectOf(schema, indent) : type;
}

const arrayOf = (item: string): string => (/^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`);

function objectOf({ properties = {}, required = [], additionalProperties }: DocumentedSchema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isNeeded = required.includes(name);
    const type = `${typeOf(schema, inner)}${isNeeded ? '' : ' | undefined'}`;
    return `${comment(schema, inner)}${inner}${name}${isNeeded ? '' : '?'}: ${type};\n`;
  });
  const additional = additionalType(additionalProperties);
  if (fields.length === 0) return `Record<string, ${additional ?? 'unknown'}>`;
  return `{\n${fields.join('')}${additional ? `${inner}[name: string]: unknown;\n` : ''}${indent}}`;
}

const additionalType = (more: DocumentedSchema | boolean | undefined): string | undefined =>
  more === true ? 'unknown' : more ? typeOf(more, '') : undefined;
