/** The entries of a ZIP by its central directory, each unpacked only when asked for and never beyond what is left. */
import { inflateRawSync } from 'node:zlib';
import { unreadable } from '../failure.ts';
import type { Budget } from '../markdown/budget.ts';

export type Zip = {
  names: readonly string[];
  /** Nothing when there is no such entry. */
  entry(name: string): Buffer | undefined;
};

type Entry = { method: number; flags: number; packed: number; at: number };

const END = 0x06054b50;
const END_BYTES = 22;
const MOST_COMMENT = 65_535;
const DIRECTORY = 0x02014b50;
const DIRECTORY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
const MOST_ENTRIES = 20_000;

export function openZip(bytes: Buffer, budget: Budget): Zip {
  const entries = entriesOf(bytes);
  return {
    names: [...entries.keys()],
    entry(name) {
      const entry = entries.get(name);
      return entry && unpacked(bytes, entry, budget);
    },
  };
}

export function entriesOf(bytes: Buffer): Map<string, Entry> {
  const end = endOf(bytes);
  const amount = bytes.readUInt16LE(end + 10);
  if (amount > MOST_ENTRIES) throw unreadable('tooLarge');
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let n = 0; n < amount; n++) {
    if (at + DIRECTORY_BYTES > end || bytes.readUInt32LE(at) !== DIRECTORY) throw unreadable('corrupt');
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + DIRECTORY_BYTES, at + DIRECTORY_BYTES + nameLength);
    entries.set(name.replaceAll('\\', '/').replace(/^\//, ''), {
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      packed: bytes.readUInt32LE(at + 20),
      at: bytes.readUInt32LE(at + 42),
    });
    at += DIRECTORY_BYTES + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** The record stands at the very end, but for a comment. */
function endOf(bytes: Buffer): number {
  const last = bytes.length - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MOST_COMMENT); at--) {
    if (bytes.readUInt32LE(at) === END) return at;
  }
  throw unreadable('corrupt');
}

function unpacked(bytes: Buffer, { method, flags, packed, at }: Entry, budget: Budget): Buffer {
  if ((flags & ENCRYPTED) !== 0) throw unreadable('encrypted');
  if (at + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(at) !== LOCAL) throw unreadable('corrupt');
  const from = at + LOCAL_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const body = bytes.subarray(from, from + packed);
  const found = method === STORED ? body : method === DEFLATED ? inflated(body, budget.left()) : undefined;
  if (!found) throw unreadable('corrupt');
  budget.unpack(found.length);
  return found;
}

function inflated(body: Buffer, most: number): Buffer {
  try {
    return inflateRawSync(body, { maxOutputLength: Math.max(most, 1) });
  } catch (cause) {
    const isTooLong = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw unreadable(isTooLong ? 'tooLarge' : 'corrupt', cause);
  }
}
