/** Converts a schema to the form that models get, and validates their answers against it. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { asSchema, jsonSchema, type Schema } from 'ai';
import * as v from 'valibot';

/**
 * Validates explicitly: the library accepts the result of the standard's own check as soon as it has a value, even with
 * issues.
 */
export function modelSchema<S extends v.GenericSchema>(schema: S): Schema<v.InferOutput<S>> {
  const standard = asSchema(toStandardJsonSchema(schema));
  // Each call asks for this schema, and it is expensive to build.
  return jsonSchema(() => standard.jsonSchema, {
    validate(value) {
      const parsed = v.safeParse(schema, value);
      return parsed.success
        ? { success: true, value: parsed.output }
        : { success: false, error: new v.ValiError(parsed.issues) };
    },
  });
}
