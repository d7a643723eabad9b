/** What a store of blobs takes for a range: S3 would answer one that is turned round with the whole blob. */
import type { ByteRange } from '../ports.ts';

export function checkRange({ from, to = from }: ByteRange): void {
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to >= from) return;
  throw new RangeError(`A range runs from a whole number to one that is not below it, not from ${from} to ${to}.`);
}
