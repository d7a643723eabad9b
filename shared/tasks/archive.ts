/** The archive of a task's files: where its bytes lie, and a fresh address for whoever asks. */
import type { Clock, Downloads } from '../ports.ts';
import type { TaskAddress } from './task-rows.ts';

export type Archive = { bytesAt: string; sizeBytes: number };

/** Under one prefix, so that the bucket itself can let old archives go. */
const ARCHIVE_PREFIX = 'results';
const ADDRESS_SECONDS = 3_600;

export const archiveKey = ({ organization, taskId }: TaskAddress, mark: string): string =>
  `${ARCHIVE_PREFIX}/${organization}/${taskId}/${mark}`;

/** What a fresh address takes. */
export type ArchivePorts = { blobs: Downloads; clock: Clock };

export type ArchiveAddress = { presignedUrl: string; expiresAt: number; sizeBytes: number };

export async function archiveAddress(
  { blobs, clock }: ArchivePorts,
  taskId: string,
  { bytesAt, sizeBytes }: Archive,
): Promise<ArchiveAddress> {
  // Taken before signing, so that the address never dies before the time we tell.
  const expiresAt = clock.now() + ADDRESS_SECONDS * 1_000;
  const attachment = { fileName: `${taskId}.zip`, contentType: 'application/zip' };
  return { presignedUrl: await blobs.downloadAddress(bytesAt, attachment, ADDRESS_SECONDS), expiresAt, sizeBytes };
}
