/** A file's row: awaited from the moment its upload address is given, stored once it was completed. */
import type { Key } from '../ports.ts';

export const STORAGE_PREFIX = 'uploads';
export const FILE_LIMITS = { maxBytes: 512 * 1024 * 1024, uploadSeconds: 3_600, downloadSeconds: 600 } as const;
export const AWAITED_MS = 24 * 3_600_000;

export type StoredFile = {
  state: 'stored';
  fileName: string;
  mimeType: string;
  size: number;
  storagePath: string;
  createdAt: number;
};
export type AwaitedFile = { state: 'awaited'; storagePath: string; createdAt: number };
export type File = AwaitedFile | StoredFile;

export const fileKey = (organization: string, fileId: string): Key => ({
  pk: `O#${organization}#F#${fileId}`,
  sk: 'FILE',
});

/** Where the bytes of a completed file lie: no signed address ever writes there. */
export const keptKey = (organization: string, fileId: string): string => `files/${organization}/${fileId}`;
