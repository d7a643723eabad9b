/** Keys derived from the master secret, one for each purpose, so that none works for another. */

import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { MasterSecret } from '../ports.ts';

/** HMAC with SHA-256 (RFC 2104). */
export const hmac = (key: KeyObject, text: string, encoding: 'hex' | 'base64' | 'base64url'): string =>
  createHmac('sha256', key).update(text).digest(encoding);

/** Deriving a key costs more than signing with it. Cached keys live as long as the secret they derive from. */
const derivedKeys = new WeakMap<MasterSecret, Map<string, KeyObject>>();

/** Returns a key object, because signing with plain bytes takes six times as long. */
export function deriveKey(purpose: string, master: MasterSecret): KeyObject {
  const keys = derivedKeys.get(master) ?? new Map<string, KeyObject>();
  derivedKeys.set(master, keys);
  const key = keys.get(purpose) ?? derive(purpose, master);
  keys.set(purpose, key);
  return key;
}

const derive = (purpose: string, { key }: MasterSecret): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, 'errand', purpose, 32)));
