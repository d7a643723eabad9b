/** Reads the files of a task into pages. A missing or unreadable file fails the task with the file's name. */

import {
  DOCUMENT_LIMITS,
  type Document,
  type DocumentFailure,
  HAS_SHEETS,
  isDocumentFailure,
  type TableQuery,
} from '../../engines/documents/document.ts';
import {
  BYTES_GONE,
  bytesOf,
  type Documents,
  type FileReader,
  SHORT_TEXT_BYTES,
} from '../../engines/documents/documents.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Semaphore, Slot } from '../../shared/core/semaphore.ts';
import { type File, fileKey, type StoredFile } from '../../shared/files/file.ts';
import type { Blobs, Clock, Table } from '../../shared/ports.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { pagesOf } from './pages.ts';
import { type Attached, type DeskFile, PICTURE_LIMITS, type Picture, pictureTaker, weightOfAll } from './workspace.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock; documents: Documents; fileReader: FileReader };
type Wanted = {
  organization: string;
  fileIds: string[];
  /** Keeps images for a model that accepts images. */
  pictures: boolean;
  /** Limits the memory for file content over all tasks. */
  memory: Semaphore;
  signal: AbortSignal;
  report(share: number): void;
};

export async function readAttached(ports: Ports, wanted: Wanted): Promise<Attached> {
  const files = await storedFiles(ports, wanted);
  // If a file name was misleading, all files are read again with the memory that whole documents may take.
  return (
    (await readWithin(ports, { ...wanted, files, trustsNames: true })) ??
    ((await readWithin(ports, { ...wanted, files, trustsNames: false })) as Attached)
  );
}

type AttachedFile = StoredFile & { fileId: string };
type Reading = Wanted & { files: AttachedFile[]; trustsNames: boolean };

/**
 * Reserves the memory that the files may need and releases what they did not use. Returns undefined if a file name was
 * misleading.
 */
async function readWithin(ports: Ports, reading: Reading): Promise<Attached | undefined> {
  const { organization, signal, memory, files } = reading;
  const weight = maxWeightOfAll(files, reading);
  const slot = await memory.acquire({ organization, signal, weight });
  try {
    const read = await readAll(ports, { ...reading, slot });
    if (read) return { files: read, slot };
    slot.release();
    return undefined;
  } catch (error) {
    slot.release();
    throw error;
  }
}

const TEXT_NAME = /\.(txt|text|md|markdown|log|json|ya?ml)$/i;
const isNamedText = ({ fileName, size }: StoredFile): boolean => size <= SHORT_TEXT_BYTES && TEXT_NAME.test(fileName);

const maxWeightOf = (file: StoredFile, { trustsNames, pictures }: Pick<Reading, 'trustsNames' | 'pictures'>): number =>
  trustsNames && isNamedText(file)
    ? file.size
    : DOCUMENT_LIMITS.textLength + (pictures ? Math.max(file.size, PICTURE_LIMITS.allBytes) : 0);

const maxWeightOfAll = (files: readonly StoredFile[], reading: Pick<Reading, 'trustsNames' | 'pictures'>): number =>
  files.reduce((sum, file) => sum + maxWeightOf(file, reading), 0);

async function readAll(ports: Ports, { slot, ...reading }: Reading & { slot: Slot }): Promise<DeskFile[] | undefined> {
  const { files, trustsNames, ...wanted } = reading;
  const read: DeskFile[] = [];
  const take = pictureTaker();
  for (const [at, file] of files.entries()) {
    const isText = trustsNames && isNamedText(file);
    const found = isText ? await readNamedText(ports, file, wanted) : await readOne(ports, file, wanted);
    if (!found) return undefined;
    const { bytes, pictured, ...document } = found;
    const one: DeskFile = HAS_SHEETS.has(document.kind)
      ? { ...document, load: (signal) => loadBytes(ports, file, signal) }
      : document;
    const pictures = wanted.pictures
      ? await picturesOf(ports, { file, found: { bytes, pictured, ...document }, take }, wanted)
      : [];
    read.push(pictures.length > 0 ? { ...one, pictures } : one);
    slot.resize(weightOfAll(read) + maxWeightOfAll(files.slice(at + 1), reading));
    wanted.report((at + 1) / files.length);
  }
  return read;
}

type Shown = { file: AttachedFile; found: Read; take: ReturnType<typeof pictureTaker> };

/** An image as it is, or scaled down if it is too large; the pages of a PDF whose text says too little. */
async function picturesOf(
  ports: Ports,
  { file, found, take }: Shown,
  { organization, signal }: Pick<Wanted, 'organization' | 'signal'>,
): Promise<Picture[]> {
  const { kind, bytes, pictured } = found;
  const isImage = kind === 'image';
  const whole = isImage ? take(bytes) : undefined;
  if (whole) return [whole];
  if (!isImage && pictured.length === 0) return [];
  const source = { name: file.fileName, size: file.size, load: () => loadBytes(ports, file, signal) };
  const pages = isImage ? [1] : pictured.slice(0, PICTURE_LIMITS.pictures);
  const made = await ports.documents.pictures(source, pages, { organization, signal });
  return made.flatMap(({ page, png }) => {
    const picture = take(png);
    return picture ? [isImage ? picture : { ...picture, page }] : [];
  });
}

async function storedFiles({ table, clock }: Ports, { organization, fileIds }: Wanted): Promise<AttachedFile[]> {
  if (fileIds.length === 0) return [];
  const rows = await table.getMany<File>(fileIds.map((id) => fileKey(organization, id)));
  return rows.map((row, at) => {
    const file = row?.value;
    const fileId = fileIds[at] ?? '';
    if (file?.state === 'stored' && file.goneAt > clock.now()) return { ...file, fileId };
    throw gone(`The file ${fileId}`);
  });
}

type Read = DeskFile & { bytes: Uint8Array; pictured: number[] };

/** Reads without the document queue. Returns undefined if the file is not text. */
async function readNamedText(ports: Ports, file: StoredFile, { signal }: Wanted): Promise<Read | undefined> {
  const bytes = await loadBytes(ports, file, signal);
  const document = await orFailure(file, async () => ports.documents.readText({ bytes, name: file.fileName }));
  return document && deskFile(file, bytes, document);
}

/** The file's stored reading, which the first task or caller of the API makes. */
async function readOne(
  ports: Ports,
  file: AttachedFile,
  { organization, pictures, signal }: Pick<Wanted, 'organization' | 'pictures' | 'signal'>,
): Promise<Read> {
  const { fileId } = file;
  const document = await orFailure(file, () => ports.fileReader.read({ organization, fileId }, signal));
  if (document === 'gone') throw gone(`The content of ${file.fileName}`);
  const isShown = pictures && document.kind === 'image';
  return deskFile(file, isShown ? await loadBytes(ports, file, signal) : new Uint8Array(), document);
}

const deskFile = (
  { fileName: name }: StoredFile,
  bytes: Uint8Array,
  { kind, parts, pictured = [] }: Document,
): Read => ({
  pictured,
  name,
  kind,
  pages: pagesOf({ parts }),
  bytes,
});

async function orFailure<T>(file: StoredFile, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isDocumentFailure(error) ? unread(file, error) : error;
  }
}

/** The files that `query_table` reads. */
export const queriedFiles = (files: readonly DeskFile[], signal: AbortSignal): Promise<TableQuery['files']> =>
  Promise.all(
    files.map(async ({ name, pages, load }) =>
      load
        ? { name, bytes: await load(signal) }
        : {
            name,
            parts: pages.flatMap(({ parts }) =>
              parts.map(({ place: label, text, hidden }) => ({ label, text, ...definedFields({ hidden }) })),
            ),
          },
    ),
  );

const loadBytes = ({ blobs }: Ports, file: StoredFile, signal: AbortSignal): Promise<Uint8Array> =>
  bytesOf(blobs, file, signal).catch((error) => {
    throw error === BYTES_GONE ? gone(`The content of ${file.fileName}`) : error;
  });

const unread = ({ fileName }: StoredFile, failure: DocumentFailure) =>
  new TaskFailure('PROCESSING_FAILED', `The file ${fileName} ${failure.message}.`, { cause: failure });

const gone = (what: string) => new TaskFailure('FILE_UNAVAILABLE', `${what} is no longer there; attach it again.`);
