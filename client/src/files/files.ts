/** Uploads, imports, lists and deletes files. */
import type {
  FileInList,
  FilePage,
  FileReading,
  FileReference,
  FileText,
  StoredFile,
  UploadOffer,
} from '../contracts/files-and-tasks.ts';
import { badOption, type ErrandError } from '../errors.ts';
import { itemsOf } from '../pages.ts';
import { bodiesOf, type Caller, type CallOptions, type ClientOptions } from '../requests/caller.ts';
import { headerIn, segmentOf } from '../requests/checked.ts';
import { pause } from '../requests/pause.ts';
import { TIMEOUT_MS, waitOf } from '../requests/tries.ts';
import { waitFor } from '../wait.ts';
import { mimeTypeOf } from './mime-type.ts';
import { type Progress, type Put, putBytes } from './put-bytes.ts';
import { type Bytes, bytesOf, type Source } from './upload-source.ts';

export type UploadOptions = CallOptions & {
  /** Required unless the source is a path or a File. */
  fileName?: string;
  mimeType?: string;
  /** The size of a stream in bytes; with it the stream is not buffered in memory. */
  size?: number;
  /** Reports progress, which never decreases, not even on a retry. */
  onProgress?: (progress: Progress) => void;
};

/** Selects a part of a text: pages or sheets as a number or a range, such as `2-5`; for a web page, its article or everything. */
export type TextOptions = {
  pages?: number | string;
  sheets?: number | string;
  view?: 'main' | 'all';
  signal?: AbortSignal | undefined;
  /** The longest wait for a reading; default ten minutes. */
  timeoutMs?: number;
};

export type Files = ReturnType<typeof filesOver>;

const at = (fileId: string): string => `/files/${segmentOf(fileId)}`;
const UPLOAD_TRIES = 3;

export function filesOver(call: Caller, { fetch, timeoutMs = TIMEOUT_MS }: ClientOptions = {}) {
  const ask = bodiesOf(call);
  async function upload(source: Source, o: UploadOptions = {}): Promise<{ fileId: string }> {
    const bytes = await bytesOf(source, o.size);
    const fileName = o.fileName ?? bytes.name;
    if (!fileName) throw badOption('Give the upload a fileName.');
    const mimeType = headerIn('The mimeType', o.mimeType ?? bytes.type ?? mimeTypeOf(fileName));
    const { signal } = o;
    const offer = await ask<UploadOffer>('/files', { ...withPartKey(o, ''), method: 'POST', body: { fileName } });
    await putAll(offer.uploadUrl, bytes, { type: mimeType, signal, timeoutMs, fetch, onProgress: o.onProgress });
    const { fileId, storagePath } = offer;
    const body = { fileName, mimeType, size: bytes.size, storagePath };
    await call(`${at(fileId)}/complete`, { ...withPartKey(o, '-complete'), method: 'POST', body });
    return { fileId };
  }

  type PagePlace = { pageSize?: number; signal?: AbortSignal; cursor?: string | undefined };
  const page = async ({ pageSize, signal, cursor }: PagePlace = {}): Promise<FilePage> =>
    ask<FilePage>('/files', { signal, query: { limit: pageSize, cursor } });

  async function textAs<T>(format: string, fileId: string, { timeoutMs, signal, ...o }: TextOptions): Promise<T> {
    const query = { format, ...o };
    const reading = await waitFor<T | FileReading>(
      (ending) => call(`${at(fileId)}/text`, { signal: ending, query }),
      { what: 'The reading of the file', hasEnded: (current) => (current as FileReading).status !== 'reading' },
      { signal, timeoutMs },
    );
    return reading as T;
  }

  return {
    /** Uploads a path (Node), a Blob, bytes or a stream. */
    upload,
    /** Imports a file: the service fetches it from a public HTTPS URL. */
    fromUrl: async (url: string, o?: CallOptions): Promise<FileReference> =>
      ask<FileReference>('/files', { ...o, method: 'POST', body: { url } }),
    /** The file, with a download URL that is valid for ten minutes. */
    get: async (fileId: string, o?: CallOptions): Promise<StoredFile> => ask<StoredFile>(at(fileId), o),
    /** The text of the file as Markdown with its positions. Waits while the file is being read. */
    text: async (fileId: string, o: TextOptions = {}): Promise<string> => textAs<string>('markdown', fileId, o),
    /** The text of the file as blocks, tables and typed cells. */
    content: async (fileId: string, o: TextOptions = {}): Promise<FileText> => textAs<FileText>('json', fileId, o),
    /** All files, newest first; requests the next page as you iterate. */
    list: (o: { pageSize?: number; signal?: AbortSignal } = {}): AsyncGenerator<FileInList, void> =>
      itemsOf(async (cursor) => {
        const { files, nextCursor } = await page({ ...o, cursor });
        return { items: files, next: nextCursor };
      }),
    /** One page; pass the `nextCursor` of the previous one as `cursor`. */
    page,
    delete: async (fileId: string, o?: CallOptions): Promise<void> => {
      await call(at(fileId), { ...o, method: 'DELETE' });
    },
  };
}

/** The caller's own key covers the whole upload, which consists of two calls. */
const withPartKey = ({ signal, idempotencyKey }: CallOptions, part: string): CallOptions => ({
  signal,
  ...(idempotencyKey === undefined ? {} : { idempotencyKey: idempotencyKey + part }),
});

type UploadTarget = Omit<Put, 'onProgress'> & { onProgress: UploadOptions['onProgress'] };

async function putAll(address: string, bytes: Bytes, { onProgress, ...o }: UploadTarget): Promise<void> {
  const totalBytes = bytes.size;
  let declared = -1;
  const reportProgress = (sent: number) => {
    const sentBytes = Math.min(sent, totalBytes);
    if (sentBytes <= declared) return;
    declared = sentBytes;
    onProgress?.({ sentBytes, totalBytes });
  };
  reportProgress(0);
  for (let tried = 0; ; tried++) {
    try {
      await putBytes(address, bytes, { ...o, onProgress: reportProgress });
      return reportProgress(totalBytes);
    } catch (error) {
      const { code, status } = error as ErrandError;
      const mayPass = code === 'UPLOAD_FAILED' && (status === undefined || status >= 500);
      if (!mayPass || !bytes.isRepeatable || tried + 1 === UPLOAD_TRIES) throw error;
      await pause(waitOf(error as ErrandError, tried), o.signal);
    }
  }
}
