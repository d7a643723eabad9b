/** Counts what a document has cost so far, and ends the reading at the first limit that is passed. */
import { unreadable } from '../failure.ts';
import type { Limits } from '../limits.ts';

export type Budget = {
  /** Counts a text and hands it back. */
  take(text: string): string;
  countCells(amount: number): void;
  unpack(bytes: number): void;
  /** What may still be unpacked. */
  left(): number;
};

export function budgetOf({ textLength, cells, unpackedBytes }: Limits): Budget {
  let text = textLength;
  let most = cells;
  let packed = unpackedBytes;
  const within = (left: number) => {
    if (left < 0) throw unreadable('tooLarge');
  };
  return {
    take(piece) {
      text -= piece.length;
      within(text);
      return piece;
    },
    countCells(amount) {
      most -= amount;
      within(most);
    },
    unpack(bytes) {
      packed -= bytes;
      within(packed);
    },
    left: () => packed,
  };
}
