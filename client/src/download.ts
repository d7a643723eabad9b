/** The bytes behind a signed address, such as that of a result file; no credential goes there. */
import { ErrandError } from './errors.ts';
import { aborted } from './pause.ts';

export type DownloadOptions = {
  signal?: AbortSignal | undefined;
  /** What is larger is not loaded: `PAYLOAD_TOO_LARGE`. */
  mostBytes?: number;
};

export async function download(address: string, { signal, mostBytes = Infinity }: DownloadOptions = {}): Promise<Blob> {
  try {
    const response = await fetch(address, signal ? { signal } : {});
    const { status, headers } = response;
    if (!response.ok) {
      await response.body?.cancel();
      throw new ErrandError(
        'NOT_FOUND',
        `The file was answered with ${status}: its address has expired, or it is gone.`,
        { status },
      );
    }
    const chunks = await chunksOf(response, mostBytes);
    return new Blob(chunks, { type: headers.get('content-type') ?? '' });
  } catch (error) {
    if (signal?.aborted) throw aborted(signal);
    if (error instanceof ErrandError) throw error;
    throw new ErrandError('NETWORK', 'The file cannot be reached, or was cut off.', { cause: error });
  }
}

async function chunksOf({ body, headers }: Response, mostBytes: number): Promise<Uint8Array<ArrayBuffer>[]> {
  const tooLarge = () => new ErrandError('PAYLOAD_TOO_LARGE', `The file has more than ${mostBytes} bytes.`);
  if (Number(headers.get('content-length') ?? 0) > mostBytes) {
    await body?.cancel();
    throw tooLarge();
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = body?.getReader();
  for (let size = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > mostBytes) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
  return chunks;
}
