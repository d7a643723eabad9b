/** A file's row: awaited from the moment its bytes are asked for, stored once they are complete. */
import { ARRIVALS, hourOfUpload, isUploadKey, keyOfBlob } from '../core/blob-key.ts';
import type { Draft, Key } from '../ports.ts';

const HOUR_MS = 3_600_000;
export const FILE_LIMITS = {
  uploadSeconds: 3_600,
  downloadSeconds: 600,
  awaitedMs: 24 * HOUR_MS,
} as const;

/**
 * `storagePath` is what the caller of an upload has to know; an import has none. `bytesAt` is where an upload arrives, or
 * where bytes of an import may lie. Of an upload that was asked of the release before there is no `bytesAt`: its bytes come
 * to `storagePath`, and `copies` names where completions may have left some.
 */
export type AwaitedFile = {
  state: 'awaited';
  createdAt: number;
  goneAt: number;
  storagePath?: string;
  bytesAt?: string;
  copies?: string[];
};

export type StoredFile = {
  state: 'stored';
  fileName: string;
  mimeType: string;
  size: number;
  createdAt: number;
  goneAt: number;
  /** Of an upload one version of it: what is put later through its address is another. */
  bytesAt: string;
  storagePath?: string;
  /** Only the release before wrote them. */
  copies?: string[];
};

export type File = AwaitedFile | StoredFile;

export const fileKey = (organization: string, fileId: string): Key => ({
  pk: `O#${organization}#F#${fileId}`,
  sk: 'FILE',
});

/** The size is part of the type in the index, so that storage is summed up without reading the files. */
const listedType = (size: number): string => `file#${size}`;

/** Of a file that was listed before sizes were: nothing. */
export const sizeIn = (type: string): number => Number(type.split('#')[1] ?? 0);

export const filesList = (organization: string): string => `O#${organization}#FILES`;

/** Each try to store a file has a place of its own, so that one that comes too late changes nothing. */
export const bytesKey = (organization: string, fileId: string, mark: string): string =>
  `files/${organization}/${fileId}/${mark}`;

/** An upload has a key of its own, which no other can ever meet. By its hour it is found again, see sweep-uploads.ts. */
export const uploadKey = (organization: string, fileId: string, askedAt: number): string =>
  `${ARRIVALS}${hourOfUpload(askedAt)}/${organization}/${fileId}`;

/** Where the upload's address writes. */
export const uploadedTo = ({ bytesAt = '', storagePath = '' }: File): string =>
  isUploadKey(bytesAt) ? keyOfBlob(bytesAt).key : storagePath;

/** Every place where bytes of the file may lie. The path of an upload is one only where the release before gave it out. */
export function blobsOf(file: File): string[] {
  const { bytesAt, storagePath, copies = [] } = file;
  if (bytesAt !== undefined && isUploadKey(bytesAt)) return [uploadedTo(file)];
  return [bytesAt, storagePath, ...copies].filter((place) => place !== undefined);
}

/** The row of a file, due when it has to go; only stored files are listed. */
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
