/** Turns valibot schemas into JSON Schema with the same accepted and refused values. */

import { type ConversionConfig, type JsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { METADATA, METADATA_RULE } from '../../functions/agents/add-task.ts';
import { validSources } from '../../shared/agents/agent-input.ts';

export type { JsonSchema };
export type NamedSchemas = Readonly<Record<string, v.GenericSchema>>;

/** Checks that are functions, keyed by their error message. */
const CUSTOM: Record<string, JsonSchema> = {
  [METADATA_RULE]: {
    type: 'object',
    maxProperties: METADATA.keys,
    propertyNames: { maxLength: METADATA.keyCharacters },
    additionalProperties: { type: 'string', maxLength: METADATA.valueCharacters },
  },
};
/** The sources that every organization has. An operator may add others, so the enumeration stays open. */
export const SOURCES: readonly string[] = [...validSources(undefined)];

const FORMATS: Record<string, string> = {
  'must be an absolute HTTPS URL without credentials': 'uri',
  'must be a public HTTPS URL': 'uri',
  'must be an e-mail address, with at most 64 characters before its @': 'email',
};

type Override = NonNullable<ConversionConfig['overrideSchema']>;

const takes = (schema: v.GenericSchema, value: unknown): boolean => v.safeParse(schema, value).success;

/** A field is optional if the schema accepts an object without it, whichever valibot wrapper says so. */
const mayBeAbsent = (entry: v.GenericSchema): boolean => entry.type === 'exact_optional' || takes(entry, undefined);

/** A list of known words, and any other text. */
const isOpenWord = ({ anyOf = [] }: JsonSchema): boolean =>
  anyOf.length === 2 && (anyOf[0] as JsonSchema).enum !== undefined && (anyOf[1] as JsonSchema).type === 'string';

function orNull(schema: JsonSchema): JsonSchema {
  if (schema.anyOf && isOpenWord(schema)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  const isPlain = typeof schema.type === 'string' && !schema.enum;
  return isPlain ? { ...schema, type: [schema.type as 'string', 'null'] } : { anyOf: [schema, { type: 'null' }] };
}

function nullish({ wrapped, default: usual }: v.NullishSchema<v.GenericSchema, unknown>, converted: JsonSchema) {
  const [inner] = converted.anyOf as [JsonSchema];
  const schema = takes(v.nullish(wrapped, usual as undefined), null) ? orNull(inner) : inner;
  return typeof usual === 'number' || typeof usual === 'boolean' ? { ...schema, default: usual } : schema;
}

type Variant = { key: string; options: { entries: Record<string, { literal: string }> }[] };

/** The discriminator of the union. */
function withDiscriminator({ key, options }: Variant, converted: JsonSchema): JsonSchema {
  const refs = converted.oneOf as JsonSchema[];
  const words = options.map(({ entries }) => entries[key]?.literal);
  const mapping = Object.fromEntries(refs.map(({ $ref }, at) => [words[at], $ref]));
  return { oneOf: refs, discriminator: { propertyName: key, mapping } } as JsonSchema;
}

const overrideSchema: Override = ({ valibotSchema, jsonSchema }) => {
  const schema = valibotSchema as v.GenericSchema;
  if (schema.type === 'nullish') return nullish(schema as v.NullishSchema<v.GenericSchema, unknown>, jsonSchema);
  if (schema.type === 'nullable') return orNull((jsonSchema.anyOf as [JsonSchema])[0]);
  if (schema.type === 'custom') {
    const customSchema = CUSTOM[String((schema as v.CustomSchema<unknown, string>).message)];
    if (!customSchema)
      throw new Error(`Say in scripts/contracts/json-schema.ts what this check takes: ${schema.expects}`);
    return customSchema;
  }
  if ('options' in schema && schema.options === SOURCES) return { type: 'string', examples: [...SOURCES] };
  if (schema.type === 'intersect') return Object.assign({}, ...(jsonSchema.allOf ?? []));
  if (schema.type === 'variant') return withDiscriminator(schema as unknown as Variant, jsonSchema);
  if ('entries' in schema) {
    const entries = Object.entries(schema.entries as Record<string, v.GenericSchema>);
    const required = entries.filter(([, entry]) => !mayBeAbsent(entry)).map(([name]) => name);
    const { required: _, ...withoutRequired } = jsonSchema;
    const open = schema.type === 'loose_object' ? { additionalProperties: true } : {};
    return { ...withoutRequired, ...open, ...(required.length > 0 ? { required } : {}) };
  }
  return undefined;
};

const overrideAction: NonNullable<ConversionConfig['overrideAction']> = ({ valibotAction, jsonSchema }) => {
  const { type, requirement, message } = valibotAction as { type: string; requirement?: unknown; message?: unknown };
  // JSON Schema counts characters, not the units of JavaScript.
  if (type === 'max_code_points') return { ...jsonSchema, maxLength: requirement as number };
  const messageText = typeof message === 'function' ? message({ input: '' }) : message;
  const format = typeof messageText === 'string' ? FORMATS[messageText] : undefined;
  return format ? { ...jsonSchema, format } : undefined;
};

/** `from` says whether the input or the output of the schema is described. */
export function schemasOf(schemas: NamedSchemas, from: 'input' | 'output'): Record<string, JsonSchema> {
  return structuredClone(
    toJsonSchemaDefs(schemas, {
      target: 'draft-2020-12',
      typeMode: from,
      errorMode: 'ignore',
      overrideSchema,
      overrideAction,
      overrideRef: ({ referenceId }) => refTo(referenceId),
    }),
  );
}

export const refTo = (name: string): string => `#/components/schemas/${name}`;
