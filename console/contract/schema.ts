/** The part of JSON Schema that the contracts use, and looking a field up in it. */

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
  /** Of a closed list. */
  words: string[] | undefined;
};

/** `input.content.recipients` within a body. A path that the contract does not have is a fault of ours. */
export function fieldAt(body: JsonSchema, path: string): SchemaField {
  let schema = body;
  let isRequired = true;
  for (const name of path.split('.')) {
    const next = schema.properties?.[name];
    if (!next) throw new Error(`The contract has no field ${path}.`);
    isRequired &&= schema.required?.includes(name) === true;
    schema = next;
  }
  return { schema, isRequired, words: wordsOf(schema) };
}

function wordsOf({ enum: words, anyOf }: JsonSchema): string[] | undefined {
  const found = words ?? anyOf?.find((option) => option.enum)?.enum;
  return found?.filter((word) => typeof word === 'string');
}
