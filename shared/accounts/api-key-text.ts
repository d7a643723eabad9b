/** The text of an API key: `errand_<id>_<secret><checksum>`. The checksum detects typos without a read. */

import { hash } from 'node:crypto';
import { base62Of } from '../core/base62.ts';
import { crc32 } from '../core/crc32.ts';
import { secretText } from '../core/ids.ts';
import type { Ids } from '../ports.ts';

const ID_BYTES = 8;
const SECRET_BYTES = 24;
const CHECK_LENGTH = 6;
/** The lengths of `ID_BYTES` and `SECRET_BYTES` in base 62. */
const ID = /^[0-9A-Za-z]{11}$/;
const ID_LENGTH = 11;
const HEAD = 'errand_';
const TEXT = /^errand_[0-9A-Za-z]{11}_[0-9A-Za-z]{33}[0-9A-Za-z]{6}$/;

const checksum = (text: string): string => base62Of(crc32(text), CHECK_LENGTH);

export function makeKeyText(ids: Ids): { id: string; text: string } {
  const id = secretText(ids, ID_BYTES);
  const head = `${HEAD}${id}_${secretText(ids, SECRET_BYTES)}`;
  return { id, text: head + checksum(head) };
}

/** Returns `undefined` for a text that cannot be an API key. */
export function keyIdIn(text: string): string | undefined {
  if (!TEXT.test(text) || checksum(text.slice(0, -CHECK_LENGTH)) !== text.slice(-CHECK_LENGTH)) return undefined;
  return text.slice(HEAD.length, HEAD.length + ID_LENGTH);
}

export const isKeyId = (text: string): boolean => ID.test(text);

export const hashOfKey = (text: string): string => hash('sha256', text, 'base64url');
