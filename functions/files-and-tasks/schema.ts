/** What the bodies, the pages and the limits of this API have in common. */
import * as v from 'valibot';
import { Problem } from '../../shared/core/problem.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import type { Query } from '../http/query.ts';

/** All reads of the API share this limit. */
export const READS: Limit = { name: 'reads', minute: 600, inBlocks: true };

/** Writes that have no limit of their own. */
export const WRITES: Limit = { name: 'writes', minute: 120 };

/** A text that may be left out: absent, null and empty are the same. */
export const optional = (field: string) => v.nullish(v.string(`${field} must be a string`), '');

/** A text that must be there: absent, null and empty are all missing. */
export const required = (field: string, missing: string) =>
  v.nullish(v.pipe(v.string(`${field} must be a string`), v.minLength(1, missing)), '');

const WHOLE = 'must be a whole number of bytes';

export const requiredBytes = (field: string, missing: string) =>
  v.pipe(
    v.nullish(v.unknown(), null),
    v.custom<number>((value) => value !== null, missing),
    v.number(`${field} ${WHOLE}`),
    v.safeInteger(`${field} ${WHOLE}`),
    v.minValue(0, `${field} ${WHOLE}`),
  );

export const DEFAULT_PAGE = 20;
export const MAX_PAGE = 100;

/** `limit` and `cursor` of a list. A bad value is refused, never bent into a good one. */
export function pageIn(query: Query): { limit: number; after?: string } {
  const text = query.get('limit');
  const limit = text === null ? DEFAULT_PAGE : Number(text);
  if ((text !== null && !/^\d{1,3}$/.test(text)) || limit < 1 || limit > MAX_PAGE) {
    throw new Problem('invalid', `limit must be a whole number from 1 to ${MAX_PAGE}`);
  }
  const after = query.get('cursor');
  return { limit, ...(after ? { after } : {}) };
}
