/** Reads the files that people attach to tasks: Markdown in labelled parts, made in threads that can be killed. */
import { capacityFor, type SlotRequest, semaphore } from '../../shared/core/semaphore.ts';
import { detectFromHead, HEAD_BYTES } from '../../shared/files/detect-type.ts';
import type { Assets, Document, Source } from './document.ts';
import type { Entries, Shape } from './entries/entry.ts';
import { unreadable } from './failure.ts';
import { LIMITS, type Limits } from './limits.ts';
import { formOfText } from './text/form-of-text.ts';
import { readText as readTextParts } from './text/read-text.ts';
import { openThread } from './thread/open-thread.ts';
import { poolOf } from './thread/pool.ts';

/** A document whose bytes are loaded when a thread is free to read them. */
export type StoredSource = { name: string; size: number; load(): Promise<Uint8Array> };

/** The request is for a slot of the threads: organizations have them in turn. */
export type Documents = {
  /** Reads a text that needs no parser, and so waits for no thread; undefined when it is another document. */
  readText(source: Source): Document | undefined;
  /** Rejects with a DocumentFailure, or with the reason of the request's signal. */
  read(source: Source | StoredSource, request: SlotRequest): Promise<Document>;
  /** Reads bytes as a list of entries, within the same limits. Rejects as `read` does. */
  entries(asked: { bytes: Uint8Array; shape: Shape }, request: SlotRequest): Promise<Entries>;
  close(): Promise<void>;
};

export type DocumentsOptions = {
  /** What the threads run: the source beside this file, or its bundle. */
  workerFile: string;
  assets: Assets;
  limits?: Partial<Limits>;
  /** At work for one organization at a time; with more than 1 there is another one for the others. Default 2. */
  threads?: number;
};

/** Text up to here needs no parser and no thread: it is decoded and cut. */
export const BRIEF_TEXT_BYTES = 1_000_000;
const READS_EACH = 200;
const IDLE_MS = 30_000;

export function openDocuments({ workerFile, assets, limits: own, threads = 2 }: DocumentsOptions): Documents {
  const limits = { ...LIMITS, ...own };
  const setting = { limits, assets };
  const pool = poolOf({
    open: () => openThread(workerFile, setting),
    slots: semaphore({ name: 'documentThreads', capacity: capacityFor(threads) }),
    readsEach: READS_EACH,
    idleMs: IDLE_MS,
  });
  function checkSize(size: number): void {
    if (size === 0) throw unreadable('empty');
    if (size > limits.fileBytes) throw unreadable('tooLarge');
  }

  function readText(source: Source): Document | undefined {
    checkSize(source.bytes.length);
    if (!isBriefText(source)) return undefined;
    const parts = readTextParts(source.bytes, limits);
    if (parts.length === 0) throw unreadable('empty');
    return { kind: 'text', parts };
  }

  return {
    readText,
    async read(source, request) {
      request.signal?.throwIfAborted();
      if ('bytes' in source) return readText(source) ?? pool.read<Document>(request, () => source);
      const { name, size, load } = source;
      checkSize(size);
      if (size > BRIEF_TEXT_BYTES) return pool.read<Document>(request, async () => ({ name, bytes: await load() }));
      const loaded = { name, bytes: await load() };
      return readText(loaded) ?? pool.read<Document>(request, () => loaded);
    },
    async entries({ bytes, shape }, request) {
      request.signal?.throwIfAborted();
      if (bytes.length > limits.fileBytes) throw unreadable('tooLarge');
      return pool.read<Entries>(request, () => ({ bytes, name: '', shape }));
    },
    close: () => pool.close(),
  };
}

const isBriefText = ({ bytes, name }: Source): boolean =>
  bytes.length <= BRIEF_TEXT_BYTES &&
  detectFromHead(bytes.subarray(0, HEAD_BYTES)) === 'text' &&
  formOfText(bytes, name) === 'text';
