/** Validates a body against the contract's schema. Reasons use the words of the API. */

/** The part of JSON Schema that the contracts use, and how to look up a field. */
export type JsonSchema = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  default?: unknown;
  examples?: unknown[];
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  propertyNames?: JsonSchema;
  maxProperties?: number;
  additionalProperties?: JsonSchema | boolean;
};

export type SchemaField = {
  schema: JsonSchema;
  isRequired: boolean;
  /** The words of a closed list. */
  words: string[] | undefined;
};

/** For example `input.content.recipients` in a body. A path that the contract does not have is our bug. */
export function fieldAt(body: JsonSchema, path: string): SchemaField {
  let schema = body;
  let isRequired = true;
  for (const name of path.split('.')) {
    const next = [schema, ...optionsOf(schema)].find(({ properties }) => properties?.[name])?.properties?.[name];
    if (!next) throw new Error(`The contract has no field ${path}.`);
    isRequired &&= schema.required?.includes(name) === true;
    schema = next;
  }
  return { schema, isRequired, words: wordsOf(schema) };
}

/** The alternatives of a schema, those of alternatives too. */
const optionsOf = ({ anyOf = [] }: JsonSchema): JsonSchema[] =>
  anyOf.flatMap((option) => (option.anyOf ? optionsOf(option) : [option]));

function wordsOf({ enum: words, anyOf }: JsonSchema): string[] | undefined {
  const enumWords = words ?? anyOf?.find((option) => option.enum)?.enum;
  return enumWords?.filter((word) => typeof word === 'string');
}

/** An invalid field of a body and the reason, in the words of the API. */
export type FieldFault = { path: string; reason: string };

export function faultsIn(schema: JsonSchema, value: unknown, path = ''): FieldFault[] {
  const types = [schema.type].flat();
  if (schema.anyOf) return anyOfFaults(optionsOf(schema), value, path);
  if (value === null && types.includes('null')) return [];
  const closed = closedFault(schema, value);
  if (closed !== undefined) return closed.map((reason) => ({ path, reason }));
  if (types.includes('array')) return arrayFaults(schema, value, path);
  if (types.includes('object')) return objectFaults(schema, value, path);
  return plainFault(schema, types, value).map((reason) => ({ path, reason }));
}

function anyOfFaults(options: JsonSchema[], value: unknown, path: string): FieldFault[] {
  const faults = options.map((option) => faultsIn(option, value, path));
  if (faults.some((optionFaults) => optionFaults.length === 0)) return [];
  // An object was meant as the option that is one.
  const objectOption = options.findIndex(({ properties }) => properties !== undefined && typeof value === 'object');
  return faults[Math.max(0, objectOption)] ?? [];
}

/** `undefined`: the schema allows any value. */
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
  if (format === 'uri' && !isAddress(value)) return ['must be an absolute URL, such as https://files.acme.org/a.pdf'];
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value)) return ['must be an e-mail address'];
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return ['does not have the expected form'];
  return [];
}

const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

function numberFault({ type, minimum = -Infinity, maximum = Infinity }: JsonSchema, value: unknown): string[] {
  const isWhole = [type].flat().includes('integer');
  const fits =
    typeof value === 'number' && (!isWhole || Number.isInteger(value)) && value >= minimum && value <= maximum;
  const range = minimum === -Infinity && maximum === Infinity ? '' : ` from ${minimum} to ${maximum}`;
  return fits ? [] : [`must be a ${isWhole ? 'whole ' : ''}number${range}`];
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
  const present = Object.entries(value).filter(([, entry]) => entry !== undefined);
  if (present.length > maxProperties) return [{ path, reason: `must have at most ${maxProperties} entries` }];
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  const missing = required.filter((name) => !present.some(([key]) => key === name));
  return [
    ...missing.map((name) => ({ path: below(name), reason: 'is required' })),
    ...present.flatMap(([name, entry]) => [
      ...(propertyNames ? faultsIn({ type: 'string', ...propertyNames }, name, path) : []),
      ...faultsIn(
        properties[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : {}),
        entry,
        below(name),
      ),
    ]),
  ];
}
