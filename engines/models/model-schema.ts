/** A schema as models are told it, and as what they answer is held against it. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { asSchema, jsonSchema, type Schema } from 'ai';
import * as v from 'valibot';

/** The library takes what the standard's own check answers for sound as soon as there is a value in it, faults or none. */
export function modelSchema<S extends v.GenericSchema>(schema: S): Schema<v.InferOutput<S>> {
  const standard = asSchema(toStandardJsonSchema(schema));
  // Asked for by each call, and dear to make.
  return jsonSchema(() => standard.jsonSchema, {
    validate(value) {
      const parsed = v.safeParse(schema, value);
      return parsed.success
        ? { success: true, value: parsed.output }
        : { success: false, error: new v.ValiError(parsed.issues) };
    },
  });
}
