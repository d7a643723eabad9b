/**
 * Remembers for a minute which password was right for which hash, so that many sign-ins of one user at once cost one
 * computation. It keeps a MAC under a key that this process made and never writes down; a new password has a new hash.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { lruCache } from '../../shared/core/cache.ts';
import type { Clock, Passwords } from '../../shared/ports.ts';

const CACHE_MS = 60_000;
const MAX_CACHED = 1_000;

export function withVerificationCache(passwords: Passwords, clock: Clock): Passwords {
  const key = randomBytes(32);
  const verified = lruCache<string, Buffer>({ clock, ttlMs: CACHE_MS, max: MAX_CACHED });
  const macOf = (password: string, hash: string): Buffer =>
    createHmac('sha256', key).update(hash).update('\0').update(password.normalize('NFKC')).digest();

  function isCached(mac: Buffer, hash: string): boolean {
    const known = verified.get(hash);
    return known !== undefined && timingSafeEqual(known, mac);
  }

  return {
    hash: (password) => passwords.hash(password),

    async verify(password, hash) {
      const mac = hash === undefined ? undefined : macOf(password, hash);
      if (mac && hash !== undefined && isCached(mac, hash)) return true;
      const isRight = await passwords.verify(password, hash);
      if (isRight && mac && hash !== undefined) verified.set(hash, mac);
      return isRight;
    },
  };
}
