/** Keys drawn from the master secret: one for each purpose, so that none can stand in for another. */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { MasterSecret } from '../ports.ts';

/** Drawing a key costs more than a signature with it. They live as long as the secret they are drawn from. */
const drawn = new WeakMap<MasterSecret, Map<string, KeyObject>>();

/** A key object, because a signature with plain bytes costs six times as much. */
export function deriveKey(purpose: string, master: MasterSecret): KeyObject {
  const keys = drawn.get(master) ?? new Map<string, KeyObject>();
  drawn.set(master, keys);
  const key = keys.get(purpose) ?? draw(purpose, master);
  keys.set(purpose, key);
  return key;
}

const draw = (purpose: string, { key }: MasterSecret): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, 'errand', purpose, 32)));
