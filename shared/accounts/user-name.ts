/** User names: unique in the whole product, however they are typed. */
import { hash } from 'node:crypto';
import { Problem } from '../core/problem.ts';
import { base62 } from './base62.ts';

const MIN_NAME_LENGTH = 3;
const MAX_NAME_LENGTH = 128;
/** Letters and digits of any script, and what an e-mail address may have besides. */
const FIT = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~@-]*$/u;

/** Undefined = this can be nobody's name. */
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

/** Upper case first, so that names differing only by ß and SS, or by a final sigma, are one. */
const foldName = (name: string): string => name.normalize('NFKC').trim().toUpperCase().toLowerCase().normalize('NFKC');

/** Drawn from the name, so that one row is both the user and the claim on the name; logs show it in the name's place. */
export const userIdOf = (name: string): string => base62(hash('sha256', foldName(name), 'buffer').subarray(0, 16));
