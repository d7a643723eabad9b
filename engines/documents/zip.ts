/** ZIP packages of office documents: entries, relations between parts, and the kind of an OpenDocument file. */

import { posix } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { findDirectory, parseDirectory, type ZipEntry } from '../../shared/files/zip-directory.ts';
import { DOCUMENT_LIMITS, type DocumentKind, type ReadingBudget, startBudget, unreadable } from './document.ts';
import { elementsOf, parseXml } from './xml.ts';

/** The entries of a ZIP by its central directory. Each is unpacked on request, within the remaining budget. */
export type Zip = {
  names: readonly string[];
  /** Returns undefined if there is no such entry. */
  entry(name: string): Buffer | undefined;
};

const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/**
 * Limits for the chunks that inflate allocates. Thousands of small ones would stay with the allocator; large ones are
 * returned to the system.
 */
const SMALLEST_CHUNK = 16_384;
const LARGEST_CHUNK = 4_194_304;
const EXPECTED_RATIO = 8;
const MAX_ENTRIES = 20_000;

export function openZip(bytes: Buffer, budget: ReadingBudget): Zip {
  const entries = entriesOf(bytes);
  return {
    names: [...entries.keys()],
    entry(name) {
      const entry = entries.get(name);
      return entry && unpack(bytes, entry, budget);
    },
  };
}

function entriesOf(bytes: Buffer): Map<string, ZipEntry> {
  const directory = findDirectory(bytes, bytes.length);
  if (!directory) throw unreadable('corrupt');
  if (directory.entries > MAX_ENTRIES) throw unreadable('tooLarge');
  const entries = parseDirectory(bytes.subarray(directory.from, directory.end), directory.entries);
  if (entries === 'damaged') throw unreadable('corrupt');
  return entries;
}

function unpack(bytes: Buffer, { method, flags, packed, at }: ZipEntry, budget: ReadingBudget): Buffer {
  if ((flags & ENCRYPTED) !== 0) throw unreadable('encrypted');
  if (at + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(at) !== LOCAL) throw unreadable('corrupt');
  const from = at + LOCAL_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const body = bytes.subarray(from, from + packed);
  const unpacked = method === STORED ? body : method === DEFLATED ? inflate(body, budget.unpackedLeft()) : undefined;
  if (!unpacked) throw unreadable('corrupt');
  budget.countUnpacked(unpacked.length);
  return unpacked;
}

function inflate(body: Buffer, max: number): Buffer {
  try {
    const chunkSize = Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, body.length * EXPECTED_RATIO));
    return inflateRawSync(body, { maxOutputLength: Math.max(max, 1), chunkSize });
  } catch (cause) {
    const isTooLong = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw unreadable(isTooLong ? 'tooLarge' : 'corrupt', cause);
  }
}

/**
 * A reference from one part of an Office package to another. Those of `word/document.xml` are in
 * `word/_rels/document.xml.rels`.
 */
export type Relation = { id: string; type: string; target: string };

export function relationsOf(zip: Zip, part: string): Relation[] {
  const folder = posix.dirname(part);
  const file = zip.entry(posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  if (!file) return [];
  const list = elementsOf(parseXml(file)).flatMap(elementsOf);
  return list.flatMap((relation) => {
    const { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode } = relation.attributes;
    if (mode === 'External') return [];
    const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
    return [{ id, type: type.slice(type.lastIndexOf('/') + 1), target: path }];
  });
}

/** Returns the path of the main document part. */
export function mainPart(zip: Zip, defaultPath: string): string {
  const target = relationsOf(zip, '').find(({ type }) => type === 'officeDocument')?.target;
  return target !== undefined && zip.names.includes(target) ? target : defaultPath;
}

const TYPE = /vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/;
const KINDS: Record<string, DocumentKind> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' };

/** Detects a text, spreadsheet or presentation by the `mimetype` entry or, without one, by the manifest. */
export function kindOfOpenDocument(bytes: Buffer): DocumentKind {
  const zip = openZip(bytes, startBudget(DOCUMENT_LIMITS));
  const typeEntry = zip.entry('mimetype') ?? zip.entry('META-INF/manifest.xml');
  const kind = KINDS[TYPE.exec(typeEntry?.toString('latin1') ?? '')?.[1] ?? ''];
  if (!kind) throw unreadable('unsupported');
  return kind;
}
