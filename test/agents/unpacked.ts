import { unzipSync } from 'fflate';
import type { Blobs } from '../../shared/ports.ts';
import type { Archive } from '../../shared/tasks/archive.ts';

/** The files of a task's archive as texts, by name; none without an archive. */
export async function unpacked(blobs: Blobs, archive: Archive | undefined): Promise<Record<string, string>> {
  if (!archive) return {};
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await blobs.read(archive.bytesAt)) ?? []) chunks.push(chunk);
  const files = Object.entries(unzipSync(Buffer.concat(chunks)));
  return Object.fromEntries(files.map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
}
