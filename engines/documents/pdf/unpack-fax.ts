/** Unpacks a picture that is packed as a fax of group 4 (ITU-T T.6): each line is told by its changes against the one above. */
import { BLACK_RUNS, type Codes, LINE_MODES, WHITE_RUNS } from './fax-codes.ts';

export type Fax = { bytes: Uint8Array; width: number; height: number; whiteIsSet: boolean; isAligned: boolean };

/** Places of a line at which the colour changes; it begins white, so every second one is to black. */
type Changes = number[];
type Bits = { next<Value>(codes: Codes<Value>): Value | undefined; align(): void };

const MAKE_UP = 64;

/** One bit a pixel. What cannot be made out, or is missing, stays white. */
export function unpackFax({ bytes, width, height, whiteIsSet, isAligned }: Fax): Uint8Array {
  const rowBytes = Math.ceil(width / 8);
  const data = new Uint8Array(rowBytes * height).fill(0xff);
  const bits = bitsOf(bytes);
  let above: Changes = [];
  for (let row = 0; row < height; row++) {
    const changes = lineBelow(above, width, bits);
    if (!changes) break;
    for (let at = whiteIsSet ? 0 : -1; at < changes.length; at += 2) {
      blacken(data, row * rowBytes * 8, changes[at] ?? 0, changes[at + 1] ?? width);
    }
    if (isAligned) bits.align();
    above = changes;
  }
  return data;
}

function blacken(data: Uint8Array, row: number, from: number, to: number): void {
  for (let at = row + from; at < row + to; at++) {
    const byte = at >> 3;
    data[byte] = (data[byte] ?? 0) & ~(0x80 >> (at & 7));
  }
}

/** Nothing at the end of the fax, and where no code is known: all that follows would be noise. */
function lineBelow(above: Changes, width: number, bits: Bits): Changes | undefined {
  const changes: Changes = [];
  let at = -1;
  let first = 0;
  while (at < width) {
    const isBlack = changes.length % 2 === 1;
    first = nextAbove(above, { from: first, at, isBlack });
    const mode = bits.next(LINE_MODES);
    if (mode === 'pass') {
      at = above[first + 1] ?? width;
      continue;
    }
    const next =
      mode === 'runs' ? runsOf(bits, isBlack, Math.max(at, 0)) : [(above[first] ?? width) + (mode ?? -width)];
    const isWrong = mode === undefined || (next[0] ?? -1) < Math.max(at, 0) || changes.length > width;
    if (isWrong) return undefined;
    changes.push(...next.map((change) => Math.min(change, width)));
    at = changes.at(-1) ?? width;
  }
  return changes;
}

type SearchPosition = { from: number; at: number; isBlack: boolean };

/** The first change above that lies ahead and goes the other way. What lies far behind is not looked at again. */
function nextAbove(above: Changes, { from, at, isBlack }: SearchPosition): number {
  let next = from;
  while (next > 0 && (above[next - 1] ?? 0) > at) next--;
  while (next < above.length && ((above[next] ?? 0) <= at || (next % 2 === 1) !== isBlack)) next++;
  return next;
}

/** One of this colour and one of the other. */
function runsOf(bits: Bits, isBlack: boolean, from: number): Changes {
  const one = runOf(bits, isBlack);
  const other = runOf(bits, !isBlack);
  return one === undefined || other === undefined ? [] : [from + one, from + one + other];
}

function runOf(bits: Bits, isBlack: boolean): number | undefined {
  for (let length = 0; ; ) {
    const run = bits.next(isBlack ? BLACK_RUNS : WHITE_RUNS);
    if (run === undefined) return undefined;
    length += run;
    if (run < MAKE_UP) return length;
  }
}

function bitsOf(bytes: Uint8Array): Bits {
  let at = 0;
  return {
    next(codes) {
      let value = 0;
      for (let length = 1; length <= codes.longest; length++) {
        const bit = at + length - 1;
        const byte = bytes[bit >> 3];
        if (byte === undefined) return undefined;
        value = (value << 1) | ((byte >> (7 - (bit & 7))) & 1);
        const found = codes.find(length, value);
        if (found !== undefined) {
          at += length;
          return found;
        }
      }
      return undefined;
    },
    align() {
      at = (at + 7) & ~7;
    },
  };
}
