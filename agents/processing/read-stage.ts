/** Reads one batch of documents: fetches each, reads it, and searches it by rules. */

import {
  type Document,
  type DocumentPart,
  type DocumentSource,
  isDocumentFailure,
  type PagePicture,
  unreadable,
} from '../../engines/documents/document.ts';
import type { Documents } from '../../engines/documents/documents.ts';
import { BYTES_GONE, bytesOf } from '../../engines/documents/file-reader.ts';
import { isOutboundFailure } from '../../engines/outbound/failure.ts';
import { Problem } from '../../shared/core/problem.ts';
import { nameOf } from '../../shared/files/fetched-file.ts';
import type { FileAddress } from '../../shared/files/file.ts';
import { cleanFileName } from '../../shared/files/file-name.ts';
import { checkStored, findFile } from '../../shared/files/get-file.ts';
import type { Blobs, Clock, FetchedResponse, Outbound, Table } from '../../shared/ports.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { storeJson } from '../checkpoints.ts';
import type { ValueLimits } from '../records/matching/named-rules.ts';
import { listedPaths } from '../records/record-plan.ts';
import { type ConcurrentWork, startConcurrently } from './concurrent-work.ts';
import { searchDocument } from './search-document.ts';
import { checkpoint, type ProcessingSetting, resume } from './stages.ts';
import {
  asksModel,
  type DocumentState,
  isUnusable,
  type ProcessingPlan,
  type ProcessingState,
  type StoredPicture,
  unusableError,
} from './state.ts';
import { MAX_LISTED } from './warnings.ts';

const FETCH_LIMITS = { maxBytes: 32_000_000, maxRedirects: 3, seconds: 25 } as const;

/**
 * Reads the documents of a batch concurrently. Each stage ends as soon as one more document is done, so a slow document
 * does not delay the results of the others.
 */
export function readStages(setting: ProcessingSetting, batch: number[], isLast: boolean): Stage[] {
  let reading: ConcurrentWork<ReadBatch> | undefined;
  return batch.map((_, before): Stage => {
    const isLastOfBatch = before === batch.length - 1;
    return {
      name: 'reading',
      // The end of a batch is stored at once; progress before that is stored within seconds.
      mayRepeat: !isLastOfBatch,
      async run(work, carried) {
        const state = await resume(setting, carried);
        const pending = batch.filter((at) => state.documents[at]?.status === 'pending');
        // A worker that takes over in the middle of a batch reads only what is still pending.
        reading ??= readPending(setting, work, pending);
        await reading.until(before + 1 - (batch.length - reading.size));
        const after = withRead(state, reading.outcomes);
        return checkpoint(setting, work.address, { state: after, stages: isLast && isLastOfBatch ? ['reading'] : [] });
      },
    };
  });
}

/** Fails a task that is not to end with gaps. The records stay as a partial result. */
export function checkComplete(documents: readonly DocumentState[]): void {
  const gaps = documents.flatMap((document) =>
    'record' in document && document.record && !document.record.complete
      ? [{ document: document.document, paths: document.record.missing }]
      : [],
  );
  const [firstGap] = gaps;
  if (!firstGap) return;
  const moreText = gaps.length > 1 ? ` ${gaps.length - 1} more documents have gaps, too.` : '';
  throw new TaskFailure(
    'PROCESSING_FAILED',
    `Document ${firstGap.document} has no value for ${listedPaths(firstGap.paths)}.${moreText} The results have the partial records.`,
  );
}

/**
 * Fails the task if no document can be used. The stage after reading calls this, so that the outcome of reading is
 * stored and shown.
 */
export function checkUsable(documents: readonly DocumentState[]): void {
  const failed = documents.flatMap((document) => (document.status === 'failed' ? [document] : []));
  if (failed.length < documents.length) return;
  const reasons = failed
    .slice(0, MAX_LISTED)
    .map(({ document, name, message }) => `document ${document}${name === '' ? '' : ` (${name})`} ${message}`);
  const more = failed.length > MAX_LISTED ? `, and ${failed.length - MAX_LISTED} more` : '';
  const which =
    failed.length === 1
      ? 'The only document could not be used'
      : `None of the ${failed.length} documents could be used`;
  throw new TaskFailure('PROCESSING_FAILED', `${which}: ${reasons.join('; ')}${more}.`);
}

type FilePorts = { table: Table; blobs: Blobs; clock: Clock };

/** Loads a file of the organization. One that was deleted since the task was submitted is named as gone. */
async function loadFile(ports: FilePorts, address: FileAddress, signal: AbortSignal): Promise<DocumentSource> {
  try {
    const { value: file } = checkStored(await findFile(ports, address));
    if (file.size > FETCH_LIMITS.maxBytes) throw unreadable('tooLarge');
    return { bytes: await bytesOf(ports.blobs, file, signal), name: file.fileName };
  } catch (error) {
    throw error === BYTES_GONE || (error instanceof Problem && error.code === 'notFound')
      ? unusableError('gone', error)
      : error;
  }
}

type FetchDocumentRequest = { url: string; type: string | null; ownHosts: string[]; signal: AbortSignal };

/** Fetches one document into memory, within limits of size and time, and determines its file name. */
async function fetchDocument(
  outbound: Outbound,
  { url, type, ownHosts, signal }: FetchDocumentRequest,
): Promise<DocumentSource> {
  const fetched = await outbound(url, { ...FETCH_LIMITS, ownHosts, signal });
  if (fetched === 'refused') throw unusableError('refused');
  if (fetched === 'failed') throw unusableError('unreachable');
  try {
    return { bytes: await readBody(fetched), name: fileNameOf(fetched, type) };
  } catch (error) {
    fetched.cancel();
    signal.throwIfAborted();
    throw isOutboundFailure(error) && error.reason === 'tooLarge'
      ? unreadable('tooLarge', error)
      : unusableError('unreachable', error);
  }
}

async function readBody({ body }: FetchedResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const ENDING = /\.[a-z\d]{1,5}$/i;

/** A name without an extension gets the type that the caller gave, such as `csv`. */
function fileNameOf(fetched: FetchedResponse, type: string | null): string {
  const name = cleanFileName(nameOf(fetched)) || 'document';
  return !ENDING.test(name) && type !== null && /^[a-z\d]{1,5}$/i.test(type) ? `${name}.${type.toLowerCase()}` : name;
}

type Ports = FilePorts & { documents: Documents; outbound: Outbound };
type ReadDocumentRequest = {
  number: number;
  url: string;
  fileId: string | undefined;
  type: string | null;
  plan: ProcessingPlan;
  showsPictures: boolean;
  most: ValueLimits;
  ownHosts: string[];
  organization: string;
  signal: AbortSignal;
};

/** `parts` is present if the document could be read. */
type ReadDocumentResult = { state: DocumentState; parts?: DocumentPart[]; pictures?: PagePicture[] };

/**
 * Fetches and reads one document and searches it. A faulty document results in a `failed` state, not in an
 * error.
 */
async function readDocument(ports: Ports, request: ReadDocumentRequest): Promise<ReadDocumentResult> {
  const { number, url, type, plan, most, organization, signal } = request;
  let name = '';
  try {
    const { fileId } = request;
    const source =
      fileId === undefined
        ? await fetchDocument(ports.outbound, request)
        : await loadFile(ports, { organization, fileId }, signal);
    name = source.name;
    const read = await ports.documents.read(source, { ...request, sheets: plan.rules.includes('tables') });
    const { parts, kind } = read;
    const documentInfo = { document: number, url, name, type, kind, size_bytes: source.bytes.length };
    const searched = await searchDocument(ports.documents, read, {
      document: number,
      plan,
      most,
      organization,
      signal,
    });
    return {
      state: { ...documentInfo, status: 'processed', ...sizesOf(parts), ...searched, asked: [] },
      parts,
      pictures: request.showsPictures ? await picturesOf(ports, { read, source, ...request }) : [],
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!isUnusable(error) && !isDocumentFailure(error)) throw error;
    const { reason, message } = error;
    return { state: { document: number, url, name, type, status: 'failed', reason, message } };
  }
}

/** Each is at most about 2 MB, and all go into one request. */
const MAX_PICTURES = 5;

type PicturesRequest = { read: Document; source: DocumentSource; organization: string; signal: AbortSignal };

/** The pages whose text says too little, and images: text recognition may leave out what it does not know to be text. */
const picturesOf = (
  { documents }: Ports,
  { read, source, organization, signal }: PicturesRequest,
): Promise<PagePicture[]> => {
  const { name, bytes } = source;
  const pages = read.kind === 'image' ? [1] : (read.pictured ?? []).slice(0, MAX_PICTURES);
  if (pages.length === 0) return Promise.resolve([]);
  const stored = { name, size: bytes.length, load: async () => bytes };
  return documents.pictures(stored, pages, { organization, signal });
};

const sizesOf = (parts: readonly DocumentPart[]) => ({
  places: parts.length,
  characters: parts.reduce((sum, { text }) => sum + text.length, 0),
});

/** The limits for all documents together, and for each. */
const TOTAL_LIMITS: ValueLimits = { values: 50_000, characters: 25_000_000 };
const DOCUMENT_LIMITS: ValueLimits = { values: 10_000, characters: 5_000_000 };

const limitsFor = (documents: number): ValueLimits => ({
  values: Math.min(DOCUMENT_LIMITS.values, Math.floor(TOTAL_LIMITS.values / documents)),
  characters: Math.min(DOCUMENT_LIMITS.characters, Math.floor(TOTAL_LIMITS.characters / documents)),
});

type ReadBatch = { state: DocumentState; textAt?: string; picturesAt?: string };

function readPending(setting: ProcessingSetting, work: Work, pending: readonly number[]): ConcurrentWork<ReadBatch> {
  const request = { organization: work.address.organization, signal: work.signal };
  return startConcurrently(pending, (at) => {
    const readInSlot = () => setting.downloads.run(request, () => readPendingDocument(setting, work, at));
    return setting.ownDownloads.run(request, readInSlot);
  });
}

async function readPendingDocument(
  { ports, plan, input }: ProcessingSetting,
  { address, signal }: Work,
  at: number,
): Promise<ReadBatch> {
  const { url = '', fileId, type = null } = plan.documents[at] ?? {};
  const most = limitsFor(plan.documents.length);
  const { organization } = address;
  const ownHosts = input.ownHosts ?? [];
  const request = {
    number: at + 1,
    url,
    fileId,
    type,
    plan,
    showsPictures: (plan.instructions.length > 0 || plan.record !== undefined) && ports.acceptsImages(input.model),
    most,
    ownHosts,
    organization,
    signal,
  };
  const { state, parts, pictures = [] } = await readDocument(ports, request);
  if (!parts || !asksModel(plan)) return { state };
  const textAt = await storeJson(ports, address, parts);
  if (pictures.length === 0) return { state, textAt };
  const storedPictures = pictures.map(
    ({ page, png }): StoredPicture => ({ page, base64: Buffer.from(png).toString('base64') }),
  );
  return { state, textAt, picturesAt: await storeJson(ports, address, storedPictures) };
}

function withRead(before: ProcessingState, outcomes: ReadonlyMap<number, ReadBatch>): ProcessingState {
  const pictures = { ...before.pictures };
  const updated = { ...before, documents: [...before.documents], texts: { ...before.texts }, pictures };
  for (const [at, { state, textAt, picturesAt }] of outcomes) {
    updated.documents[at] = state;
    if (picturesAt !== undefined) pictures[at + 1] = picturesAt;
    if (textAt !== undefined) updated.texts[at + 1] = textAt;
  }
  return updated;
}
