/** Stored files of the organization as a source: their text in parts, so that the best parts of long files are read. */
import { STORED_FILES } from '../../shared/agents/agent-input.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { FileAddress } from '../../shared/files/file.ts';
import { checkStored, findFile } from '../../shared/files/get-file.ts';
import type { Clock, Table } from '../../shared/ports.ts';
import type { GatheredItems, SourceFault, SourceItem } from '../../shared/sources/source-item.ts';
import { type DocumentPart, isDocumentFailure } from '../documents/document.ts';
import type { FileReader } from '../documents/file-reader.ts';

/** A part of a file ends at the first page end after this length. */
const PART = 20_000;
/** The maximum text of all files of a task, which they share equally. */
const MAX_TEXT = 6_000_000;

type FilePorts = { table: Table; clock: Clock; fileReader: Pick<FileReader, 'read'> };
type FilesRequest = { organization: string; fileIds: readonly string[]; signal: AbortSignal };

/** An unreadable file is reported as a fault; the other files are still read. */
export type GatherFiles = (request: FilesRequest) => Promise<GatheredItems>;

export const fileGatherer =
  (ports: FilePorts): GatherFiles =>
  async ({ organization, fileIds, signal }) => {
    const items: SourceItem[] = [];
    const faults: SourceFault[] = [];
    const maxEach = Math.floor(MAX_TEXT / fileIds.length);
    for (const fileId of fileIds) {
      const readResult = await readFile(ports, { organization, fileId }, signal);
      const address = `/files/${fileId}`;
      if ('reason' in readResult) faults.push({ address, reason: readResult.reason });
      else {
        const parts = readResult.parts.filter(({ hidden }) => !hidden);
        const includedParts = parts.slice(0, countWithin(parts, maxEach));
        items.push(...itemsOf(includedParts, { name: readResult.name, address }));
        if (includedParts.length < parts.length)
          faults.push({
            address,
            reason: `is too long: it was read up to ${includedParts.at(-1)?.label ?? 'its start'}`,
          });
      }
    }
    return { source: STORED_FILES, items, faults, queries: fileIds.length, isSample: false };
  };

type ReadResult = { name: string; parts: DocumentPart[] } | { reason: string };

async function readFile(ports: FilePorts, address: FileAddress, signal: AbortSignal): Promise<ReadResult> {
  const gone = { reason: 'no longer exists' };
  try {
    const { value: file } = checkStored(await findFile(ports, address));
    const document = await ports.fileReader.read(address, signal);
    return document === 'gone' ? gone : { name: file.fileName, parts: document.parts };
  } catch (error) {
    signal.throwIfAborted();
    if (isDocumentFailure(error)) return { reason: error.message };
    if (error instanceof Problem && error.code === 'notFound') return gone;
    throw error;
  }
}

/** The number of parts that fit into `max` characters; at least one. */
function countWithin(parts: readonly DocumentPart[], max: number): number {
  let remaining = max;
  const count = parts.findIndex(({ text }) => {
    remaining -= text.length;
    return remaining < 0;
  });
  return count === -1 ? parts.length : Math.max(1, count);
}

function itemsOf(parts: readonly DocumentPart[], { name, address }: { name: string; address: string }): SourceItem[] {
  const groups: DocumentPart[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    if (length >= PART) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(part);
    length += part.text.length;
  }
  return groups.map((group) => ({
    source: STORED_FILES,
    address,
    title: groups.length === 1 ? name : `${name}, ${placeOf(group)}`,
    text: group.map(({ label, text }) => `[${label}]\n\n${text}`).join('\n\n'),
  }));
}

function placeOf(group: readonly DocumentPart[]): string {
  const [first, last] = [group[0]?.label ?? '', group.at(-1)?.label ?? ''];
  return first === last ? first : `${first} to ${last}`;
}
