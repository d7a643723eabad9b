/** Reads the files that people attach to tasks: Markdown in labelled parts, made in threads that can be killed. */
import { HEAD_BYTES, kindOfHead } from '../../shared/files/kind-of-bytes.ts';
import type { Assets, Document, Source } from './document.ts';
import type { Entries, Shape } from './entries/entry.ts';
import { unreadable } from './failure.ts';
import { LIMITS, type Limits } from './limits.ts';
import { formOfText } from './text/form-of-text.ts';
import { readText } from './text/read-text.ts';
import { openThread } from './thread/open-thread.ts';
import { poolOf } from './thread/pool.ts';

export type Documents = {
  /** Rejects with a DocumentFailure, or with the reason of the caller's signal. */
  read(source: Source, signal?: AbortSignal): Promise<Document>;
  /** Reads bytes as a list of entries, within the same limits. Rejects as `read` does. */
  entries(asked: { bytes: Uint8Array; shape: Shape }, signal?: AbortSignal): Promise<Entries>;
  close(): Promise<void>;
};

export type DocumentsOptions = {
  /** What the threads run: the source beside this file, or its bundle. */
  workerFile: string;
  assets: Assets;
  limits?: Partial<Limits>;
  threads?: number;
};

/** Text up to here needs no parser and no thread: it is decoded and cut. */
const TEXT_AT_ONCE_BYTES = 1_000_000;
const READS_EACH = 200;
const IDLE_MS = 30_000;

export function openDocuments({ workerFile, assets, limits: own, threads = 2 }: DocumentsOptions): Documents {
  const limits = { ...LIMITS, ...own };
  const setting = { limits, assets };
  const pool = poolOf({
    open: () => openThread(workerFile, setting),
    most: threads,
    readsEach: READS_EACH,
    idleMs: IDLE_MS,
  });
  return {
    async read(source, signal) {
      signal?.throwIfAborted();
      const { bytes } = source;
      if (bytes.length === 0) throw unreadable('empty');
      if (bytes.length > limits.fileBytes) throw unreadable('tooLarge');
      if (!isBriefText(source)) return pool.read<Document>(source, signal);
      const parts = readText(bytes, limits);
      if (parts.length === 0) throw unreadable('empty');
      return { kind: 'text', parts };
    },
    async entries({ bytes, shape }, signal) {
      signal?.throwIfAborted();
      if (bytes.length > limits.fileBytes) throw unreadable('tooLarge');
      return pool.read<Entries>({ bytes, name: '', shape }, signal);
    },
    close: () => pool.close(),
  };
}

const isBriefText = ({ bytes, name }: Source): boolean =>
  bytes.length <= TEXT_AT_ONCE_BYTES &&
  kindOfHead(bytes.subarray(0, HEAD_BYTES)) === 'text' &&
  formOfText(bytes, name) === 'text';
