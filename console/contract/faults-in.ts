/** What is wrong with a body, by the contract's own schema: each field with its reason, in the API's words. */
import type { JsonSchema } from './schema.ts';

export type FieldFault = { path: string; reason: string };

export function faultsIn(schema: JsonSchema, value: unknown, path = ''): FieldFault[] {
  const types = [schema.type].flat();
  if (schema.anyOf) return anyOfFaults(schema.anyOf, value, path);
  if (value === null && types.includes('null')) return [];
  const closed = closedFault(schema, value);
  if (closed !== undefined) return closed.map((reason) => ({ path, reason }));
  if (types.includes('array')) return arrayFaults(schema, value, path);
  if (types.includes('object')) return objectFaults(schema, value, path);
  return plainFault(schema, types, value).map((reason) => ({ path, reason }));
}

function anyOfFaults(options: JsonSchema[], value: unknown, path: string): FieldFault[] {
  const [first = [], ...others] = options.map((option) => faultsIn(option, value, path));
  return others.some((faults) => faults.length === 0) ? [] : first;
}

/** Undefined where any value may stand. */
function closedFault(schema: JsonSchema, value: unknown): string[] | undefined {
  if (schema.const !== undefined) return value === schema.const ? [] : [`must be ${JSON.stringify(schema.const)}`];
  if (schema.enum) return schema.enum.includes(value) ? [] : [`must be one of ${schema.enum.join(', ')}`];
  return undefined;
}

function plainFault(schema: JsonSchema, types: (string | undefined)[], value: unknown): string[] {
  if (types.includes('string')) return stringFault(schema, value);
  if (types.includes('integer') || types.includes('number')) return numberFault(schema, value);
  if (types.includes('boolean')) return typeof value === 'boolean' ? [] : ['must be true or false'];
  return types.includes('null') && value !== null ? ['must be left out'] : [];
}

function stringFault({ minLength = 0, maxLength, pattern, format }: JsonSchema, value: unknown): string[] {
  if (typeof value !== 'string') return ['must be a string'];
  if (value.length < minLength || (pattern === '\\S' && value.trim() === '')) return ['must not be empty'];
  if (maxLength !== undefined && value.length > maxLength && [...value].length > maxLength)
    return [`must have at most ${maxLength} characters`];
  if (format === 'uri' && !isAddress(value))
    return ['must be an absolute address, such as https://files.acme.org/a.pdf'];
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value)) return ['must be an e-mail address'];
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return ['has not the form that is asked for'];
  return [];
}

const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

function numberFault({ type, minimum = -Infinity, maximum = Infinity }: JsonSchema, value: unknown): string[] {
  const isWhole = [type].flat().includes('integer');
  const fits =
    typeof value === 'number' && (!isWhole || Number.isInteger(value)) && value >= minimum && value <= maximum;
  return fits ? [] : [`must be a ${isWhole ? 'whole ' : ''}number from ${minimum} to ${maximum}`];
}

function arrayFaults(
  { items = {}, minItems = 0, maxItems = Infinity }: JsonSchema,
  value: unknown,
  path: string,
): FieldFault[] {
  if (!Array.isArray(value)) return [{ path, reason: 'must be an array' }];
  if (value.length < minItems)
    return [{ path, reason: `must have at least ${minItems} entr${minItems === 1 ? 'y' : 'ies'}` }];
  if (value.length > maxItems) return [{ path, reason: `must have at most ${maxItems} entries` }];
  return value.flatMap((entry, index) => faultsIn(items, entry, `${path}.${index}`));
}

function objectFaults(schema: JsonSchema, value: unknown, path: string): FieldFault[] {
  const { properties = {}, required = [], propertyNames, maxProperties = Infinity, additionalProperties } = schema;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ path, reason: 'must be an object' }];
  const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
  if (given.length > maxProperties) return [{ path, reason: `must have at most ${maxProperties} entries` }];
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  const missing = required.filter((name) => !given.some(([key]) => key === name));
  return [
    ...missing.map((name) => ({ path: below(name), reason: 'is required' })),
    ...given.flatMap(([name, entry]) => [
      ...(propertyNames ? faultsIn({ type: 'string', ...propertyNames }, name, path) : []),
      ...faultsIn(
        properties[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : {}),
        entry,
        below(name),
      ),
    ]),
  ];
}
