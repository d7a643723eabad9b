/** A schema as models are told it, and as what they answer is held against it. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { asSchema, jsonSchema, type Schema } from 'ai';
import * as v from 'valibot';

/** The library takes what the standard's own check answers for sound as soon as there is a value in it, faults or none. */
export function toldSchema<S extends v.GenericSchema>(schema: S): Schema<v.InferOutput<S>> {
  const told = asSchema(toStandardJsonSchema(schema));
  // Asked for by each call, and dear to make.
  return jsonSchema(() => told.jsonSchema, {
    validate(value) {
      const held = v.safeParse(schema, value);
      return held.success
        ? { success: true, value: held.output }
        : { success: false, error: new v.ValiError(held.issues) };
    },
  });
}
