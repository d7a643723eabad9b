/** Upload sources, converted to bytes of a known length that can be read again where possible. */
import { badOption, ErrandError, isObject } from '../errors.ts';

type Streamed<Chunk> = ReadableStream<Chunk> | AsyncIterable<Chunk>;
/** A path on this machine (Node), a Blob or File, bytes, or a stream of bytes or text. */
export type Source =
  | string
  | Blob
  | Uint8Array
  | Streamed<Uint8Array>
  | Streamed<string>
  | Streamed<Uint8Array | string>;

export type Bytes = {
  name: string | undefined;
  type: string | undefined;
  size: number;
  /** False for a stream, which can be read only once. */
  isRepeatable: boolean;
  /** Present if the source is a Blob, which a browser sends as a whole. */
  blob: Blob | undefined;
  chunks(): AsyncIterable<Uint8Array>;
};

/** A stream of unknown size is read into memory first, because an upload must declare its length. */
export async function bytesOf(source: Source, size?: number): Promise<Bytes> {
  if (typeof source === 'string') return fileBytes(source);
  if (source instanceof Blob) return blobBytes(source);
  if (source instanceof Uint8Array) return blobBytes(new Blob([source as Uint8Array<ArrayBuffer>]));
  if (!isStream(source)) throw noSource();
  if (size === undefined) return blobBytes(await blobOf(read(source)));
  if (!Number.isSafeInteger(size) || size < 0) throw badOption('size must be a number of bytes.');
  // An error of a Node stream before it is read would otherwise end the process.
  (source as { on?(event: string, onAbort: () => void): void }).on?.('error', () => {});
  const chunks = () => checkSize(read(source), size);
  if (hasXhr()) return blobBytes(await blobOf(chunks()));
  return { name: undefined, type: undefined, size, isRepeatable: false, blob: undefined, chunks };
}

const noSource = () => badOption('Upload a path, a Blob, bytes, or a stream of bytes or text.');

async function blobOf(chunks: AsyncIterable<Uint8Array>): Promise<Blob> {
  const collected: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of chunks) collected.push(chunk as Uint8Array<ArrayBuffer>);
  return new Blob(collected);
}

/** Storage accepts exactly the declared number of bytes. */
async function* checkSize(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const sizeMismatch = (actual: string) =>
    new ErrandError('UPLOAD_FAILED', `The stream had ${actual} instead of ${size}.`, {
      remedy: 'Correct the size, or omit it.',
    });
  let read = 0;
  for await (const chunk of chunks) {
    read += chunk.byteLength;
    if (read > size) throw sizeMismatch(`${read} bytes or more`);
    yield chunk;
  }
  if (read < size) throw sizeMismatch(`${read} bytes`);
}

const isStream = (source: unknown): boolean =>
  isObject(source) && (Symbol.asyncIterator in source || 'getReader' in source);

export const hasXhr = (): boolean => 'XMLHttpRequest' in globalThis;

/** Imported at run time only, so that bundlers for browsers ignore it. */
async function ofNode<T>(name: string): Promise<T> {
  try {
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);
  } catch (cause) {
    throw badOption('A path can be uploaded by Node only: give a File or a Blob.', { cause });
  }
}

async function fileBytes(path: string): Promise<Bytes> {
  const { createReadStream, promises } = await ofNode<typeof import('node:fs')>('fs');
  const { basename } = await ofNode<typeof import('node:path')>('path');
  const stats = await promises.stat(path).catch((cause) => {
    throw badOption(`${path} cannot be read.`, { cause });
  });
  if (!stats.isFile()) throw badOption(`${path} is not a file.`);
  const { size } = stats;
  // Opened at the first read: otherwise an unread source stays open, and its error is lost.
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
  chunks: () => read(blob.stream()),
});

type Chunks = AsyncIterable<Uint8Array | string>;

async function* read(source: Exclude<Source, string | Blob | Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = Symbol.asyncIterator in source ? (source as Chunks) : chunksOfStream(source);
  try {
    for await (const chunk of chunks) yield bytesIn(chunk);
  } catch (cause) {
    if (cause instanceof ErrandError) throw cause;
    throw new ErrandError('UPLOAD_FAILED', 'The stream cannot be read.', { cause });
  }
}

/** Not every browser supports async iteration of streams. */
async function* chunksOfStream(source: Streamed<Uint8Array | string>): Chunks {
  const reader = (source as ReadableStream<Uint8Array | string>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function bytesIn(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  throw noSource();
}
