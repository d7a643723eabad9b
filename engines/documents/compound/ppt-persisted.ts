/** Where the parts of a PPT lie: each saving adds a directory, and a later one wins over an earlier ([MS-PPT] 2.3.2). */
import { unreadable } from '../failure.ts';
import { recordAt } from './ppt-records.ts';

const USER_EDIT = 0x0ff5;
const DIRECTORY = 0x1772;
const ENCRYPTED_TOKEN = 0xf3d1c4df;
const LENGTH_WITH_KEY = 32;
const MAX_EDITS = 10_000;

export function readPersistDirectories(
  stream: Buffer,
  user: Buffer,
): { offsetOf(reference: number): number; documentAt: number } {
  if (user.readUInt32LE(12) === ENCRYPTED_TOKEN) throw unreadable('encrypted');
  const offsets = new Map<number, number>();
  let documentReference: number | undefined;
  let at = user.readUInt32LE(16);
  for (let edits = 0; at !== 0; edits++) {
    const edit = recordAt(stream, at);
    if (edit?.kind !== USER_EDIT || edits > MAX_EDITS) throw unreadable('corrupt');
    if (edit.to - edit.from >= LENGTH_WITH_KEY) throw unreadable('encrypted');
    documentReference ??= stream.readUInt32LE(edit.from + 16);
    readDirectory(stream, stream.readUInt32LE(edit.from + 12), offsets);
    at = stream.readUInt32LE(edit.from + 8);
  }
  const placeOf = (reference: number) => offsets.get(reference) ?? -1;
  return { offsetOf: placeOf, documentAt: placeOf(documentReference ?? -1) };
}

/** Runs of places: 20 bits of first number, 12 bits of how many. */
function readDirectory(stream: Buffer, at: number, offsets: Map<number, number>): void {
  const directory = recordAt(stream, at);
  if (directory?.kind !== DIRECTORY) throw unreadable('corrupt');
  let place = directory.from;
  while (place + 4 <= directory.to) {
    const head = stream.readUInt32LE(place);
    const amount = head >>> 20;
    place += 4;
    for (let n = 0; n < amount && place + 4 <= directory.to; n++, place += 4) {
      const reference = (head & 0xfffff) + n;
      if (!offsets.has(reference)) offsets.set(reference, stream.readUInt32LE(place));
    }
  }
}
