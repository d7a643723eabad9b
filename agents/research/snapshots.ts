/** Keeps the texts of the cited sources with the results of a research, and reads them again. */

import { createHash } from 'node:crypto';
import type { ResearchResults } from '../../shared/agents/results/research.ts';
import { attachmentHeader } from '../../shared/core/attachment.ts';
import { readStored } from '../../shared/files/reading-format.ts';
import type { Blobs } from '../../shared/ports.ts';
import type { Snapshot, Snapshots } from '../../shared/tasks/agent-report.ts';
import { type TaskAddress, toPublicId } from '../../shared/tasks/rows.ts';
import { storeBytes } from '../checkpoints.ts';
import type { ChosenDocument } from './research-request.ts';
import type { StageRun } from './stages.ts';

/** Notes when the text was fetched, and its hash. */
export const toReadDocument = (document: ChosenDocument, now: number): ChosenDocument => ({
  ...document,
  status: 'read',
  fetched_at: document.fetched_at ?? new Date(now).toISOString(),
  sha256: createHash('sha256').update(snapshotBytes(document)).digest('hex'),
});

const MAX_BYTES = 1_000_000;

/** What is kept of a text, cut between two characters. An item of a title alone is its title. */
export function snapshotBytes({ title, text }: Pick<ChosenDocument, 'title' | 'text'>): Buffer {
  const bytes = Buffer.from((text.trim() === '' ? title : text).toWellFormed());
  let end = Math.min(bytes.length, MAX_BYTES);
  // A byte that continues a character begins with the bits 10.
  while (end < bytes.length && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.subarray(0, end);
}

/** Stores all texts in one blob: a task costs one write, whatever it cites. */
export async function storeSnapshots(
  { ports, input, work: { address } }: StageRun,
  { results, documents: chosen }: { results: ResearchResults; documents: readonly ChosenDocument[] },
): Promise<{ results: ResearchResults; snapshots: Snapshots | 'off' }> {
  if (input.snapshots === false) return { results, snapshots: 'off' };
  const cited = new Set(results.documents.filter((document) => document.cited).map(({ document }) => document));
  const buffers: Buffer[] = [];
  const texts: Snapshot[] = [];
  let from = 0;
  for (const document of chosen) {
    const { document: source, address: url, fetched_at: fetchedAt, sha256 } = document;
    if (!cited.has(source) || fetchedAt === undefined || sha256 === undefined) continue;
    const bytes = snapshotBytes(document);
    buffers.push(bytes);
    texts.push({ source, url, fetchedAt, sha256, from, to: from + bytes.length });
    from += bytes.length;
  }
  const bytesAt = texts.length > 0 ? await storeBytes(ports, address, Buffer.concat(buffers)) : '';
  const numbers = new Set(texts.map(({ source }) => source));
  const documents = results.documents.map((document) =>
    numbers.has(document.document) ? { ...document, snapshot: pathOf(address, document.document) } : document,
  );
  return { results: { ...results, documents }, snapshots: { bytesAt, texts } };
}

type SnapshotAnswer =
  | { status: 200; headers: Record<string, string>; text: string }
  | { problem: 'notFound'; message: string };

/**
 * Answers `GET /tasks/{task_id}/results/sources/{source}`. Problems are returned, as on Lambda this is a program beside the agent API,
 * which has a class `Problem` of its own. Those of `blobs` pass through, and are the caller's.
 */
export async function readSnapshot(
  blobs: Pick<Blobs, 'read'>,
  snapshots: Snapshots | 'off' | undefined,
  source: string,
): Promise<SnapshotAnswer> {
  if (snapshots === 'off') return { problem: 'notFound', message: KEEPS_NONE };
  const snapshot = snapshots?.texts.find((text) => String(text.source) === source);
  const bytes = snapshots && snapshot && (await readStored(blobs, { storedAt: snapshots.bytesAt }, snapshot));
  if (!snapshot || !bytes) return { problem: 'notFound', message: NOT_KEPT };
  return { status: 200, text: bytes.toString('utf8'), headers: headersOf(snapshot) };
}

const pathOf = ({ taskId }: TaskAddress, source: number): string =>
  `/api/v1/tasks/${toPublicId(taskId)}/results/sources/${source}`;

const KEEPS_NONE =
  'Your organization keeps no texts of sources: the results have the URL, the hash and the quotes of each. Its operator can change that.';
const NOT_KEPT =
  'No text of this source is kept. The field `snapshot` of each document in the results has the path of its text.';

/** The headers of an archived page: RFC 7089 for its URL and time, RFC 9530 for its hash. */
const headersOf = ({ source, url, fetchedAt, sha256 }: Snapshot): Record<string, string> => ({
  'content-type': 'text/plain; charset=utf-8',
  'content-disposition': attachmentHeader(`source-${source}.txt`),
  'memento-datetime': new Date(fetchedAt).toUTCString(),
  'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  // What is escaped in the URL already stays as it is.
  link: `<${encodeURI(url).replaceAll('%25', '%')}>; rel="original"`,
});
