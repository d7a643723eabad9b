/** Reads the stored files of organizations, each once: what was read is stored for all callers and tasks. */
import { definedFields } from '../../shared/core/optional-fields.ts';
import { SECOND_MS } from '../../shared/core/time.ts';
import type { WorkerProcess } from '../../shared/core/worker-process.ts';
import type { FileAddress, StoredFile } from '../../shared/files/file.ts';
import { type ReadingPorts, readOnce } from '../../shared/files/read-once.ts';
import type { ReadingFailure, StoredReading } from '../../shared/files/reading.ts';
import { type ReadingPage, readIndex, readStored, type WrittenReading } from '../../shared/files/reading-format.ts';
import type { Blobs } from '../../shared/ports.ts';
import {
  type Document,
  type DocumentFailureReason,
  type DocumentKind,
  HAS_SHEETS,
  isDocumentFailure,
  unreadable,
} from './document.ts';
import type { Documents } from './documents.ts';
import { withUnsure } from './ocr/ocr-words.ts';

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
