/** Downloads from a signed URL, such as that of a result file, without a credential. */
import { codeOf, ErrandError, retryAfter } from '../errors.ts';
import { addressIn } from '../requests/checked.ts';
import { pause } from '../requests/pause.ts';
import { attempt, type TryOptions, waitBefore } from '../requests/tries.ts';

export type DownloadOptions = TryOptions & {
  signal?: AbortSignal | undefined;
  /** Rejects larger files with `PAYLOAD_TOO_LARGE`. */
  maxBytes?: number;
};

export async function download(address: string, o: DownloadOptions = {}): Promise<Blob> {
  const { signal, timeoutMs, maxBytes = Infinity, fetch: send = fetch } = o;
  const { origin } = addressIn('What is to be downloaded', address, 'http');
  for (let tried = 0; ; tried++) {
    try {
      return await attempt(origin, { signal, timeoutMs }, async (ending) => {
        const response = await send(address, { signal: ending.signal });
        if (!response.ok) throw await downloadError(response);
        const chunks = await chunksOf(response, { maxBytes, moved: ending.moved });
        return new Blob(chunks, { type: response.headers.get('content-type') ?? '' });
      });
    } catch (error) {
      await pause(waitBefore(error, { ...o, tried }), signal);
    }
  }
}

/** Storage answers an expired URL with 403. */
const IS_GONE = new Set([403, 404, 410]);

async function downloadError({ status, headers, body }: Response): Promise<ErrandError> {
  await body?.cancel();
  const isGone = IS_GONE.has(status);
  const why = isGone ? ': its URL has expired, or it was deleted' : '';
  const details = { status, retryAfterSeconds: retryAfter(headers) };
  return new ErrandError(isGone ? 'NOT_FOUND' : codeOf(status), `The download returned ${status}${why}.`, details);
}

type DownloadLimit = { maxBytes: number; moved(): void };

async function chunksOf({ body, headers }: Response, o: DownloadLimit): Promise<Uint8Array<ArrayBuffer>[]> {
  const { maxBytes, moved } = o;
  const tooLarge = () => new ErrandError('PAYLOAD_TOO_LARGE', `The file has more than ${maxBytes} bytes.`);
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    await body?.cancel();
    throw tooLarge();
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = body?.getReader();
  for (let size = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    moved();
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
  return chunks;
}
