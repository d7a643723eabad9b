/** Uploads to a signed URL: the offer of the URL, and the check of what arrived. */

import { isProblem, Problem } from '../core/problem.ts';
import { keptMsIn, maxBytesIn, type StageLimited } from '../core/stage-limits.ts';
import type { ArrivedUpload, Blobs, Clock, Row, Table } from '../ports.ts';
import { checkBytes, checkFileName } from './accepted-files.ts';
import { HEAD_BYTES } from './detect-type.ts';
import {
  blobKeyOf,
  FILE_LIMITS,
  type File,
  type FileAddress,
  fileDraft,
  fileKey,
  type StoredFile,
  uploadKey,
} from './file.ts';
import { cleanFileName } from './file-name.ts';
import { fileNotFound, findFile } from './get-file.ts';
import { isMimeType } from './mime-type.ts';

type UploadPorts = { table: Table; blobs: Blobs; clock: Clock };
export type UploadOffer = { uploadUrl: string; fileId: string; storagePath: string };

/** Offers a signed URL for one upload, with a storage path that is never reused. */
export async function requestUpload(
  ports: UploadPorts,
  input: FileAddress & { fileName: string },
): Promise<UploadOffer> {
  const { organization, fileId } = input;
  const fileName = cleanFileName(input.fileName);
  checkFileName(fileName);
  const now = ports.clock.now();
  const awaited = {
    state: 'awaited',
    createdAt: now,
    goneAt: now + FILE_LIMITS.awaitedMs,
    storagePath: pathOf(input, `${now}-${fileName}`),
    bytesAt: uploadKey(organization, fileId, now),
  } as const;
  // No `dueAt`: the table drops the expired row by itself, and the sweep of its hour removes the bytes.
  const draft = { ...fileKey(organization, fileId), value: awaited, expiresAt: awaited.goneAt };
  const inserted = await ports.table.insert<File>(draft);
  // A retry after a crash or a lost response finds the row of the first try and returns its path.
  return inserted ? offerOf(ports, fileId, inserted.value) : renewOffer(ports, organization, { fileId });
}

/** The same offer with a new URL, while the file is awaited or stored. */
export async function renewOffer(
  ports: UploadPorts,
  organization: string,
  { fileId }: Pick<UploadOffer, 'fileId'>,
): Promise<UploadOffer> {
  const { value } = await findFile(ports, { organization, fileId });
  return offerOf(ports, fileId, value);
}

type CompletionPorts = StageLimited & { table: Table; blobs: Blobs; clock: Clock };
type Completion = { fileName: string; mimeType: string; size: number; storagePath: string };
type CompletionRequest = Completion & FileAddress;

/** Completes an upload: checks the newest version that arrived. The file stays that version. */
export async function completeUpload(ports: CompletionPorts, input: CompletionRequest): Promise<void> {
  const row = await findFile(ports, input);
  if (row.value.storagePath !== input.storagePath) throw invalid('storagePath is not the one given for this file');
  const request = { ...input, fileName: cleanFileName(input.fileName) };
  if (row.value.state === 'stored') return checkUnchanged(row.value, request);

  checkFileName(request.fileName);
  if (!isMimeType(request.mimeType))
    throw invalid('mimeType is not a valid MIME type. Give one such as application/pdf');
  const bytesAt = await arrivedAt(ports, row, request);
  // Retries after losing a race against newer bytes, another completion or the expiry.
  const isStored =
    bytesAt !== undefined &&
    (await ports.blobs.keep(bytesAt)) &&
    (await ports.table.replace(row, storedDraft(ports, request, bytesAt)));
  if (!isStored) return completeUpload(ports, input);
}

export const tooLarge = (maxBytes: number) => invalid(`A file has at most ${maxBytes} bytes`);

/** `<prefix>/<team_id>/<epoch_milliseconds>-<fileName>`: the prefix is unique to the file. */
const pathOf = ({ organization, fileId }: FileAddress, name: string): string => `${fileId}/${organization}/${name}`;

/** A signed URL must expire before its row: bytes that arrive after the sweep would never be found or removed. */
async function offerOf({ blobs, clock }: UploadPorts, fileId: string, file: File): Promise<UploadOffer> {
  const secondsLeft = Math.floor((file.goneAt - clock.now()) / 1_000);
  if (secondsLeft < 1) throw fileNotFound();
  const uploadUrl = await blobs.uploadAddress(blobKeyOf(file), Math.min(secondsLeft, FILE_LIMITS.uploadSeconds));
  return { fileId, storagePath: file.storagePath ?? '', uploadUrl };
}

/** `undefined`: the row or the bytes have changed since. */
async function arrivedAt(
  ports: CompletionPorts,
  row: Row<File>,
  request: CompletionRequest,
): Promise<string | undefined> {
  const arrived = await ports.blobs.arrived(row.value.bytesAt, HEAD_BYTES);
  try {
    if (!arrived) throw invalid('Upload not found');
    return (await isAcceptable(ports, arrived, request)) ? arrived.at : undefined;
  } catch (error) {
    // Newer bytes may be invalid although a concurrent completion has stored older ones.
    if (!isProblem(error, 'invalid') || (await findFile(ports, request)).version === row.version) throw error;
    return undefined;
  }
}

/** False if the bytes were removed meanwhile. */
async function isAcceptable(
  ports: CompletionPorts,
  arrived: ArrivedUpload,
  { size, fileName }: CompletionRequest,
): Promise<boolean> {
  const { blobs } = ports;
  if (arrived.size > maxBytesIn(ports)) {
    await blobs.remove(arrived.at);
    throw tooLarge(maxBytesIn(ports));
  }
  if (arrived.size !== size) throw invalid(`size is ${size}, but ${arrived.size} bytes were uploaded`);
  if (size === 0) throw invalid('The uploaded file is empty');
  return (await checkBytes(blobs, arrived, fileName)) !== 'gone';
}

function storedDraft(ports: CompletionPorts, o: CompletionRequest, bytesAt: string) {
  const { fileName, mimeType, size, storagePath } = o;
  const createdAt = ports.clock.now();
  const goneAt = createdAt + keptMsIn(ports);
  const stored = { state: 'stored', fileName, mimeType, size, createdAt, goneAt, bytesAt, storagePath } as const;
  return fileDraft(o.organization, o.fileId, stored);
}

function checkUnchanged(stored: StoredFile, completion: Completion): void {
  const same = (['fileName', 'mimeType', 'size'] as const).every((field) => stored[field] === completion[field]);
  if (!same) throw invalid('This file was completed before, with other fields');
}

const invalid = (message: string) => new Problem('invalid', message);
