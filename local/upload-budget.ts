/**
 * How many bytes one upload address takes, all its PUTs together. The newest body replaces the ones before, so repeated PUTs
 * do not fill the disk, but without a limit one address could keep it writing for an hour. Counts are lost with the process.
 */
import type { Clock } from '../shared/ports.ts';

export type UploadBudget = {
  /** False: that is more than is left, and nothing is taken. */
  take(key: string, bytes: number): boolean;
  giveBack(key: string, bytes: number): void;
};

/** An address can be renewed for a day. */
const FORGET_AFTER_MS = 25 * 3_600_000;

export function uploadBudget({ mostBytes, clock }: { mostBytes: number; clock: Clock }): UploadBudget {
  const taken = new Map<string, { bytes: number; since: number }>();

  /** They stand in the order in which they began. */
  function forgetOld(): void {
    for (const [key, { since }] of taken) {
      if (clock.now() - since < FORGET_AFTER_MS) return;
      taken.delete(key);
    }
  }

  return {
    take(key, bytes) {
      forgetOld();
      const of = taken.get(key) ?? { bytes: 0, since: clock.now() };
      if (of.bytes + bytes > mostBytes) return false;
      of.bytes += bytes;
      taken.set(key, of);
      return true;
    },
    giveBack(key, bytes) {
      const of = taken.get(key);
      if (of) of.bytes -= bytes;
    },
  };
}
