/** The fields of answers as schemas: each with its description, from which the contracts are written. Not part of any bundle. */
import * as v from 'valibot';

/** Adds a description of what a field's name does not tell: unit, default, limits, effect or an example. */
export const field = <const S extends v.GenericSchema>(schema: S, text: string) => v.pipe(schema, v.description(text));
export const optionalText = (text: string) => v.exactOptional(field(v.string(), text));
export const optionalTrue = (text: string) => v.exactOptional(field(v.literal(true), text));

/** A picklist of all members of a union: a missing or extra member does not compile. */
export const oneOfAll = <T extends string>(words: Readonly<Record<T, true>>) =>
  v.picklist(Object.keys(words) as [T, ...T[]]);

export const time = v.pipe(v.string(), v.isoTimestamp());
export const timeOrNull = v.nullable(time);
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const amount = v.pipe(v.number(), v.minValue(0));
