/** Makes the file of an upload: its bytes are copied to where no address writes, judged there, and then it exists. */
import { Problem } from '../core/problem.ts';
import type { Blobs, Clock, Ids, Table } from '../ports.ts';
import { checkBytes, checkFileName } from './accepted-types.ts';
import { bytesKey, FILE_LIMITS, fileDraft, type StoredFile } from './file.ts';
import { cleanFileName } from './file-name.ts';
import { type FileAddress, findFile } from './find-file.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock; ids: Ids };
export type Completion = { fileName: string; mimeType: string; size: number; storagePath: string };

export async function completeUpload(ports: Ports, input: Completion & FileAddress): Promise<void> {
  const { table, blobs } = ports;
  const row = await findFile(ports, input);
  if (row.value.storagePath !== input.storagePath) throw invalid('storagePath is not the one given for this file');
  const fileName = cleanFileName(input.fileName);
  if (row.value.state === 'stored') return sameAgain(row.value, { ...input, fileName });

  checkFileName(fileName);
  const bytesAt = await copiedBytes(ports, input, fileName);
  if (bytesAt === undefined) return withoutBytes(ports, { ...input, fileName });
  const stored = await table.replace(row, storedDraft(ports.clock, { ...input, fileName, bytesAt }));
  if (!stored) {
    await blobs.remove(bytesAt);
    return completeUpload(ports, input); // another completion came first: compare with it
  }
  await blobs.remove(input.storagePath);
}

/** Nothing was uploaded, or another completion has taken the bytes meanwhile. */
async function withoutBytes(ports: Ports, input: Completion & FileAddress): Promise<void> {
  const { value } = await findFile(ports, input);
  if (value.state !== 'stored') throw invalid('Upload not found');
  sameAgain(value, input);
}

/** Undefined when there are no bytes to copy. */
async function copiedBytes({ blobs, ids }: Ports, input: Completion & FileAddress, fileName: string) {
  const { storagePath, size } = input;
  const uploaded = await blobs.size(storagePath);
  if (uploaded === undefined) return undefined;
  if (uploaded > FILE_LIMITS.maxBytes) {
    await blobs.remove(storagePath);
    throw tooLarge();
  }
  const bytesAt = bytesKey(input.organization, input.fileId, ids.mark());
  if (!(await blobs.copy(storagePath, bytesAt))) return undefined;
  try {
    // Judged behind the copy: until then the upload address could still change them.
    const stored = await blobs.size(bytesAt);
    if (stored !== size) throw invalid(`size is ${size}, but ${stored} bytes were uploaded`);
    if (size === 0) throw invalid('The uploaded file is empty');
    if (size > FILE_LIMITS.maxBytes) throw tooLarge();
    await checkBytes(blobs, bytesAt, fileName);
  } catch (error) {
    await blobs.remove(bytesAt);
    throw error;
  }
  return bytesAt;
}

function storedDraft(clock: Clock, o: Completion & FileAddress & { bytesAt: string }) {
  const { fileName, mimeType, size, storagePath, bytesAt } = o;
  const createdAt = clock.now();
  const goneAt = createdAt + FILE_LIMITS.keptMs;
  const value: StoredFile = { state: 'stored', fileName, mimeType, size, createdAt, goneAt, bytesAt, storagePath };
  return fileDraft(o.organization, o.fileId, value);
}

function sameAgain(stored: StoredFile, asked: Completion): void {
  const same = (['fileName', 'mimeType', 'size'] as const).every((field) => stored[field] === asked[field]);
  if (!same) throw invalid('This file was completed before, with other fields');
}

const tooLarge = () => invalid(`A file has at most ${FILE_LIMITS.maxBytes} bytes`);

const invalid = (message: string) => new Problem('invalid', message);
