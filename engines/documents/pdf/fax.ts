/** Images of a PDF that are compressed as faxes (CCITT group 4, ITU-T T.6), which pdf.js does not decode. */

/** Code tables of ITU-T T.4 and T.6 as printed there: run lengths 0 to 63, then from 64 in steps of 64. */
const WHITE = `
  00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011
  0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 00011010
  00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 00101100
  00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 00100101 01011000
  01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100 11011 10010 010111 0110111 00110110
  00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 011010011 011010100 011010101 011010110
  011010111 011011000 011011001 011011010 011011011 010011000 010011001 010011010 011000 010011011`;
const BLACK = `
  0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000
  0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111
  00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010
  000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 000001101100
  000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 000001100100
  000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 000000101000
  000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 0000001111 000011001000
  000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 0000001101101 0000001001010
  0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 0000001110101 0000001110110
  0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 0000001011011 0000001100100
  0000001100101`;

/** Run lengths from 1,792 in steps of 64, the same for both colors. */
const LONG = `
  00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111
  000000011100 000000011101 000000011110 000000011111`;

const MODES = {
  pass: '0001',
  runs: '001',
  0: '1',
  1: '011',
  2: '000011',
  3: '0000011',
  '-1': '010',
  '-2': '000010',
  '-3': '0000010',
};

const listOf = (codes: string): string[] => codes.trim().split(/\s+/);

const runsBy = (codes: string): Map<string, number> =>
  new Map([...listOf(codes), ...listOf(LONG)].map((code, at) => [code, at < 64 ? at : (at - 63) * 64]));

/** A code table, searched by the length and value of the bits. */
type Codes<Value> = { longest: number; find(length: number, bits: number): Value | undefined };

function codesOf<Value>(values: Iterable<[string, Value]>): Codes<Value> {
  const byKey = new Map([...values].map(([code, value]) => [Number.parseInt(`1${code}`, 2), value]));
  // A leading one bit makes codes of different lengths distinct.
  return { longest: 13, find: (length, bits) => byKey.get((1 << length) | bits) };
}

const WHITE_RUNS = codesOf(runsBy(WHITE));
const BLACK_RUNS = codesOf(runsBy(BLACK));
/** A number is the distance by which a change is shifted against the line above. */
const LINE_MODES = codesOf<number | 'pass' | 'runs'>(
  Object.entries(MODES).map(([name, code]) => [code, name === 'pass' || name === 'runs' ? name : Number(name)]),
);

export type Fax = { bytes: Uint8Array; width: number; height: number; whiteIsSet: boolean; isAligned: boolean };

/** Positions in a line where the color changes. A line begins white, so even indexes change to black. */
type Changes = number[];
type Bits = { next<Value>(codes: Codes<Value>): Value | undefined; align(): void };

const MAKE_UP = 64;

/**
 * Decodes a group 4 image (ITU-T T.6): each line is encoded by its changes against the one above. Returns one bit per
 * pixel; missing or invalid lines stay white.
 */
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

/** Returns undefined at the end of the fax and at an unknown code, as all that follows would be noise. */
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

/**
 * Returns the first change above that lies ahead and has the opposite color. Starts near the last position, not at the
 * beginning.
 */
function nextAbove(above: Changes, { from, at, isBlack }: SearchPosition): number {
  let next = from;
  while (next > 0 && (above[next - 1] ?? 0) > at) next--;
  while (next < above.length && ((above[next] ?? 0) <= at || (next % 2 === 1) !== isBlack)) next++;
  return next;
}

/** Reads one run of this color and one of the other. */
function runsOf(bits: Bits, isBlack: boolean, from: number): Changes {
  const firstRun = runOf(bits, isBlack);
  const secondRun = runOf(bits, !isBlack);
  return firstRun === undefined || secondRun === undefined ? [] : [from + firstRun, from + firstRun + secondRun];
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
        const run = codes.find(length, value);
        if (run !== undefined) {
          at += length;
          return run;
        }
      }
      return undefined;
    },
    align() {
      at = (at + 7) & ~7;
    },
  };
}

const HEAD_BYTES = 2_000;
const MAX_FAXES = 5_000;

/**
 * Returns the group 4 images of a PDF in file order. Group 3 images are not decoded; scanners write group 4. An image
 * is never inside another object, so its dictionary is readable in the file, except in an encrypted file, where none is
 * found.
 */
export function faxesIn(bytes: Buffer): Fax[] {
  const faxes: Fax[] = [];
  if (bytes.includes('/Encrypt')) return faxes;
  for (let at = bytes.indexOf('/CCITTFaxDecode'); at >= 0 && faxes.length < MAX_FAXES; ) {
    const begins = bytes.indexOf('stream', at);
    if (begins < 0) break;
    const fax = faxAt(bytes, at, begins);
    if (fax) faxes.push(fax);
    at = bytes.indexOf('/CCITTFaxDecode', begins);
  }
  return faxes;
}

function faxAt(bytes: Buffer, at: number, begins: number): Fax | undefined {
  const before = bytes.toString('latin1', Math.max(0, at - HEAD_BYTES), Math.min(begins, at + HEAD_BYTES));
  const head = before.slice(before.lastIndexOf(' obj', Math.min(at, HEAD_BYTES)) + 1);
  const numberOf = (name: string) => Number(new RegExp(`/${name}\\s+(-?\\d+)(?!\\s+\\d+\\s+R)`).exec(head)?.[1]);
  const isTrue = (name: string) => new RegExp(`/${name}\\s+true`).test(head);
  const [width, height] = [numberOf('Width'), numberOf('Height')];
  const columns = numberOf('Columns');
  const isAlone = !/\/(Flate|LZW|ASCII85|ASCIIHex|RunLength)Decode/.test(head);
  if (!isAlone || !(numberOf('K') < 0) || !(width > 0) || !(height > 0) || columns !== width) return undefined;
  const from = begins + 'stream'.length + (bytes[begins + 6] === 13 ? 2 : 1);
  const length = numberOf('Length');
  const end = length > 0 ? from + length : bytes.indexOf('endstream', from);
  const isInverted = /\/Decode\s*\[\s*1(\.0)?\s+0/.test(head);
  return {
    bytes: bytes.subarray(from, end < 0 ? bytes.length : end),
    width,
    height,
    whiteIsSet: isTrue('BlackIs1') === isInverted,
    isAligned: isTrue('EncodedByteAlign'),
  };
}
