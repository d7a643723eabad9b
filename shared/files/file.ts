/** A file of an organization: its row, its name, and how it is read. */

import { ARRIVALS, hourOfUpload, keyOfBlob } from '../core/blobs.ts';
import { isUuid } from '../core/ids.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Blobs, Clock, Draft, Key, Page, Row, Table } from '../ports.ts';

/** A file's row: `awaited` once an upload or import was requested, `stored` once the bytes are complete. */
export const FILE_LIMITS = {
  uploadSeconds: 3_600,
  downloadSeconds: 600,
  awaitedMs: 24 * HOUR_MS,
} as const;

/**
 * `storagePath` is what the caller of an upload must send; an import has none. `bytesAt` is where an upload arrives, or
 * where an import's bytes may be.
 */
type AwaitedFile = {
  state: 'awaited';
  createdAt: number;
  goneAt: number;
  storagePath?: string;
  bytesAt: string;
};

export type StoredFile = {
  state: 'stored';
  fileName: string;
  mimeType: string;
  size: number;
  createdAt: number;
  goneAt: number;
  /** For an upload, one version of its key: a later PUT to the upload URL makes another version. */
  bytesAt: string;
  storagePath?: string;
};

export type File = AwaitedFile | StoredFile;

export const fileKey = (organization: string, fileId: string): Key => ({
  pk: `O#${organization}#F#${fileId}`,
  sk: 'FILE',
});

export function parseFileKey({ pk }: Key): FileAddress {
  const [, organization = '', , fileId = ''] = pk.split('#');
  return { organization, fileId };
}

/** The size is part of the index's type field, so that storage is summed without reading the files. */
const listedType = (size: number): string => `file#${size}`;

const sizeIn = (type: string): number => Number(type.split('#')[1]);

const filesList = (organization: string): string => `O#${organization}#FILES`;

/** Each try to store a file has its own key, so that a late one overwrites nothing. */
export const bytesKey = (organization: string, fileId: string, mark: string): string =>
  `files/${organization}/${fileId}/${mark}`;

/** Each upload has its own key, which starts with its hour so that the sweep finds it; see cleanup.ts. */
export const uploadKey = (organization: string, fileId: string, askedAt: number): string =>
  `${ARRIVALS}${hourOfUpload(askedAt)}/${organization}/${fileId}`;

/** The key of the file's bytes; for an upload it covers every version. */
export const blobKeyOf = ({ bytesAt }: File): string => keyOfBlob(bytesAt).key;

/** The row of a file, due when it expires; only stored files are listed. */
export function fileDraft(organization: string, fileId: string, value: File): Draft<File> {
  const listed = {
    list: filesList(organization),
    at: value.createdAt,
    id: fileId,
    state: value.state,
    type: listedType(value.state === 'stored' ? value.size : 0),
    priority: 0,
  };
  return {
    ...fileKey(organization, fileId),
    value,
    dueAt: value.goneAt,
    ...(value.state === 'stored' ? { listed } : {}),
  };
}

/** Makes the file names of strangers safe: spaces and the letters of every script stay. */
const MAX_BYTES = 200;
const FALLBACK = 'file';
/** Longer names lose their middle before they are processed. */
const MAX_READ = 1_000;
const LAST_LOOKED_AT = 200;
// Control and format characters (direction marks, but not the joiners that some scripts need), and the characters
// of paths.
const UNWANTED = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;

export function cleanFileName(name: string): string {
  const cleaned = bounded(name)
    .normalize('NFC')
    .replace(UNWANTED, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  return shortened(cleaned) || FALLBACK;
}

const bounded = (name: string): string =>
  name.length <= MAX_READ ? name : name.slice(0, MAX_READ - LAST_LOOKED_AT) + name.slice(-LAST_LOOKED_AT);

/** Shortens the stem between grapheme clusters and keeps a short extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const extension = /\.[^.\s]{1,15}$/u.exec(name)?.[0] ?? '';
  let stem = '';
  let left = MAX_BYTES - Buffer.byteLength(extension);
  for (const { segment } of new Intl.Segmenter().segment(name.slice(0, name.length - extension.length))) {
    left -= Buffer.byteLength(segment);
    if (left < 0) break;
    stem += segment;
  }
  return (stem.trimEnd() || FALLBACK) + extension;
}

/** Reads a file's row. Unknown, foreign, malformed and expired ids all return 404 (no existence oracle). */
type FindPorts = { table: Table; clock: Clock };
export type FileAddress = { organization: string; fileId: string };

export async function findFile({ table, clock }: FindPorts, { organization, fileId }: FileAddress): Promise<Row<File>> {
  const row = isUuid(fileId) ? await table.get<File>(fileKey(organization, fileId)) : undefined;
  if (!row || row.value.goneAt <= clock.now()) throw fileNotFound();
  return row;
}

export function checkStored(row: Row<File>): Row<StoredFile> {
  if (row.value.state !== 'stored') throw fileNotFound();
  return row as Row<StoredFile>;
}

export const fileNotFound = () => new Problem('notFound', 'File not found');

/** A completed file with a new download URL. */
type GetPorts = { table: Table; blobs: Blobs; clock: Clock };
type FileWithUrl = StoredFile & { url: string; urlExpiresAt: number };

export async function getFile(ports: GetPorts, address: FileAddress): Promise<FileWithUrl> {
  const { value: file } = checkStored(await findFile(ports, address));
  const { fileName, mimeType: contentType } = file;
  // Computed before signing, so that the URL never expires before the time we report.
  const urlExpiresAt = ports.clock.now() + FILE_LIMITS.downloadSeconds * 1_000;
  const url = await ports.blobs.downloadAddress(file.bytesAt, { fileName, contentType }, FILE_LIMITS.downloadSeconds);
  return { ...file, url, urlExpiresAt };
}

/** An organization's files, the newest first. */
type ListPorts = { table: Table; clock: Clock };
type ListedFile = StoredFile & { fileId: string };

export async function listFiles(
  { table, clock }: ListPorts,
  { organization, ...paging }: { organization: string; limit: number; after?: string },
): Promise<Page<ListedFile>> {
  const { rows: entries, next } = await table.listed(filesList(organization), { ...paging, newestFirst: true });
  // The index may lag behind the rows, so its entries are read from the table.
  const rows = await table.getMany<File>(entries.map(({ id }) => fileKey(organization, id)));
  const files = rows.flatMap((row, at) => {
    const file = row?.value;
    return file?.state === 'stored' && file.goneAt > clock.now() ? [{ ...file, fileId: entries[at]?.id ?? '' }] : [];
  });
  return { rows: files, ...definedFields({ next }) };
}

/** The number and bytes of an organization's newest files, computed from the index alone. */
const MAX_FILES = 10_000;

/** `capped`: there are more files, which are not counted. */
export type StorageUsed = { files: number; bytes: number; capped: boolean };

export async function storageUsed(table: Table, organization: string): Promise<StorageUsed> {
  const { rows, next } = await table.listed(filesList(organization), { limit: MAX_FILES, newestFirst: true });
  const bytes = rows.reduce((sum, { type }) => sum + sizeIn(type), 0);
  return { files: rows.length, bytes, capped: next !== undefined };
}
