/** The streams of a compound file: the container of DOC, XLS and PPT, and of every encrypted new format. */
import { CFB } from '@e965/xlsx';
import { unreadable } from '../failure.ts';

/** By name, wherever it stands; nothing when there is none. */
export type CompoundFile = { stream(name: string): Buffer | undefined; names: string[] };

type ParsedCompoundFile = { FullPaths: string[]; FileIndex: { type: number; content?: Uint8Array | number[] }[] };

export function openCompoundFile(bytes: Buffer): CompoundFile {
  const { FullPaths, FileIndex } = parseCompoundFile(bytes);
  const streams = new Map<string, Buffer>();
  for (const [at, path] of FullPaths.entries()) {
    const { content } = FileIndex[at] ?? {};
    const name = path.replace(/^[^/]*\//, '').toLowerCase();
    if (content && name !== '' && !streams.has(name)) streams.set(name, Buffer.from(content));
  }
  return { names: [...streams.keys()], stream: (name) => streams.get(name.toLowerCase()) };
}

function parseCompoundFile(bytes: Buffer): ParsedCompoundFile {
  try {
    return CFB.read(bytes, { type: 'buffer' }) as ParsedCompoundFile;
  } catch (cause) {
    throw cause instanceof RangeError ? cause : unreadable('corrupt', cause);
  }
}
