/** Identifies a recipient without naming the address. */

import { createHash } from 'node:crypto';

const MARK_CHARACTERS = 22;

/** The same for every spelling of upper and lower case, but different in each organization. */
export const recipientMark = (organization: string, address: string): string =>
  createHash('sha256')
    .update(`${organization}\0${address.trim().toLowerCase()}`)
    .digest('base64url')
    .slice(0, MARK_CHARACTERS);

const MARK = new RegExp(`^[\\w-]{${MARK_CHARACTERS}}$`);
export const isRecipientMark = (text: string): boolean => MARK.test(text);

/** Shortens an address for readers who know it: `a…@host.org`. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const [initial = ''] = address;
  return `${initial}…${address.slice(at)}`;
}
