/** Makes the file of an upload: its bytes are moved to where no address writes, then its row is complete. */
import { Problem } from '../core/problem.ts';
import type { Blobs, Clock, Table } from '../ports.ts';
import { FILE_LIMITS, keptKey, type StoredFile } from './file.ts';
import { cleanFileName } from './file-name.ts';
import { findFile } from './find-file.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock };
export type Completion = { fileName: string; mimeType: string; size: number; storagePath: string };

export async function completeUpload(
  { table, blobs, clock }: Ports,
  input: Completion & { organization: string; fileId: string },
): Promise<void> {
  const { organization, fileId, mimeType, size, storagePath } = input;
  const row = await findFile(table, organization, fileId);
  if (row.value.storagePath !== storagePath)
    throw new Problem('invalid', 'storagePath is not the one given for this file');
  const file = { fileName: cleanFileName(input.fileName), mimeType, size, storagePath };
  if (row.value.state === 'stored') return sameAgain(row.value, file);

  await checkBytes(blobs, file);
  if (!(await blobs.copy(storagePath, keptKey(organization, fileId)))) throw new Problem('invalid', 'Upload not found');
  const value: StoredFile = { ...file, state: 'stored', createdAt: clock.now() };
  const stored = await table.replace(row, { value });
  if (!stored) return completeUpload({ table, blobs, clock }, input); // another completion came first: compare with it
  await blobs.remove(storagePath);
}

async function checkBytes(blobs: Blobs, { storagePath, size }: Completion): Promise<void> {
  const stored = await blobs.size(storagePath);
  if (stored === undefined) throw new Problem('invalid', 'Upload not found');
  if (stored !== size) throw new Problem('invalid', `size is ${size}, but ${stored} bytes were uploaded`);
  if (stored === 0) throw new Problem('invalid', 'The uploaded file is empty');
  if (stored > FILE_LIMITS.maxBytes) {
    await blobs.remove(storagePath);
    throw new Problem('invalid', `A file has at most ${FILE_LIMITS.maxBytes} bytes`);
  }
}

function sameAgain(stored: StoredFile, asked: Completion): void {
  const same = (['fileName', 'mimeType', 'size'] as const).every((field) => stored[field] === asked[field]);
  if (!same) throw new Problem('invalid', 'This file was completed before, with other fields');
}
