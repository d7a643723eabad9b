/** The text of an attached file that is plain text. */

import type { StoredFile } from '../../shared/files/file.ts';
import { kindOf } from '../../shared/files/kind-of-bytes.ts';
import type { Blobs } from '../../shared/ports.ts';
import { TaskFailure } from '../../shared/tasks/failure.ts';

const MOST_BYTES = 10_000_000;

export async function plainText(blobs: Blobs, { fileName, bytesAt, size }: StoredFile): Promise<string> {
  if (size > MOST_BYTES) throw unreadable(fileName, `is larger than ${MOST_BYTES} bytes`);
  const chunks: Uint8Array[] = [];
  const body = await blobs.read(bytesAt);
  if (!body)
    throw new TaskFailure('FILE_UNAVAILABLE', `The bytes of ${fileName} are no longer there; attach it again.`);
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (kindOf(bytes) !== 'text') throw unreadable(fileName, 'is not plain text');
  return new TextDecoder().decode(bytes);
}

const unreadable = (fileName: string, why: string) =>
  new TaskFailure('PROCESSING_FAILED', `The file ${fileName} cannot be read: it ${why}.`);
