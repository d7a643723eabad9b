/** A file's row: awaited from the moment its bytes are asked for, stored once they are complete. */
import type { Draft, Key } from '../ports.ts';

/** Where signed uploads lie until they are completed. */
export const STORAGE_PREFIX = 'uploads';

const HOUR_MS = 3_600_000;
export const FILE_LIMITS = {
  uploadSeconds: 3_600,
  downloadSeconds: 600,
  awaitedMs: 24 * HOUR_MS,
} as const;

/**
 * `storagePath` is where the bytes will come from; an import has none. `bytesAt` is set while bytes of an import may lie
 * there, `copies` names where those of completions may.
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
  /** The key of the bytes: no signed address ever writes there. */
  bytesAt: string;
  storagePath?: string;
  /** Of other completions, which may not have ended yet. */
  copies?: string[];
};

export type File = AwaitedFile | StoredFile;

export const fileKey = (organization: string, fileId: string): Key => ({
  pk: `O#${organization}#F#${fileId}`,
  sk: 'FILE',
});

export const filesList = (organization: string): string => `O#${organization}#FILES`;

/** Each try to store a file has a place of its own, so that one that comes too late changes nothing. */
export const bytesKey = (organization: string, fileId: string, mark: string): string =>
  `files/${organization}/${fileId}/${mark}`;

/** Every place where bytes of the file may lie. */
export const placesOf = ({ bytesAt, storagePath, copies = [] }: File): string[] =>
  [bytesAt, storagePath, ...copies].filter((place) => place !== undefined);

/** The row of a file, due when it has to go; only stored files are listed. */
export function fileDraft(organization: string, fileId: string, value: File): Draft<File> {
  const listed = {
    list: filesList(organization),
    at: value.createdAt,
    id: fileId,
    state: value.state,
    type: 'file',
    priority: 0,
  };
  return {
    ...fileKey(organization, fileId),
    value,
    dueAt: value.goneAt,
    ...(value.state === 'stored' ? { listed } : {}),
  };
}
