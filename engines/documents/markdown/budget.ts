/** Counts what a document has cost so far, and ends the reading at the first limit that is passed. */
import { unreadable } from '../failure.ts';
import type { DocumentLimits } from '../limits.ts';

export type ReadingBudget = {
  /** Counts a text and hands it back. */
  countText(text: string): string;
  countCells(amount: number): void;
  countUnpacked(bytes: number): void;
  /** What may still be unpacked. */
  unpackedLeft(): number;
};

export function startBudget({ textLength, cells, unpackedBytes }: DocumentLimits): ReadingBudget {
  let textLeft = textLength;
  let cellsLeft = cells;
  let bytesLeft = unpackedBytes;
  const within = (left: number) => {
    if (left < 0) throw unreadable('tooLarge');
  };
  return {
    countText(piece) {
      textLeft -= piece.length;
      within(textLeft);
      return piece;
    },
    countCells(amount) {
      cellsLeft -= amount;
      within(cellsLeft);
    },
    countUnpacked(bytes) {
      bytesLeft -= bytes;
      within(bytesLeft);
    },
    unpackedLeft: () => bytesLeft,
  };
}
