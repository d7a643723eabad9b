/** The streams of a compound file: the container of DOC, XLS and PPT, and of every encrypted new format. */
import { CFB } from '@e965/xlsx';
import { unreadable } from '../failure.ts';

/** By name, wherever it stands; nothing when there is none. */
export type Compound = { stream(name: string): Buffer | undefined; names: string[] };

type Parsed = { FullPaths: string[]; FileIndex: { type: number; content?: Uint8Array | number[] }[] };

export function openCompound(bytes: Buffer): Compound {
  const { FullPaths, FileIndex } = parsed(bytes);
  const streams = new Map<string, Buffer>();
  for (const [at, path] of FullPaths.entries()) {
    const { content } = FileIndex[at] ?? {};
    const name = path.replace(/^[^/]*\//, '').toLowerCase();
    if (content && name !== '' && !streams.has(name)) streams.set(name, Buffer.from(content));
  }
  return { names: [...streams.keys()], stream: (name) => streams.get(name.toLowerCase()) };
}

function parsed(bytes: Buffer): Parsed {
  try {
    return CFB.read(bytes, { type: 'buffer' }) as Parsed;
  } catch (cause) {
    throw cause instanceof RangeError ? cause : unreadable('corrupt', cause);
  }
}
