/** User names are unique in the whole product, independent of case and Unicode form. */

import { hash } from 'node:crypto';
import { base62 } from '../core/base62.ts';
import { Problem } from '../core/problem.ts';

const MIN_NAME_LENGTH = 3;
const MAX_NAME_LENGTH = 128;
/** Letters and digits of any script, and the other characters of e-mail addresses. */
const FIT = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~@-]*$/u;

/** Returns undefined for a text that cannot be a user name. */
export function userNameFrom(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const name = text.normalize('NFKC').trim();
  const { length } = Array.from(name);
  return length >= MIN_NAME_LENGTH && length <= MAX_NAME_LENGTH && FIT.test(name) ? name : undefined;
}

export function userName(text: string): string {
  const name = userNameFrom(text);
  if (name !== undefined) return name;
  throw new Problem(
    'invalid',
    `A user name has ${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH} characters: letters, digits and those of an e-mail address, a letter or digit first.`,
  );
}

/** Derived from the name: the row is both the user and the claim on the name, and logs show the id instead of the name. */
export const userIdOf = (name: string): string => base62(hash('sha256', foldName(name), 'buffer').subarray(0, 16));

/** Upper case first, so that ß equals SS and a final sigma equals a sigma. */
const foldName = (name: string): string => name.normalize('NFKC').trim().toUpperCase().toLowerCase().normalize('NFKC');
