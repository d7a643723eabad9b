/** Reads the files of a task into pages. A file that is gone, or cannot be read, ends the task with its name. */
import { type File, fileKey, type StoredFile } from '../../../shared/files/file.ts';
import type { Blobs, Clock, Table } from '../../../shared/ports.ts';
import { TaskFailure } from '../../../shared/tasks/failure.ts';
import type { Documents } from '../../documents/documents.ts';
import { isDocumentFailure } from '../../documents/failure.ts';
import { type DeskFile, pagesOf } from './desk.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock; documents: Documents };
type Wanted = { organization: string; fileIds: string[]; signal: AbortSignal; report(share: number): void };

export async function readAttached(ports: Ports, wanted: Wanted): Promise<DeskFile[]> {
  const files = await storedFiles(ports, wanted);
  const read: DeskFile[] = [];
  for (const [at, file] of files.entries()) {
    wanted.signal.throwIfAborted();
    read.push(await readOne(ports, file, wanted.signal));
    wanted.report((at + 1) / files.length);
  }
  return read;
}

async function storedFiles({ table, clock }: Ports, { organization, fileIds }: Wanted): Promise<StoredFile[]> {
  if (fileIds.length === 0) return [];
  const rows = await table.getMany<File>(fileIds.map((id) => fileKey(organization, id)));
  return rows.map((row, at) => {
    const file = row?.value;
    if (file?.state === 'stored' && file.goneAt > clock.now()) return file;
    throw gone(`The file ${fileIds[at]}`);
  });
}

async function readOne({ blobs, documents }: Ports, file: StoredFile, signal: AbortSignal): Promise<DeskFile> {
  const { fileName, bytesAt, size } = file;
  const body = await blobs.read(bytesAt);
  if (!body) throw gone(`The content of ${fileName}`);
  const bytes = new Uint8Array(size);
  let length = 0;
  for await (const chunk of body) {
    bytes.set(chunk, length);
    length += chunk.length;
  }
  try {
    const { kind, parts } = await documents.read({ bytes, name: fileName }, signal);
    return { name: fileName, kind, pages: pagesOf({ parts }) };
  } catch (error) {
    if (!isDocumentFailure(error)) throw error;
    throw new TaskFailure('PROCESSING_FAILED', `The file ${fileName} ${error.message}.`, { cause: error });
  }
}

const gone = (what: string) => new TaskFailure('FILE_UNAVAILABLE', `${what} is no longer there; attach it again.`);
