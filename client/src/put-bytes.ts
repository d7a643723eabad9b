/** Sends bytes to a signed address and tells how far they are. */
import { ErrandError } from './errors.ts';
import { aborted } from './pause.ts';
import { type Bytes, hasXhr } from './upload-source.ts';

export type Progress = { sentBytes: number; totalBytes: number };
export type Put = {
  type: string;
  signal: AbortSignal | undefined;
  /** So long nothing may move. */
  timeoutMs: number;
  fetch: typeof globalThis.fetch | undefined;
  onProgress: (sentBytes: number) => void;
};

export async function putBytes(address: string, bytes: Bytes, o: Put): Promise<void> {
  if (o.signal?.aborted) throw aborted(o.signal);
  const ending = stalling(o);
  const moving = { ...o, signal: ending.signal, onProgress: ending.moved };
  const status = await (hasXhr() && bytes.blob
    ? putByXhr(address, bytes.blob, moving)
    : putByFetch(address, bytes, moving)
  )
    .catch((cause) => {
      if (o.signal?.aborted) throw aborted(o.signal);
      const why = ending.signal.aborted ? `Nothing moved for ${o.timeoutMs} ms.` : 'The bytes did not get through.';
      throw new ErrandError('UPLOAD_FAILED', why, { cause });
    })
    .finally(ending.done);
  if (status < 200 || status > 299) {
    throw new ErrandError('UPLOAD_FAILED', `The upload was answered with ${status}.`, { status });
  }
}

/** Ends with the caller's signal, and when nothing has moved for too long: a large upload may take its time. */
function stalling({ signal, timeoutMs, onProgress }: Put) {
  const ending = new AbortController();
  const end = () => ending.abort();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;
  const wait = () => {
    clearTimeout(timer);
    if (!isDone) timer = setTimeout(end, timeoutMs);
  };
  wait();
  signal?.addEventListener('abort', end, { once: true });
  return {
    signal: ending.signal,
    moved(sentBytes: number) {
      wait();
      onProgress(sentBytes);
    },
    done() {
      isDone = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    },
  };
}

type Moving = Put & { signal: AbortSignal };

async function putByFetch(address: string, bytes: Bytes, o: Moving): Promise<number> {
  const { type, signal, onProgress, fetch: send = fetch } = o;
  const chunks = pieces(bytes.chunks());
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) return controller.close();
      sent += value.byteLength;
      controller.enqueue(value);
      onProgress(sent);
    },
    async cancel() {
      await chunks.return();
    },
  });
  // Without its length it would go out in chunks, which storage refuses.
  const headers = { 'content-type': type, 'content-length': String(bytes.size) };
  const init = { method: 'PUT', headers, body, duplex: 'half', signal };
  const response = await send(address, init as RequestInit);
  await response.body?.cancel();
  return response.status;
}

const PIECE_BYTES = 65_536;

/** Small enough that progress shows, however the bytes came. */
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

/** In a browser only this tells how far an upload is. */
function putByXhr(address: string, blob: Blob, { type, signal, onProgress }: Moving): Promise<number> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Xhr };
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  signal.addEventListener('abort', abort, { once: true });
  return new Promise<number>((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => resolve(request.status);
    request.onerror = () => reject(new Error('The connection was cut.'));
    request.onabort = () => reject(new Error('The upload was ended.'));
    request.open('PUT', address);
    request.setRequestHeader('content-type', type);
    request.send(blob);
  }).finally(() => signal.removeEventListener('abort', abort));
}
