/** The directory of a ZIP, which is at the end of the file and alone defines its entries. */

/** An entry of a ZIP's central directory, which is at the end of the file and alone defines its contents. */
export type ZipEntry = { method: number; flags: number; packed: number; at: number };
/** `end` is exclusive. */
type DirectoryLocation = { from: number; end: number; entries: number };

const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const DIRECTORY = 0x02014b50;
const DIRECTORY_BYTES = 46;

/** How much of the end of a file may hold the end-of-directory record. */
export const ZIP_END_BYTES = END_BYTES + MAX_COMMENT;

/** The record is at the very end, followed only by a comment. `undefined`: not a complete ZIP. */
export function findDirectory(tail: Buffer, size: number): DirectoryLocation | undefined {
  const last = tail.length - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) {
    if (tail.readUInt32LE(at) !== END) continue;
    const end = size - tail.length + at;
    const from = tail.readUInt32LE(at + 16);
    return from <= end ? { from, end, entries: tail.readUInt16LE(at + 10) } : undefined;
  }
  return undefined;
}

export function parseDirectory(bytes: Buffer, amount: number): Map<string, ZipEntry> | 'damaged' {
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let n = 0; n < amount; n++) {
    if (at + DIRECTORY_BYTES > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY) return 'damaged';
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
