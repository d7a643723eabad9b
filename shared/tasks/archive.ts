/** The archive of a task's files. */

import type { Clock, Downloads } from '../ports.ts';
import type { TaskAddress } from './rows.ts';

/** The archive of a task's files: the key of its bytes, from which callers receive a signed URL. */
export type Archive = { bytesAt: string; sizeBytes: number };

/** Under one prefix, so that a lifecycle rule of the bucket can delete old archives. */
const ARCHIVE_PREFIX = 'results';
const ADDRESS_SECONDS = 3_600;

export const archiveKey = ({ organization, taskId }: TaskAddress, mark: string): string =>
  `${ARCHIVE_PREFIX}/${organization}/${taskId}/${mark}`;

/** What signing a new URL needs. */
export type ArchivePorts = { blobs: Downloads; clock: Clock };

type ArchiveAddress = { presignedUrl: string; expiresAt: number; sizeBytes: number };

export async function archiveAddress(
  { blobs, clock }: ArchivePorts,
  taskId: string,
  { bytesAt, sizeBytes }: Archive,
): Promise<ArchiveAddress> {
  // Computed before signing, so that the URL never expires before the time we report.
  const expiresAt = clock.now() + ADDRESS_SECONDS * 1_000;
  const attachment = { fileName: `${taskId}.zip`, contentType: 'application/zip' };
  return { presignedUrl: await blobs.downloadAddress(bytesAt, attachment, ADDRESS_SECONDS), expiresAt, sizeBytes };
}
