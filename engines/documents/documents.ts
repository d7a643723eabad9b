/** Reads the files attached to tasks: Markdown in labelled parts, made in threads that can be killed. */

import { basename, join } from 'node:path';
import { capacityFor, type SlotRequest, semaphore } from '../../shared/core/semaphore.ts';
import { detectFromHead, HEAD_BYTES } from '../../shared/files/detect-type.ts';
import {
  DOCUMENT_LIMITS,
  type Document,
  type DocumentLimits,
  type DocumentSource,
  type OcrAssets,
  unreadable,
} from './document.ts';
import type { Entries, EntryShape } from './entries/entry.ts';
import { kindOfText, readText as readTextParts } from './text.ts';
import { openThread, threadPool } from './thread.ts';

/** A document whose bytes are loaded only when a thread is free to read them. */
type StoredSource = { name: string; size: number; load(): Promise<Uint8Array> };

/** Requests wait for a thread slot; the slots are shared fairly between organizations. */
export type Documents = {
  /** Reads a short text without a parser and without a thread. Returns undefined for any other document. */
  readText(source: DocumentSource): Document | undefined;
  /**
   * With `sheets`, the typed tables of a workbook are returned beside its text; with `layout`, the blocks of a PDF's pages
   * and its tables. Rejects with a DocumentFailure, or with the reason of the request's signal.
   */
  read(
    source: DocumentSource | StoredSource,
    request: SlotRequest & { sheets?: boolean; layout?: boolean },
  ): Promise<Document>;
  /** Reads bytes as a list of entries, within the same limits. Rejects as `read` does. */
  entries(input: { bytes: Uint8Array; shape: EntryShape }, request: SlotRequest): Promise<Entries>;
  close(): Promise<void>;
};

export type DocumentsOptions = {
  /** The program of the threads: the source file beside this one, or its bundle. */
  workerFile: string;
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

/** Text up to this size needs no parser and no thread: decoding and splitting it is fast. */
export const SHORT_TEXT_BYTES = 1_000_000;
const READS_PER_THREAD = 200;
const IDLE_MS = 30_000;

export function openDocuments({
  workerFile,
  assets,
  limits: own,
  geometry = true,
  threads = 2,
}: DocumentsOptions): Documents {
  const limits = { ...DOCUMENT_LIMITS, ...own };
  const settings = { limits, assets, geometry };
  const pool = threadPool({
    open: () => openThread(workerFile, settings),
    slots: semaphore({ name: 'documentThreads', capacity: capacityFor(threads) }),
    readsPerThread: READS_PER_THREAD,
    idleMs: IDLE_MS,
  });
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
      const wanted = { sheets: request.sheets ?? false, layout: request.layout ?? false };
      if ('bytes' in source) return readText(source) ?? pool.read<Document>(request, () => ({ ...source, ...wanted }));
      const { name, size, load } = source;
      checkSize(size);
      if (size > SHORT_TEXT_BYTES)
        return pool.read<Document>(request, async () => ({ name, bytes: await load(), ...wanted }));
      const loaded = { name, bytes: await load() };
      return readText(loaded) ?? pool.read<Document>(request, () => ({ ...loaded, ...wanted }));
    },
    async entries({ bytes, shape }, request) {
      request.signal?.throwIfAborted();
      if (bytes.length > limits.fileBytes) throw unreadable('tooLarge');
      return pool.read<Entries>(request, () => ({ bytes, name: '', shape }));
    },
    close: () => pool.close(),
  };
}

const isShortText = ({ bytes, name }: DocumentSource): boolean =>
  bytes.length <= SHORT_TEXT_BYTES &&
  detectFromHead(bytes.subarray(0, HEAD_BYTES)) === 'text' &&
  kindOfText(bytes, name) === 'text';

/** The paths of the OCR files in their npm packages. */
export const ASSET_FILES: OcrAssets = {
  ocrProgram: 'tesseract.js-core/tesseract-core-simd-lstm.wasm',
  ocrLanguage: '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
};

const WORKER_BUNDLE = 'documents-worker.js';

/** The files of bundled reading threads, all in the folder of the handler that uses them. */
export const bundledReaderFiles = (folder: string): Pick<DocumentsOptions, 'workerFile' | 'assets'> => ({
  workerFile: join(folder, WORKER_BUNDLE),
  assets: {
    ocrProgram: join(folder, basename(ASSET_FILES.ocrProgram)),
    ocrLanguage: join(folder, basename(ASSET_FILES.ocrLanguage)),
  },
});
