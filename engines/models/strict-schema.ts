/**
 * The form of a JSON Schema that providers hold an answer to strictly. OpenAI's is the narrowest: every key of an object is
 * required, and a key that may be absent is null; no other keys, no defaults, no `$schema`.
 */
import type { JSONSchema7 } from '@ai-sdk/provider';

type Definition = JSONSchema7 | boolean;

export function strictSchema({ $schema: _, default: __, ...schema }: JSONSchema7): JSONSchema7 {
  const { properties, required = [], items, anyOf, ...rest } = schema;
  const of = (definition: Definition): Definition =>
    typeof definition === 'boolean' ? definition : strictSchema(definition);
  return {
    ...rest,
    ...(anyOf ? { anyOf: anyOf.map(of) } : {}),
    ...(items !== undefined ? { items: Array.isArray(items) ? items.map(of) : of(items) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, definition]) => [
              name,
              required.includes(name) ? of(definition) : nullable(of(definition)),
            ]),
          ),
          required: Object.keys(properties),
          additionalProperties: false,
        }
      : {}),
  };
}

const NULL = { type: 'null' } as const;

function nullable(definition: Definition): Definition {
  if (typeof definition === 'boolean') return definition;
  const isNull = (option: Definition) => typeof option !== 'boolean' && option.type === 'null';
  if (definition.anyOf) {
    return definition.anyOf.some(isNull) ? definition : { ...definition, anyOf: [...definition.anyOf, NULL] };
  }
  return { anyOf: [definition, NULL] };
}
