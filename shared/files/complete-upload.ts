/** Makes the file of an upload: its bytes are copied to where no address writes, judged there, and then it exists. */
import { isProblem, Problem } from '../core/problem.ts';
import { keptMsIn, maxBytesIn, type StageLimited } from '../core/stage-limits.ts';
import type { Blobs, Clock, Ids, Row, Table } from '../ports.ts';
import { checkBytes, checkFileName } from './accepted-types.ts';
import { bytesKey, type File, fileDraft, type StoredFile } from './file.ts';
import { cleanFileName } from './file-name.ts';
import { type FileAddress, findFile } from './find-file.ts';

type Ports = StageLimited & { table: Table; blobs: Blobs; clock: Clock; ids: Ids };
export type Completion = { fileName: string; mimeType: string; size: number; storagePath: string };
type Asked = Completion & FileAddress;

/** More than ever overlap: the oldest, that of a completion which died, is given up. One that lives starts anew. */
const MOST_COPIES = 50;

export async function completeUpload(ports: Ports, input: Asked): Promise<void> {
  const row = await findFile(ports, input);
  if (row.value.storagePath !== input.storagePath) throw invalid('storagePath is not the one given for this file');
  const asked = { ...input, fileName: cleanFileName(input.fileName) };
  if (row.value.state === 'stored') return sameAgain(row.value, asked);

  checkFileName(asked.fileName);
  if (!(await isUploaded(ports, asked))) return withoutBytes(ports, asked);
  const bytesAt = bytesKey(input.organization, input.fileId, ports.ids.mark());
  const noted = await note(ports, row, { ...asked, bytesAt });
  if (!noted) return completeUpload(ports, input); // another completion noted its place first
  try {
    if (!(await ports.blobs.copy(input.storagePath, bytesAt))) throw notUploaded();
    await judge(ports, bytesAt, asked);
  } catch (error) {
    if (!isProblem(error, 'invalid')) throw error;
    return refused(ports, { ...asked, bytesAt }, error);
  }
  if (!(await store(ports, noted, { ...asked, bytesAt }))) return completeUpload(ports, input);
}

/**
 * Says in the row where the copy will lie, so that it is found should we die before it is a file. This is one write more,
 * and none cheaper would do: each completion needs a place of its own, because in a common one the copy of a late
 * completion would change the bytes of a stored file, and a place that nobody noted cannot be found again.
 */
async function note({ table, blobs }: Ports, row: Row<File>, o: FileAddress & { bytesAt: string }) {
  const all = [...(row.value.copies ?? []), o.bytesAt];
  const copies = all.slice(-MOST_COPIES);
  const noted = await table.replace(row, fileDraft(o.organization, o.fileId, { ...row.value, copies }));
  if (noted) for (const place of all.slice(0, -MOST_COPIES)) await blobs.remove(place);
  return noted;
}

/** False when another completion came first, or gave our copy up: then nothing of ours is left. */
async function store(ports: Ports, noted: Row<File>, o: Asked & { bytesAt: string }): Promise<boolean> {
  const { table, blobs, clock } = ports;
  for (let row: Row<File> | undefined = noted; row; row = await table.get<File>(noted)) {
    const { state, goneAt, copies = [] } = row.value;
    if (state === 'stored' || goneAt <= clock.now() || !copies.includes(o.bytesAt)) break;
    const others = copies.filter((place) => place !== o.bytesAt);
    if (!(await table.replace(row, storedDraft(ports, o, others)))) continue;
    // No other completion can make a file any more. One that still copies removes its bytes by itself.
    for (const place of [o.storagePath, ...others]) await blobs.remove(place);
    return true;
  }
  await blobs.remove(o.bytesAt);
  return false;
}

/** Unless another completion has removed our copy, because it has made the file or taken our place. */
async function refused(ports: Ports, o: Asked & { bytesAt: string }, error: Problem): Promise<void> {
  await ports.blobs.remove(o.bytesAt);
  const row = await findFile(ports, o);
  const { state, copies = [] } = row.value;
  if (state === 'stored' || !copies.includes(o.bytesAt)) return completeUpload(ports, o);
  const others = copies.filter((place) => place !== o.bytesAt);
  // Losing this race leaves a note of what is not there, which harms nobody.
  await ports.table.replace(row, fileDraft(o.organization, o.fileId, { ...row.value, copies: others }));
  throw error;
}

/** Nothing was uploaded, or another completion has taken the bytes meanwhile. */
async function withoutBytes(ports: Ports, input: Asked): Promise<void> {
  const { value } = await findFile(ports, input);
  if (value.state !== 'stored') throw notUploaded();
  sameAgain(value, input);
}

async function isUploaded(ports: Ports, { storagePath }: Asked): Promise<boolean> {
  const uploaded = await ports.blobs.size(storagePath);
  if (uploaded === undefined || uploaded <= maxBytesIn(ports)) return uploaded !== undefined;
  await ports.blobs.remove(storagePath);
  throw tooLarge(ports);
}

/** Judges the copy, because the upload address could still change what it was made of. */
async function judge(ports: Ports, bytesAt: string, { size, fileName }: Asked): Promise<void> {
  const { blobs } = ports;
  const copied = await blobs.size(bytesAt);
  if (copied !== size) throw invalid(`size is ${size}, but ${copied} bytes were uploaded`);
  if (size === 0) throw invalid('The uploaded file is empty');
  if (size > maxBytesIn(ports)) throw tooLarge(ports);
  await checkBytes(blobs, bytesAt, fileName);
}

function storedDraft(ports: Ports, o: Asked & { bytesAt: string }, others: string[]) {
  const { fileName, mimeType, size, storagePath, bytesAt } = o;
  const createdAt = ports.clock.now();
  const goneAt = createdAt + keptMsIn(ports);
  const copies = others.length > 0 ? { copies: others } : {};
  const stored = { state: 'stored', fileName, mimeType, size, createdAt, goneAt, bytesAt, storagePath } as const;
  return fileDraft(o.organization, o.fileId, { ...stored, ...copies });
}

function sameAgain(stored: StoredFile, asked: Completion): void {
  const same = (['fileName', 'mimeType', 'size'] as const).every((field) => stored[field] === asked[field]);
  if (!same) throw invalid('This file was completed before, with other fields');
}

const notUploaded = () => invalid('Upload not found');

const tooLarge = (ports: StageLimited) => invalid(`A file has at most ${maxBytesIn(ports)} bytes`);

const invalid = (message: string) => new Problem('invalid', message);
