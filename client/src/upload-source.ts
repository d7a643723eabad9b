/** What may be uploaded, as bytes of a known length that can be read more than once, where that is possible. */
import { ErrandError } from './errors.ts';

/** A path of this machine (Node), a Blob or File, bytes, or a stream of bytes. */
export type Source = string | Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export type Bytes = {
  name: string | undefined;
  type: string | undefined;
  size: number;
  /** False for a stream, which is gone when it was read. */
  isRepeatable: boolean;
  /** In a browser a request takes it whole. */
  blob: Blob | undefined;
  chunks(): AsyncIterable<Uint8Array>;
};

/** A stream of unknown size is read into memory first: an upload has to say how long it is. */
export async function bytesOf(source: Source, size?: number): Promise<Bytes> {
  if (typeof source === 'string') return fileBytes(source);
  if (source instanceof Blob) return blobBytes(source);
  if (source instanceof Uint8Array) return blobBytes(new Blob([source as Uint8Array<ArrayBuffer>]));
  if (!isStream(source)) {
    throw new ErrandError('BAD_OPTION', 'Upload a path, a Blob, bytes or a stream of bytes.');
  }
  if (size !== undefined && !hasXhr()) {
    return { name: undefined, type: undefined, size, isRepeatable: false, blob: undefined, chunks: () => read(source) };
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of read(source)) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  return blobBytes(new Blob(chunks));
}

const isStream = (source: unknown): boolean =>
  typeof source === 'object' && source !== null && (Symbol.asyncIterator in source || 'getReader' in source);

export const hasXhr = (): boolean => 'XMLHttpRequest' in globalThis;

/** Named at run time only, so that bundlers for browsers do not look for it. */
async function ofNode<T>(name: string): Promise<T> {
  try {
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);
  } catch (cause) {
    throw new ErrandError('BAD_OPTION', 'A path can be uploaded by Node only: give a File or a Blob.', { cause });
  }
}

async function fileBytes(path: string): Promise<Bytes> {
  const { createReadStream } = await ofNode<typeof import('node:fs')>('fs');
  const { stat } = await ofNode<typeof import('node:fs/promises')>('fs/promises');
  const { basename } = await ofNode<typeof import('node:path')>('path');
  const found = await stat(path).catch((cause) => {
    throw new ErrandError('BAD_OPTION', `${path} cannot be read.`, { cause });
  });
  if (!found.isFile()) throw new ErrandError('BAD_OPTION', `${path} is no file.`);
  const { size } = found;
  // Opened with the first read: what nobody reads would stay open, and nobody would hear that it cannot be opened.
  const chunks = async function* () {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  };
  return { name: basename(path), type: undefined, size, isRepeatable: true, blob: undefined, chunks };
}

const blobBytes = (blob: Blob): Bytes => ({
  name: 'name' in blob ? String(blob.name) : undefined,
  type: blob.type === '' ? undefined : blob.type,
  size: blob.size,
  isRepeatable: true,
  blob,
  chunks: () => read(blob.stream() as ReadableStream<Uint8Array>),
});

/** Not every browser can walk through a stream by itself. */
async function* read(source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (Symbol.asyncIterator in source) return yield* source as AsyncIterable<Uint8Array>;
  const reader = (source as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
