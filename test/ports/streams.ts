/** Streams for blob stores, and checks of the streams that they return. */
import { createHash, randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Bytes } from '../../shared/ports.ts';

const CHUNK_BYTES = 65_536;

export async function* stream(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

/** This many bytes in chunks, each with other content. */
export async function* noise(total: number): AsyncGenerator<Uint8Array> {
  const pattern = randomBytes(CHUNK_BYTES);
  for (let left = total; left > 0; left -= CHUNK_BYTES) {
    const chunk = Buffer.from(pattern);
    chunk.writeDoubleBE(left);
    yield chunk.subarray(0, Math.min(left, CHUNK_BYTES));
  }
}

/** Fails after this many bytes. */
export async function* breakingStream(after: number): AsyncGenerator<Uint8Array> {
  yield* noise(after);
  throw new Error('the source broke');
}

export async function bytesOf(body: Bytes | undefined): Promise<Buffer | undefined> {
  if (body === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

export const textOf = async (body: Bytes | undefined): Promise<string | undefined> => (await bytesOf(body))?.toString();

/** Passes the stream on and keeps its SHA-256. */
export function hashBody(body: Bytes): { body: Bytes; hex(): string } {
  const hash = createHash('sha256');
  async function* passing(): AsyncGenerator<Uint8Array> {
    for await (const part of body) {
      hash.update(part);
      yield part;
    }
  }
  return { body: passing(), hex: () => hash.digest('hex') };
}

export async function hexOf(body: Bytes): Promise<string> {
  const through = hashBody(body);
  for await (const _ of through.body);
  return through.hex();
}

/** The peak growth of the process in bytes while the work ran, without garbage. */
export async function growthDuring(work: () => Promise<void>): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const size = (): number => {
    collect();
    return process.memoryUsage.rss();
  };
  const before = size();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, size());
  }, 100);
  await work().finally(() => clearInterval(timer));
  return Math.max(peak, size()) - before;
}
