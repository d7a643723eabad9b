/** Reads the files of a task into pages. A file that is gone, or cannot be read, ends the task with its name. */
import { type File, fileKey, type StoredFile } from '../../../shared/files/file.ts';
import type { Blobs, Clock, Table } from '../../../shared/ports.ts';
import { TaskFailure } from '../../../shared/tasks/failure.ts';
import type { Documents } from '../../documents/documents.ts';
import { isDocumentFailure } from '../../documents/failure.ts';
import { type DeskFile, pagesOf } from './desk.ts';
import { pictureTaker } from './pictures.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock; documents: Documents };
type Wanted = {
  organization: string;
  fileIds: string[];
  /** Whether pictures are kept for a model that sees. */
  pictures: boolean;
  signal: AbortSignal;
  report(share: number): void;
};

export async function readAttached(ports: Ports, wanted: Wanted): Promise<DeskFile[]> {
  const files = await storedFiles(ports, wanted);
  const read: DeskFile[] = [];
  const take = wanted.pictures ? pictureTaker() : () => undefined;
  for (const [at, file] of files.entries()) {
    wanted.signal.throwIfAborted();
    const bytes = await bytesOf(ports, file);
    const one = await readOne(ports, file, bytes, wanted.signal);
    const picture = one.kind === 'image' ? take(bytes) : undefined;
    read.push(picture ? { ...one, picture } : one);
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

async function bytesOf({ blobs }: Ports, { fileName, bytesAt, size }: StoredFile): Promise<Uint8Array> {
  const body = await blobs.read(bytesAt);
  if (!body) throw gone(`The content of ${fileName}`);
  const bytes = new Uint8Array(size);
  let length = 0;
  for await (const chunk of body) {
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes;
}

async function readOne(
  { documents }: Ports,
  { fileName }: StoredFile,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<DeskFile> {
  try {
    const { kind, parts } = await documents.read({ bytes, name: fileName }, signal);
    return { name: fileName, kind, pages: pagesOf({ parts }) };
  } catch (error) {
    if (!isDocumentFailure(error)) throw error;
    throw new TaskFailure('PROCESSING_FAILED', `The file ${fileName} ${error.message}.`, { cause: error });
  }
}

const gone = (what: string) => new TaskFailure('FILE_UNAVAILABLE', `${what} is no longer there; attach it again.`);
