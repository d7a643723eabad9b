/** Opens the threads that read documents: Markdown in labelled parts, made in threads that can be killed. */

import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { capacityFor, type SlotRequest, semaphore } from '../../shared/core/semaphore.ts';
import { detectFromHead, HEAD_BYTES } from '../../shared/files/detect-type.ts';
import type { WrittenReading } from '../../shared/files/reading-format.ts';
import {
  DOCUMENT_LIMITS,
  type Document,
  type DocumentLimits,
  type DocumentSource,
  type Entries,
  type EntryShape,
  isDocumentFailure,
  type OcrAssets,
  type PagePicture,
  type PatternTest,
  type RuleCall,
  type TableQuery,
  unreadable,
} from './document.ts';
import type { QueryReply } from './sheets/run-query.ts';
import { kindOfText, readText as readTextParts } from './text.ts';
import { openThread } from './thread.ts';
import { threadPool } from './thread-pool.ts';

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

const isShortText = ({ bytes, name }: DocumentSource): boolean =>
  bytes.length <= SHORT_TEXT_BYTES &&
  detectFromHead(bytes.subarray(0, HEAD_BYTES)) === 'text' &&
  kindOfText(bytes, name) === 'text';
