/** What the bodies and the limits of this API have in common. */
import * as v from 'valibot';
import type { Limit } from '../../shared/limits/limit.ts';

/** All reads of the API share this limit. */
export const READS: Limit = { name: 'reads', minute: 600, inBlocks: true };

/** A text that must be there: absent, null and empty are all missing. */
export const required = (field: string, missing: string) =>
  v.nullish(v.pipe(v.string(`${field} must be a string`), v.minLength(1, missing)), '');

const WHOLE = 'must be a whole number of bytes';

export const requiredBytes = (field: string, missing: string) =>
  v.pipe(
    v.nullish(v.unknown(), null),
    v.custom<number>((value) => value !== null, missing),
    v.custom<number>((value) => Number.isSafeInteger(value) && (value as number) >= 0, `${field} ${WHOLE}`),
  );
