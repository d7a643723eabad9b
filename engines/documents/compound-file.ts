/** Compound files (CFB): the container of DOC, XLS, PPT and of every encrypted newer office format. */
import { CFB } from '@e965/xlsx';
import { type DocumentKind, unreadable } from './document.ts';

/** Finds a stream by its name, at any depth, or returns undefined. */
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

/** The stream that identifies each old office format. A newer format inside a compound file is encrypted. */
const MAIN_STREAMS: readonly [string, DocumentKind][] = [
  ['worddocument', 'doc'],
  ['workbook', 'xls'],
  ['book', 'xls'],
  ['powerpoint document', 'ppt'],
];

export function kindOfCompound(bytes: Buffer): DocumentKind {
  const { names } = openCompoundFile(bytes);
  if (names.includes('encryptedpackage')) throw unreadable('encrypted');
  const mainStream = MAIN_STREAMS.find(([name]) => names.includes(name));
  if (!mainStream) throw unreadable(names.length > 0 ? 'unsupported' : 'corrupt');
  return mainStream[1];
}
