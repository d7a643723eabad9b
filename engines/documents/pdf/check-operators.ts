/**
 * Refuses a PDF with a content stream of more drawing operators than any real page has, before pdf.js parses it at about a
 * microsecond for each. The streams are looked for in the bytes of the file, so those that are encrypted, or packed other
 * than by Flate, are not seen: they end at the limit of CPU time.
 */
import { Readable } from 'node:stream';
import { constants, createInflate } from 'node:zlib';
import { unreadable } from '../failure.ts';

/** Between an object's number and its stream. */
const DICTIONARY_BYTES = 2_000;
const STREAM = 'stream';
const END = 'endstream';
/** Deflate cannot pack more tightly than that, and an operator has at least a letter and a space. */
const LARGEST_RATIO = 1_032;
const SMALLEST_OPERATOR = 2;

export async function checkOperators(bytes: Buffer, max: number): Promise<void> {
  for (const { packed, isFlate } of streamsIn(bytes, (max * SMALLEST_OPERATOR) / LARGEST_RATIO)) {
    if (await hasMoreOperators(isFlate ? inflateStream(packed) : [packed], max)) throw unreadable('tooManyOperators');
  }
}

function* streamsIn(bytes: Buffer, minBytes: number) {
  for (let at = bytes.indexOf(STREAM); at >= 0; ) {
    const from = at + STREAM.length;
    const end = bytes.indexOf(END, from);
    const to = end < 0 ? bytes.length : end;
    if (to - from >= minBytes) {
      const before = bytes.toString('latin1', Math.max(0, at - DICTIONARY_BYTES), at);
      const dictionary = before.slice(before.lastIndexOf(' obj') + 1);
      const isFlate = dictionary.includes('/FlateDecode');
      const firstByte = bytes[from] === 13 && bytes[from + 1] === 10 ? from + 2 : from + 1;
      if (!/\/Subtype\s*\/Image/.test(dictionary)) yield { packed: bytes.subarray(firstByte, to), isFlate };
    }
    at = bytes.indexOf(STREAM, to + END.length);
  }
}

/** Piece by piece: what a stream unpacks to may be larger than the memory. A damaged one ends where the damage is. */
async function* inflateStream(packed: Buffer): AsyncGenerator<Buffer> {
  try {
    yield* Readable.from([packed]).pipe(createInflate({ finishFlush: constants.Z_SYNC_FLUSH }));
  } catch {
    // pdf.js reads as much of it as there is, and so does the count.
  }
}

const [OTHER, SPACE, LETTER, OPEN, CLOSE, ESCAPE] = [0, 1, 2, 3, 4, 5];
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z'"]/.test(character)) return LETTER;
  if (/[\0\s>\]}]/.test(character)) return SPACE;
  return character === '(' ? OPEN : character === ')' ? CLOSE : character === '\\' ? ESCAPE : OTHER;
});

async function hasMoreOperators(chunks: Iterable<Buffer> | AsyncIterable<Buffer>, max: number): Promise<boolean> {
  const count = operatorCounter();
  for await (const chunk of chunks) {
    if (count(chunk) > max) return true;
  }
  return false;
}

/** An operator is a word that is neither a name (`/F1`) nor within a string (`(two words)`). */
function operatorCounter(): (chunk: Buffer) => number {
  let operators = 0;
  let depth = 0;
  let previous = SPACE;
  function step(kind: number): void {
    if (kind === OPEN) depth++;
    else if (depth > 0) depth -= kind === CLOSE ? 1 : 0;
    else if (kind === LETTER && (previous === SPACE || previous === CLOSE)) operators++;
  }
  return (chunk) => {
    for (const byte of chunk) {
      const isEscaped = depth > 0 && previous === ESCAPE;
      const kind = isEscaped ? OTHER : (CLASSES[byte] ?? OTHER);
      step(kind);
      previous = kind;
    }
    return operators;
  };
}
