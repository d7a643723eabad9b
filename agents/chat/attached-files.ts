/** Reads the files of a task into pages. A missing or unreadable file fails the task with the file's name. */

import {
  DOCUMENT_LIMITS,
  type Document,
  type DocumentFailure,
  HAS_SHEETS,
  isDocumentFailure,
  type TableQuery,
} from '../../engines/documents/document.ts';
import { type Documents, SHORT_TEXT_BYTES } from '../../engines/documents/documents.ts';
import { BYTES_GONE, bytesOf, type FileReader } from '../../engines/documents/file-reader.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Semaphore, Slot } from '../../shared/core/semaphore.ts';
import { type File, fileKey, type StoredFile } from '../../shared/files/file.ts';
import type { Blobs, Clock, Table } from '../../shared/ports.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { pagesOf } from './document-pages.ts';
import type { ReservedFiles } from './file-cache.ts';
import { PICTURE_LIMITS, type Picture, pictureTaker, type WorkspaceFile, weightOfAll } from './workspace.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock; documents: Documents; fileReader: FileReader };
type ReadRequest = {
  organization: string;
  fileIds: string[];
  /** Keeps images for a model that accepts images. */
  pictures: boolean;
  /** Limits the memory for file content over all tasks. */
  memory: Semaphore;
  signal: AbortSignal;
  report(share: number): void;
};

export async function readAttached(ports: Ports, request: ReadRequest): Promise<ReservedFiles> {
  const files = await storedFiles(ports, request);
  // If a file name was misleading, all files are read again with the memory that whole documents may take.
  return (
    (await readWithin(ports, { ...request, files, trustsNames: true })) ??
    ((await readWithin(ports, { ...request, files, trustsNames: false })) as ReservedFiles)
  );
}

/** The files that `query_table` reads. */
export const loadQueryFiles = (files: readonly WorkspaceFile[], signal: AbortSignal): Promise<TableQuery['files']> =>
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

type AttachedFile = StoredFile & { fileId: string };
type Reading = ReadRequest & { files: AttachedFile[]; trustsNames: boolean };

/**
 * Reserves the memory that the files may need and releases what they did not use. Returns undefined if a file name was
 * misleading.
 */
async function readWithin(ports: Ports, reading: Reading): Promise<ReservedFiles | undefined> {
  const { organization, signal, memory, files } = reading;
  const weight = maxWeightOfAll(files, reading);
  const slot = await memory.acquire({ organization, signal, weight });
  try {
    const readFiles = await readAllFiles(ports, { ...reading, slot });
    if (readFiles) return { files: readFiles, slot };
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

async function readAllFiles(
  ports: Ports,
  { slot, ...reading }: Reading & { slot: Slot },
): Promise<WorkspaceFile[] | undefined> {
  const { files, trustsNames, ...request } = reading;
  const readFiles: WorkspaceFile[] = [];
  const take = pictureTaker();
  for (const [at, file] of files.entries()) {
    const isText = trustsNames && isNamedText(file);
    const loaded = isText ? await readNamedText(ports, file, request) : await readStored(ports, file, request);
    if (!loaded) return undefined;
    const { bytes, pictured, ...document } = loaded;
    const workspaceFile: WorkspaceFile = HAS_SHEETS.has(document.kind)
      ? { ...document, load: (signal) => loadBytes(ports, file, signal) }
      : document;
    const pictures = request.pictures
      ? await picturesOf(ports, { file, loaded: { bytes, pictured, ...document }, take }, request)
      : [];
    readFiles.push(pictures.length > 0 ? { ...workspaceFile, pictures } : workspaceFile);
    slot.resize(weightOfAll(readFiles) + maxWeightOfAll(files.slice(at + 1), reading));
    request.report((at + 1) / files.length);
  }
  return readFiles;
}

type PictureInput = { file: AttachedFile; loaded: LoadedFile; take: ReturnType<typeof pictureTaker> };

/** An image as it is, or scaled down if it is too large; the pages of a PDF whose text says too little. */
async function picturesOf(
  ports: Ports,
  { file, loaded, take }: PictureInput,
  { organization, signal }: Pick<ReadRequest, 'organization' | 'signal'>,
): Promise<Picture[]> {
  const { kind, bytes, pictured } = loaded;
  const isImage = kind === 'image';
  const whole = isImage ? take(bytes) : undefined;
  if (whole) return [whole];
  if (!isImage && pictured.length === 0) return [];
  const source = { name: file.fileName, size: file.size, load: () => loadBytes(ports, file, signal) };
  const pages = isImage ? [1] : pictured.slice(0, PICTURE_LIMITS.pictures);
  const rendered = await ports.documents.pictures(source, pages, { organization, signal });
  return rendered.flatMap(({ page, png }) => {
    const picture = take(png);
    return picture ? [isImage ? picture : { ...picture, page }] : [];
  });
}

async function storedFiles({ table, clock }: Ports, { organization, fileIds }: ReadRequest): Promise<AttachedFile[]> {
  if (fileIds.length === 0) return [];
  const rows = await table.getMany<File>(fileIds.map((id) => fileKey(organization, id)));
  return rows.map((row, at) => {
    const file = row?.value;
    const fileId = fileIds[at] ?? '';
    if (file?.state === 'stored' && file.goneAt > clock.now()) return { ...file, fileId };
    throw missingFile(`The file ${fileId}`);
  });
}

type LoadedFile = WorkspaceFile & { bytes: Uint8Array; pictured: number[] };

/** Reads without the document queue. Returns undefined if the file is not text. */
async function readNamedText(ports: Ports, file: StoredFile, { signal }: ReadRequest): Promise<LoadedFile | undefined> {
  const bytes = await loadBytes(ports, file, signal);
  const document = await orFailure(file, async () => ports.documents.readText({ bytes, name: file.fileName }));
  return document && toLoadedFile(file, bytes, document);
}

/** The file's stored reading, which the first task or caller of the API makes. */
async function readStored(
  ports: Ports,
  file: AttachedFile,
  { organization, pictures, signal }: Pick<ReadRequest, 'organization' | 'pictures' | 'signal'>,
): Promise<LoadedFile> {
  const { fileId } = file;
  const document = await orFailure(file, () => ports.fileReader.read({ organization, fileId }, signal));
  if (document === 'gone') throw missingFile(`The content of ${file.fileName}`);
  const isShown = pictures && document.kind === 'image';
  return toLoadedFile(file, isShown ? await loadBytes(ports, file, signal) : new Uint8Array(), document);
}

const toLoadedFile = (
  { fileName: name }: StoredFile,
  bytes: Uint8Array,
  { kind, parts, pictured = [] }: Document,
): LoadedFile => ({
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
    throw isDocumentFailure(error) ? unreadableFile(file, error) : error;
  }
}

const loadBytes = ({ blobs }: Ports, file: StoredFile, signal: AbortSignal): Promise<Uint8Array> =>
  bytesOf(blobs, file, signal).catch((error) => {
    throw error === BYTES_GONE ? missingFile(`The content of ${file.fileName}`) : error;
  });

const unreadableFile = ({ fileName }: StoredFile, failure: DocumentFailure) =>
  new TaskFailure('PROCESSING_FAILED', `The file ${fileName} ${failure.message}.`, { cause: failure });

const missingFile = (what: string) =>
  new TaskFailure('FILE_UNAVAILABLE', `${what} is no longer there; attach it again.`);
