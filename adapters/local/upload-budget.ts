/**
 * Limits the bytes that one upload URL accepts over all its PUTs. A newer body replaces the earlier ones, so repeated
 * PUTs do not fill the disk, but without a limit one URL could keep the disk writing for an hour. Counts are lost with
 * the process.
 */
import { HOUR_MS } from '../../shared/core/time.ts';
import type { Clock } from '../../shared/ports.ts';

export type UploadBudget = {
  /** Returns false, and takes nothing, if less than `bytes` is left. */
  take(key: string, bytes: number): boolean;
  giveBack(key: string, bytes: number): void;
};

/** An upload URL can be renewed for a day. */
const FORGET_AFTER_MS = 25 * HOUR_MS;

export function uploadBudget({ maxBytes, clock }: { maxBytes: number; clock: Clock }): UploadBudget {
  const uploads = new Map<string, { bytes: number; since: number }>();

  /** The map is in order of insertion, so the oldest entries come first. */
  function forgetOld(): void {
    for (const [key, { since }] of uploads) {
      if (clock.now() - since < FORGET_AFTER_MS) return;
      uploads.delete(key);
    }
  }

  return {
    take(key, bytes) {
      forgetOld();
      const of = uploads.get(key) ?? { bytes: 0, since: clock.now() };
      if (of.bytes + bytes > maxBytes) return false;
      of.bytes += bytes;
      uploads.set(key, of);
      return true;
    },
    giveBack(key, bytes) {
      const of = uploads.get(key);
      if (of) of.bytes -= bytes;
    },
  };
}
