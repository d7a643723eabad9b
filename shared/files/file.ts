/** A file's row: `awaited` once an upload or import was requested, `stored` once the bytes are complete. */

import { ARRIVALS, hourOfUpload, keyOfBlob } from '../core/blobs.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Draft, Key } from '../ports.ts';

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

export const sizeIn = (type: string): number => Number(type.split('#')[1]);

export const filesList = (organization: string): string => `O#${organization}#FILES`;

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

/** The size is part of the index's type field, so that storage is summed without reading the files. */
const listedType = (size: number): string => `file#${size}`;

export type FileAddress = { organization: string; fileId: string };
