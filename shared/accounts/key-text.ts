/** The text of an API key: `errand_<id>_<secret><checksum>`. A typo is told from an unknown key without a read. */
import { hash } from 'node:crypto';
import { crc32 } from '../core/crc32.ts';
import type { Ids } from '../ports.ts';
import { base62Of, secretText } from './base62.ts';

const ID_BYTES = 8;
const SECRET_BYTES = 24;
const CHECK_LENGTH = 6;
/** The lengths are those of so many bytes in base 62. */
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

/** Undefined = this was never a key of ours. */
export function keyIdIn(text: string): string | undefined {
  if (!TEXT.test(text) || checksum(text.slice(0, -CHECK_LENGTH)) !== text.slice(-CHECK_LENGTH)) return undefined;
  return text.slice(HEAD.length, HEAD.length + ID_LENGTH);
}

export const isKeyId = (text: string): boolean => ID.test(text);

export const hashOfKey = (text: string): string => hash('sha256', text, 'base64url');
