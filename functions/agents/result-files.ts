/** The files of a task's results, each with an address that was signed for this answer. */
import type { ReportFile } from '../../shared/agents/agent-task.ts';
import type { Clock, Downloads } from '../../shared/ports.ts';

const ADDRESS_SECONDS = 3_600;

export type ResultFile = { name: string; content_type: string; size_bytes: number; url: string; expires_at: string };

export function resultFiles(
  { blobs, clock }: { blobs: Downloads; clock: Clock },
  files: ReportFile[],
): Promise<ResultFile[]> {
  // Taken before signing, so that no address dies before the time we tell.
  const expiresAt = new Date(clock.now() + ADDRESS_SECONDS * 1_000).toISOString();
  return Promise.all(
    files.map(async ({ name, contentType, bytesAt, sizeBytes }) => ({
      name,
      content_type: contentType,
      size_bytes: sizeBytes,
      url: await blobs.downloadAddress(bytesAt, { fileName: name, contentType }, ADDRESS_SECONDS),
      expires_at: expiresAt,
    })),
  );
}
