/** Reads the files attached to tasks: Markdown in labelled parts, made in threads that can be killed. */

import { getCompileCacheDir } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { capacityFor, type SlotRequest, semaphore } from '../../shared/core/semaphore.ts';
import { SECOND_MS } from '../../shared/core/time.ts';
import type { WorkerProcess } from '../../shared/core/worker-process.ts';
import { detectFromHead, HEAD_BYTES } from '../../shared/files/detect-type.ts';
import type { FileAddress, StoredFile } from '../../shared/files/file.ts';
import { type ReadingPorts, readOnce } from '../../shared/files/read-once.ts';
import type { ReadingFailure, StoredReading } from '../../shared/files/reading.ts';
import { type ReadingPage, readIndex, readStored, type WrittenReading } from '../../shared/files/reading-format.ts';
import type { Blobs } from '../../shared/ports.ts';
import type { Entries, EntryShape } from './document.ts';
import {
  DOCUMENT_LIMITS,
  type Document,
  type DocumentFailureReason,
  type DocumentKind,
  type DocumentLimits,
  type DocumentSource,
  HAS_SHEETS,
  isDocumentFailure,
  type OcrAssets,
  type PagePicture,
  type PatternTest,
  type RuleCall,
  type TableQuery,
  unreadable,
} from './document.ts';
import { withUnsure } from './ocr/ocr-words.ts';
import type { QueryReply } from './sheets/run-query.ts';
import { kindOfText, readText as readTextParts } from './text.ts';
import { openThread, threadPool } from './thread.ts';

/** A document whose bytes are loaded only when a thread is free to read them. */
type StoredSource = { name: string; size: number; load(): Promise<Uint8Array> };

/** Requests wait for a thread slot; the slots are shared fairly between organizations. */
export type Documents = {
  /** Reads a short text without a parser and without a thread. Returns undefined for any other document. */
  readText(source: DocumentSource): Document | undefined;
  /**
   * With `sheets`, the typed tables of a workbook are returned beside its text. Rejects with a DocumentFailure, or with
   * the reason of the request's signal.
   */
  read(source: DocumentSource | StoredSource, request: SlotRequest & { sheets?: boolean }): Promise<Document>;
  /** Reads a document in the form in which it is stored. Rejects as `read` does. */
  readToStore(source: StoredSource, request: SlotRequest): Promise<WrittenReading>;
  /** The pictures of these pages, or the image file itself; none if they cannot be made. */
  pictures(source: StoredSource, pages: readonly number[], request: SlotRequest): Promise<PagePicture[]>;
  /** Reads bytes as a list of entries, within the same limits. Rejects as `read` does. */
  entries(input: { bytes: Uint8Array; shape: EntryShape }, request: SlotRequest): Promise<Entries>;
  /**
   * Queries the tables of files with one SELECT, one query at a time for each organization. Rejects as `read` does:
   * `tooSlow` after 5 seconds of the statement.
   */
  query(load: () => Promise<TableQuery>, request: SlotRequest): Promise<QueryReply>;
  /** Tests patterns of a caller, within the limits of CPU time. Rejects as `read` does. */
  testPatterns(tests: readonly PatternTest[], request: SlotRequest): Promise<boolean[]>;
  /** Applies a rule of `rulesFile` to a text of a stranger. Rejects as `read` does. */
  applyRule(call: RuleCall, request: SlotRequest): Promise<unknown>;
  close(): Promise<void>;
};

export type DocumentsOptions = {
  /** The program of the threads: the source file beside this one, or its bundle. */
  workerFile: string;
  /** The program of the rules that the threads apply. */
  rulesFile: string;
  assets: OcrAssets;
  limits?: Partial<DocumentLimits>;
  /** Whether PDFs are read by positions. The default is true. */
  geometry?: boolean;
  /**
   * The number of threads that work for one organization at a time. If it is more than 1, the pool has further threads
   * for other organizations (`capacityFor`). The default is 2.
   */
  threads?: number;
};

/** Text up to this size needs no parser and no thread: decoding and splitting it takes up to 15 ms. */
export const SHORT_TEXT_BYTES = 250_000;
const READS_PER_THREAD = 200;
const IDLE_MS = 30_000;
const LARGE_IDLE_MS = 2_000;

export function openDocuments({
  workerFile,
  rulesFile,
  assets,
  limits: limitOverrides,
  geometry = true,
  threads = 2,
}: DocumentsOptions): Documents {
  const limits = { ...DOCUMENT_LIMITS, ...limitOverrides };
  const versionCache = getCompileCacheDir();
  const compileCache = versionCache && dirname(versionCache);
  const settings = { limits, assets, rulesFile, geometry, ...definedFields({ compileCache }) };
  const pool = threadPool({
    open: () => openThread(workerFile, settings),
    slots: semaphore({ name: 'documentThreads', capacity: capacityFor(threads) }),
    readsPerThread: READS_PER_THREAD,
    idleMs: IDLE_MS,
    largeIdleMs: LARGE_IDLE_MS,
  });
  const queries = semaphore({ capacity: capacityFor(threads), maxEach: 1 });

  function checkSize(size: number): void {
    if (size === 0) throw unreadable('empty');
    if (size > limits.fileBytes) throw unreadable('tooLarge');
  }

  function readText(source: DocumentSource): Document | undefined {
    checkSize(source.bytes.length);
    if (!isShortText(source)) return undefined;
    const parts = readTextParts(source.bytes, limits);
    if (parts.length === 0) throw unreadable('empty');
    return { kind: 'text', parts };
  }

  return {
    readText,
    async read(source, request) {
      request.signal?.throwIfAborted();
      const { sheets = false } = request;
      if ('bytes' in source) return readText(source) ?? pool.read<Document>(request, () => ({ ...source, sheets }));
      const { name, size, load } = source;
      checkSize(size);
      if (size > SHORT_TEXT_BYTES)
        return pool.read<Document>(request, async () => ({ name, bytes: await load(), sheets }));
      const loaded = { name, bytes: await load() };
      return readText(loaded) ?? pool.read<Document>(request, () => ({ ...loaded, sheets }));
    },
    async readToStore({ name, size, load }, request) {
      request.signal?.throwIfAborted();
      checkSize(size);
      return pool.read<WrittenReading>(request, async () => ({ name, bytes: await load(), toStore: true }));
    },
    async pictures({ name, load }, pages, request) {
      request.signal?.throwIfAborted();
      try {
        return await pool.read<PagePicture[]>(request, async () => ({ name, bytes: await load(), pictures: pages }));
      } catch (error) {
        if (isDocumentFailure(error)) return [];
        throw error;
      }
    },
    async entries({ bytes, shape }, request) {
      request.signal?.throwIfAborted();
      if (bytes.length > limits.fileBytes) throw unreadable('tooLarge');
      return pool.read<Entries>(request, () => ({ bytes, name: '', shape }));
    },
    async query(load, request) {
      const { weight: _, ...slotRequest } = request;
      return queries.run(slotRequest, () =>
        pool.read<QueryReply>(request, async () => {
          const query = await load();
          const bytes = query.files.reduce((sum, file) => sum + ('bytes' in file ? file.bytes.length : 0), 0);
          if (bytes > limits.fileBytes) throw unreadable('tooLarge');
          return { bytes: new Uint8Array(), name: '', query };
        }),
      );
    },
    async testPatterns(tests, request) {
      request.signal?.throwIfAborted();
      return pool.read<boolean[]>(request, () => ({ bytes: new Uint8Array(), name: '', tests }));
    },
    async applyRule(rule, request) {
      request.signal?.throwIfAborted();
      return pool.read(request, () => ({ bytes: new Uint8Array(), name: '', rule }));
    },
    close: () => pool.close(),
  };
}

// Reads the stored files of organizations, each once: what was read is stored for all callers and tasks.

export type FileReader = {
  /**
   * What is stored of the file's text, or what is read now. Rejects with a DocumentFailure, or with the reason of the
   * signal; `gone`: the file or its bytes are.
   */
  read(address: FileAddress, signal: AbortSignal): Promise<Document | 'gone'>;
  /** Reads and stores, unless another worker does. `crowded`: the file needs a process of its own. */
  store(address: FileAddress, signal: AbortSignal, process: WorkerProcess | undefined): Promise<'crowded' | undefined>;
};

type FileReaderPorts = ReadingPorts & {
  documents: Pick<Documents, 'readToStore'>;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The process of the tasks that read files. A task is company for its file, so it is never `own`. */
  process?: 'only';
};

type OnceOptions = { signal: AbortSignal; process: WorkerProcess | undefined; lost?: string | undefined };

export function fileReader(ports: FileReaderPorts): FileReader {
  const { blobs, documents, pause } = ports;

  async function readFile(
    { fileName: name, bytesAt, size }: StoredFile,
    { organization, signal }: { organization: string; signal: AbortSignal },
  ): Promise<WrittenReading | ReadingFailure> {
    try {
      return await documents.readToStore(
        { name, size, load: () => bytesOf(blobs, { bytesAt, size }, signal) },
        { organization, signal },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!isDocumentFailure(error)) throw error;
      return { reason: error.reason, message: error.message };
    }
  }

  const once = (address: FileAddress, options: OnceOptions) =>
    readOnce(ports, address, {
      ...options,
      read: (file, signal) => readFile(file, { organization: address.organization, signal }),
    });

  /** Waits while another worker reads it, or until one can that does nothing else. */
  async function readNow(address: FileAddress, options: OnceOptions): Promise<StoredReading | 'gone'> {
    for (;;) {
      const reading = await once(address, options).catch((error) => {
        if (error === BYTES_GONE) return 'gone' as const;
        throw error;
      });
      if (reading === 'running' || reading === 'crowded') await pause(LOOK_AGAIN_MS, options.signal);
      else if (reading === 'gone' || reading.state === 'read') return reading;
      else throw Object.assign(unreadable(reading.reason as DocumentFailureReason), { message: reading.message });
    }
  }

  return {
    async read(address, signal) {
      for (let lost: string | undefined; ; ) {
        const reading = await readNow(address, { signal, lost, process: ports.process });
        if (reading === 'gone') return reading;
        const document = await documentOf(blobs, reading);
        if (document) return document;
        // The blob is gone: the file is read again.
        lost = reading.storedAt;
      }
    },
    async store(address, signal, process) {
      const reading = await once(address, { signal, process }).catch((error) => {
        // A worker that has to stop leaves the reading to another one.
        if (!signal.aborted && error !== BYTES_GONE) throw error;
      });
      return reading === 'crowded' ? reading : undefined;
    },
  };
}

const LOOK_AGAIN_MS = SECOND_MS;
export const BYTES_GONE = new Error('The bytes of the file are gone.');

export async function bytesOf(
  blobs: Pick<Blobs, 'read'>,
  { bytesAt, size }: Pick<StoredFile, 'bytesAt' | 'size'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted();
  const body = await blobs.read(bytesAt);
  if (!body) throw BYTES_GONE;
  const bytes = new Uint8Array(size);
  let length = 0;
  for await (const chunk of body) {
    signal.throwIfAborted();
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes;
}

/** A reading whose blob is gone is read again. */
async function documentOf(blobs: Pick<Blobs, 'read'>, reading: StoredReading): Promise<Document | undefined> {
  const index = await readIndex(blobs, reading);
  const bytes = index && (await readStored(blobs, reading, { from: 0, to: index.pages.at(-1)?.to ?? 0 }));
  if (!bytes) return undefined;
  // The label of a part names its page or slide, and of a sheet its name alone.
  const isWorkbook = HAS_SHEETS.has(index.kind);
  const parts = index.pages.flatMap(({ number, from, to }) => {
    const page = JSON.parse(bytes.toString('utf8', from, to)) as ReadingPage;
    return page.parts.map((part) => ({ ...withUnsure(part), ...(isWorkbook ? { page: number } : {}) }));
  });
  return { kind: index.kind as DocumentKind, parts, ...definedFields({ pictured: index.pictured }) };
}

const isShortText = ({ bytes, name }: DocumentSource): boolean =>
  bytes.length <= SHORT_TEXT_BYTES &&
  detectFromHead(bytes.subarray(0, HEAD_BYTES)) === 'text' &&
  kindOfText(bytes, name) === 'text';

/** The paths of the OCR files in their npm packages. */
export const ASSET_FILES: OcrAssets = {
  ocrProgram: 'tesseract.js-core/tesseract-core-simd-lstm.wasm',
  ocrLanguage: '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
  sqlite: 'sql.js/dist/sql-wasm.wasm',
};

const WORKER_BUNDLE = 'documents-worker.js';
const RULES_BUNDLE = 'text-rules.js';

/** The files that the threads load. */
export type ReaderFiles = Pick<DocumentsOptions, 'workerFile' | 'rulesFile' | 'assets'>;

/** The files of bundled reading threads, all in the folder of the handler that uses them. */
export const bundledReaderFiles = (folder: string): ReaderFiles => ({
  workerFile: join(folder, WORKER_BUNDLE),
  rulesFile: join(folder, RULES_BUNDLE),
  assets: {
    ocrProgram: join(folder, basename(ASSET_FILES.ocrProgram)),
    ocrLanguage: join(folder, basename(ASSET_FILES.ocrLanguage)),
    sqlite: join(folder, basename(ASSET_FILES.sqlite)),
  },
});
