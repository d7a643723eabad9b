/** Reads the files of a task into pages. A file that is gone, or cannot be read, ends the task with its name. */
import { type File, fileKey, type StoredFile } from '../../../shared/files/file.ts';
import type { Blobs, Clock, Table } from '../../../shared/ports.ts';
import { TaskFailure } from '../../../shared/tasks/failure.ts';
import type { Documents } from '../../documents/documents.ts';
import { type DocumentFailure, isDocumentFailure, unreadable } from '../../documents/failure.ts';
import { LIMITS } from '../../documents/limits.ts';
import type { Places } from '../places.ts';
import { type DeskFile, pagesOf, weightOf } from './desk.ts';
import { pictureTaker } from './pictures.ts';
import type { Seat } from './room.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock; documents: Documents };
type Wanted = {
  organization: string;
  fileIds: string[];
  /** Whether pictures are kept for a model that sees. */
  pictures: boolean;
  /** Of files in memory, over all tasks. */
  places: Places;
  /** For what was read of them. */
  seat: Seat;
  signal: AbortSignal;
  report(share: number): void;
};

export async function readAttached(ports: Ports, wanted: Wanted): Promise<DeskFile[]> {
  const files = await storedFiles(ports, wanted);
  const read: DeskFile[] = [];
  const take = wanted.pictures ? pictureTaker() : () => undefined;
  for (const [at, file] of files.entries()) {
    const { bytes, ...one } = await whenThereIsRoom(wanted, () => fetchAndRead(ports, file, wanted.signal));
    const picture = one.kind === 'image' ? take(bytes) : undefined;
    const own = picture ? { ...one, picture } : one;
    wanted.seat.take(weightOf(own));
    read.push(own);
    wanted.report((at + 1) / files.length);
  }
  return read;
}

/** Whoever got a place looks again: the room may have filled in the meantime, and the first one needs places to go on. */
async function whenThereIsRoom<T>({ seat, places, signal }: Wanted, run: () => Promise<T>): Promise<T> {
  for (;;) {
    await seat.free(signal);
    const done = await places(async () => (seat.isFree() ? { value: await run() } : undefined));
    if (done) return done.value;
  }
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

async function fetchAndRead(ports: Ports, file: StoredFile, signal: AbortSignal) {
  signal.throwIfAborted();
  // Not even fetched: it might be larger than this process.
  if (file.size > LIMITS.fileBytes) throw unread(file, unreadable('tooLarge'));
  const bytes = await bytesOf(ports, file);
  return { bytes, ...(await readOne(ports, file, bytes, signal)) };
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

async function readOne({ documents }: Ports, file: StoredFile, bytes: Uint8Array, signal: AbortSignal) {
  const name = file.fileName;
  try {
    const { kind, parts } = await documents.read({ bytes, name }, signal);
    return { name, kind, pages: pagesOf({ parts }) } satisfies DeskFile;
  } catch (error) {
    throw isDocumentFailure(error) ? unread(file, error) : error;
  }
}

const unread = ({ fileName }: StoredFile, failure: DocumentFailure) =>
  new TaskFailure('PROCESSING_FAILED', `The file ${fileName} ${failure.message}.`, { cause: failure });

const gone = (what: string) => new TaskFailure('FILE_UNAVAILABLE', `${what} is no longer there; attach it again.`);
