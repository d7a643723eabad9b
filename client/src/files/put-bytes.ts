/** Sends bytes to a signed URL and reports the progress. */
import { ErrandError } from '../errors.ts';
import { endingOf } from '../requests/ending.ts';
import { aborted } from '../requests/pause.ts';
import { type Bytes, hasXhr } from './upload-source.ts';

export type Progress = { sentBytes: number; totalBytes: number };
export type Put = {
  type: string;
  signal: AbortSignal | undefined;
  /** The longest time without progress. */
  timeoutMs: number;
  fetch: typeof globalThis.fetch | undefined;
  onProgress: (sentBytes: number) => void;
};

export async function putBytes(address: string, bytes: Bytes, o: Put): Promise<void> {
  if (o.signal?.aborted) throw aborted(o.signal);
  // A large upload may take long, as long as it makes progress.
  const ending = endingOf(o.signal, o.timeoutMs);
  const onProgress = (sentBytes: number) => {
    ending.moved();
    o.onProgress(sentBytes);
  };
  const moving = { ...o, signal: ending.signal, onProgress };
  const status = await (hasXhr() && bytes.blob
    ? putByXhr(address, bytes.blob, moving)
    : putByFetch(address, bytes, moving)
  )
    .catch((cause) => {
      if (o.signal?.aborted) throw aborted(o.signal);
      if (cause instanceof ErrandError) throw cause;
      const why = ending.isLate() ? `No bytes were sent for ${o.timeoutMs} ms.` : 'The bytes could not be sent.';
      throw new ErrandError('UPLOAD_FAILED', why, { cause });
    })
    .finally(ending.done);
  if (status < 200 || status > 299) {
    throw new ErrandError('UPLOAD_FAILED', `The upload returned ${status}.`, { status });
  }
}

type Moving = Put & { signal: AbortSignal };

async function putByFetch(address: string, bytes: Bytes, o: Moving): Promise<number> {
  const { type, signal, onProgress, fetch: send = fetch } = o;
  const chunks = pieces(bytes.chunks());
  let sentBytes = 0;
  let fault: unknown;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next().catch((error) => {
        fault = error;
        throw error;
      });
      if (done) return controller.close();
      sentBytes += value.byteLength;
      controller.enqueue(value);
      onProgress(sentBytes);
    },
    async cancel() {
      await chunks.return();
    },
  });
  // Without a length the body would be sent in chunks, which storage rejects.
  const headers = { 'content-type': type, 'content-length': String(bytes.size) };
  const init = { method: 'PUT', headers, body, duplex: 'half', signal };
  const response = await send(address, init as RequestInit).catch((error) => {
    throw fault ?? error;
  });
  await response.body?.cancel();
  return response.status;
}

const PIECE_BYTES = 65_536;

/** Splits chunks into small pieces, so that progress is visible. */
async function* pieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.byteLength; from += PIECE_BYTES) yield chunk.subarray(from, from + PIECE_BYTES);
  }
}

type Xhr = {
  upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  status: number;
  open(method: string, address: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
};

/** In a browser only XMLHttpRequest reports upload progress. */
function putByXhr(address: string, blob: Blob, { type, signal, onProgress }: Moving): Promise<number> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Xhr };
  const request = new XMLHttpRequest();
  // `onabort`, because the signal belongs to this try only.
  signal.onabort = () => request.abort();
  return new Promise<number>((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => resolve(request.status);
    request.onerror = request.onabort = () => reject(new Error('The connection was closed.'));
    request.open('PUT', address);
    request.setRequestHeader('content-type', type);
    request.send(blob);
  });
}
