/** Validates values against the contracts with an independent JSON Schema validator. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Any } from '../../support/any.ts';

const FOLDER = join(import.meta.dirname, '../../../contracts');
export const contract = (name: string): Any => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));

/** Contracts allow additional fields; here each field without a description is a fault. */
function closeSchemas(schema: Any): Any {
  if (Array.isArray(schema)) return schema.map(closeSchemas);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closeSchemas(value)]));
  const isOpen = schema.type === 'object' && schema.properties && !('additionalProperties' in schema);
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}

/** Faults of a value under the schema of that name, as texts. */
export function checker(document: Any): (name: string, value: unknown) => string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  ajv.addSchema({ $id: 'contract', components: { schemas: closeSchemas(document.components.schemas) } });
  return (name, value) => {
    const validate = ajv.getSchema(`contract#/components/schemas/${name}`);
    if (!validate) throw new Error(`The contract has no schema ${name}.`);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((e) => `${name}${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
  };
}

/** The name of an answer's schema, by operation and status. */
export function answerOf(
  document: Any,
  operation: { method: string; path: string },
  status: number,
): string | undefined {
  const found = document.paths[operation.path]?.[operation.method.toLowerCase()];
  if (!found) throw new Error(`The contract has no ${operation.method} ${operation.path}.`);
  const answer = found.responses[String(status)];
  if (!answer) throw new Error(`The contract has no answer ${status} of ${operation.method} ${operation.path}.`);
  const schema = answer.content?.['application/json']?.schema.$ref;
  return schema?.split('/').at(-1);
}
