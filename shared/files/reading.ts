/**
 * Readings of files: a file is read once, and its reading is stored for all callers and tasks. One row beside the file's
 * records the progress, and one blob holds the reading (ADR 49).
 */

import { READINGS } from '../core/blobs.ts';
import { definedFields } from '../core/optional-fields.ts';
import { updateRow } from '../core/table-access.ts';
import { HOUR_MS, SECOND_MS } from '../core/time.ts';
import { hintNameOf } from '../lanes/lane.ts';
import type { Blobs, Bytes, Clock, Every, Ids, Key, Row, Table } from '../ports.ts';
import type { Hints } from '../tasks/hints.ts';
import { DEFAULT_PRIORITY } from '../tasks/submit.ts';
import { TASK_LIMITS, type WorkerProcess } from '../tasks/task.ts';
import { checkStored, type File, type FileAddress, fileKey, findFile, parseFileKey, type StoredFile } from './file.ts';

/** Readings of another version are made again. The version rises with each release, because the readers change. */
const READER_VERSION = '0.2.0';

// The stored format: JSON texts of pages and sheets in sequence, then their index.

/** In points, or in pixels for an image, from the top left corner of the page. */
export type Box = { x: number; y: number; width: number; height: number };
/** OCR confidence from 0 to 1: of a text and of each of its words. */
type OcrConfidence = { confidence: number; words: { text: string; confidence: number; box: Box }[] };
export type DocumentBlock = { kind: string; text: string; box?: Box; hidden?: true; ocr?: OcrConfidence };
export type TextTable = {
  place: string;
  box?: Box;
  headerRows: number;
  header: string[];
  rows: string[][];
  rowCount: number;
};
/** A part that the reader could not read, or that is too long. */
export type NotRead = { place: string; reason: string };
/** A part of a document's text as Markdown, with its position in the document. */
export type ReadingPart = {
  /** The position for citations: `page 3`, `sheet Costs`, `slide 2`, `section Payment`, `lines 10-40`. */
  label: string;
  text: string;
  /** The number of the first line of a plain text; citations count lines from it. */
  firstLine?: number;
  /** Text that is invisible in the opened document. Models are shown it as hidden, and it proves nothing. */
  hidden?: boolean;
  /** In reading order, with their boxes; if absent, they are derived from the Markdown. */
  blocks?: DocumentBlock[];
  /** From 0 to 1, for text from OCR. */
  ocr?: { confidence: number };
};
export type ReadingPage = { number: number; parts: ReadingPart[]; tables?: TextTable[] };
/** The bytes of one page or sheet; `to` is exclusive. */
export type Span = { number: number; from: number; to: number };
export type ReadingIndex = {
  kind: string;
  language: string | null;
  /** The metadata of a web page. */
  head?: { title?: string; author?: string; publishedAt?: string; canonicalUrl?: string };
  pages: Span[];
  /** The main content of a web page. */
  main?: Span[];
  sheets?: Span[];
  notRead: NotRead[];
  /** Pages whose image shows more than their text: little text, or low OCR confidence. */
  pictured?: number[];
};

/** `indexAt`: the offset of the index. */
export type WrittenReading = { bytes: Uint8Array; indexAt: number };
export type ReadingFailure = { reason: string; message: string };

type Current = { bytesAt: string; readerVersion: string };
type Stored = { storedAt: string; indexAt: number; size: number };
/**
 * `tries`: those whose process may have ended, with the current one. `errors`: those that threw. `storedAt`: the blob being
 * written, or the blob of an older reading.
 */
type Pending = { tries: number; errors?: number; storedAt?: string };
export type StoredReading = Current & { state: 'read' } & Stored;
/** `againAt`: the failure may be no fault of the file's, so it is read again when it is asked for after this time. */
type FailedReading = Current & { state: 'failed'; againAt?: number; tries?: number } & ReadingFailure;
type EndedReading = StoredReading | FailedReading;
type WaitingReading = Current & { state: 'waiting'; notBefore?: number } & Pending;
/** `alone`: it is the last try of a suspect, in a process of its own. */
type RunningReading = Current & { state: 'running'; until: number; alone?: true } & Pending;
type Reading = EndedReading | WaitingReading | RunningReading;

const LEASE_MS = 60 * SECOND_MS;
const RENEW_EVERY_MS = 20 * SECOND_MS;
/** When a lost hint is sent again. */
const HINT_AGAIN_MS = 30 * SECOND_MS;
/**
 * A process that runs out of memory, or is killed, ends all readings in it. After this many such tries the file is a
 * suspect: it is read in a process of its own, and only if that one ends too, the file is at fault.
 */
const SUSPECT_AFTER = 2;
const MAX_ERRORS = 3;
const AGAIN_AFTER_MS = 6 * HOUR_MS;
/**
 * A restart of the only process counts against no file; but a file that does end it may not end it again and again. It
 * waits as the tasks that need it do, and after so many restarts, which hardly meet one file by chance, for an hour.
 */
const { restartBackoffMs } = TASK_LIMITS;
const MANY_RESTARTS = 10;
const MAX_BYTES = 100_000_000;

const READING = 'READING';
const readingKey = (address: FileAddress): Key => ({ ...fileKey(address.organization, address.fileId), sk: READING });

const isEnded = (reading: Reading): reading is EndedReading => reading.state === 'read' || reading.state === 'failed';
const isCurrent = (reading: Reading, { bytesAt }: StoredFile): boolean =>
  reading.bytesAt === bytesAt && reading.readerVersion === READER_VERSION;

/** The blob is gone, for example by a lifecycle rule; the file is then read again. */
const isLost = (reading: Reading, lost: string | undefined): boolean =>
  lost !== undefined && reading.state === 'read' && reading.storedAt === lost;

const mayTryAgain = (reading: Reading, now: number): boolean =>
  reading.state === 'failed' && reading.againAt !== undefined && reading.againAt <= now;

const triesOf = (reading: Reading): number => ('tries' in reading ? (reading.tries ?? 0) : 0);

const sendHint = (hints: Hints, { organization, fileId }: FileAddress, delaySeconds = 0): Promise<void> =>
  hints([{ do: 'hintWorker', delaySeconds }], {
    organization,
    taskId: hintNameOf(fileId),
    priority: DEFAULT_PRIORITY,
  });

// For callers of the API.

type RequestPorts = { table: Table; clock: Clock; hints: Hints };

/** Returns the reading if it has ended, else requests it. `lost`: the location of a stored reading whose blob is gone. */
export async function requestReading(
  { table, clock, hints }: RequestPorts,
  address: FileAddress,
  { lost }: { lost?: string } = {},
): Promise<EndedReading | undefined> {
  const { value: file } = checkStored(await findFile({ table, clock }, address));
  const updated = await updateRow<Reading, Reading>(table, readingKey(address), (row) => {
    const known = row?.value;
    const storedAt = known && 'storedAt' in known ? known.storedAt : undefined;
    const isKnown = known !== undefined && isCurrent(known, file) && !isLost(known, lost);
    if (isKnown && !mayTryAgain(known, clock.now())) return { stop: known };
    const tries = isKnown ? triesOf(known) : 0;
    const value: Reading = { ...currentOf(file), state: 'waiting', tries, ...definedFields({ storedAt }) };
    return { write: { value, dueAt: clock.now() + HINT_AGAIN_MS } };
  });
  if ('written' in updated) await sendHint(hints, address);
  return 'stopped' in updated && isEnded(updated.stopped) ? updated.stopped : undefined;
}

const currentOf = ({ bytesAt }: StoredFile): Current => ({ bytesAt, readerVersion: READER_VERSION });

// For workers.

export type ReadingPorts = { table: Table; blobs: Blobs; clock: Clock; ids: Ids; every: Every };
type ReadFile = (file: StoredFile, signal: AbortSignal) => Promise<WrittenReading | ReadingFailure>;
/** Without `process`, other files and tasks are in the same process. */
type ReadOptions = {
  signal: AbortSignal;
  read: ReadFile;
  lost?: string | undefined;
  process?: WorkerProcess | undefined;
};
/** Nothing was read: another worker reads it, or it must wait; or the file needs a process of its own. */
type NotNow = 'running' | 'crowded';

/** Reads a file that has no reading and stores it. `gone`: the file was deleted. */
export async function readOnce(
  ports: ReadingPorts,
  address: FileAddress,
  options: ReadOptions,
): Promise<EndedReading | NotNow | 'gone'> {
  const file = await storedFile(ports, address);
  if (!file) return 'gone';
  const claimed = await claim(ports, address, { file, lost: options.lost, process: options.process });
  if (typeof claimed === 'string' || !('version' in claimed)) return claimed;
  return readClaimed(ports, { address, file, row: claimed }, options);
}

async function storedFile(
  { table, clock }: Pick<ReadingPorts, 'table' | 'clock'>,
  { organization, fileId }: FileAddress,
) {
  const file = (await table.get<File>(fileKey(organization, fileId)))?.value;
  return file?.state === 'stored' && file.goneAt > clock.now() ? file : undefined;
}

async function claim(
  { table, blobs, clock, ids }: ReadingPorts,
  address: FileAddress,
  { file, lost, process }: { file: StoredFile } & Pick<ReadOptions, 'lost' | 'process'>,
): Promise<Row<RunningReading> | EndedReading | NotNow> {
  const { organization, fileId } = address;
  const updated = await updateRow<Reading, EndedReading | NotNow>(table, readingKey(address), async (row) => {
    const now = clock.now();
    const isKnown = row !== undefined && isCurrent(row.value, file) && !isLost(row.value, lost);
    const next = nextTry(isKnown ? row.value : undefined, { process, now });
    if ('stop' in next) return next;
    // The old blob is removed before the row names a new one, so that no blob is ever orphaned.
    if (row && 'storedAt' in row.value && row.value.storedAt !== undefined) await blobs.remove(row.value.storedAt);
    if ('failed' in next) return { write: { value: { ...currentOf(file), state: 'failed', ...next.failed } } };
    const until = now + LEASE_MS;
    const storedAt = `${READINGS}${organization}/${fileId}/${ids.mark()}`;
    const value: RunningReading = { ...currentOf(file), state: 'running', ...next.begun, until, storedAt };
    return { write: { value, dueAt: until } };
  });
  if ('stopped' in updated) return updated.stopped;
  if ('contended' in updated) return 'running';
  const { value } = updated.written;
  return isEnded(value) ? value : (updated.written as Row<RunningReading>);
}

type NextTry =
  | { stop: EndedReading | NotNow }
  | { failed: Pick<FailedReading, 'reason' | 'message' | 'againAt' | 'tries'> }
  | { begun: Pick<RunningReading, 'tries' | 'errors' | 'alone'> };

function nextTry(
  reading: Reading | undefined,
  { process, now }: { process: WorkerProcess | undefined; now: number },
): NextTry {
  if (!reading) return { begun: { tries: 1 } };
  if (isEnded(reading) && !mayTryAgain(reading, now)) return { stop: reading };
  if (waitsUntil(reading) > now) return { stop: 'running' };
  const tries = triesOf(reading);
  const failure = failureAfter(reading);
  if (failure) return { failed: { ...failure, againAt: now + AGAIN_AFTER_MS, tries } };
  const isSuspect = tries >= SUSPECT_AFTER;
  if (isSuspect && process === undefined) return { stop: 'crowded' };
  const begun = { tries: tries + 1, ...('errors' in reading ? { errors: reading.errors } : {}) };
  return { begun: isSuspect && process === 'own' ? { ...begun, alone: true } : begun };
}

function waitsUntil(reading: Reading): number {
  if (reading.state === 'running') return reading.until;
  return reading.state === 'waiting' ? (reading.notBefore ?? 0) : 0;
}

/** Of a try that has ended, why there is no next one. */
function failureAfter(reading: Reading): ReadingFailure | undefined {
  if (reading.state === 'running' && reading.alone) return ENDED_ITS_PROCESS;
  if ('errors' in reading && (reading.errors ?? 0) >= MAX_ERRORS) return FAULTED;
  return undefined;
}

const AGAIN = `it can be read again after ${AGAIN_AFTER_MS / HOUR_MS} hours`;
const ENDED_ITS_PROCESS: ReadingFailure = {
  reason: 'processEnded',
  message: `ended the process that read it, at last while nothing else ran in it; ${AGAIN}`,
};
const FAULTED: ReadingFailure = {
  reason: 'faulted',
  message: `could not be read because of a fault of the service; ${AGAIN}`,
};

type Claimed = { address: FileAddress; file: StoredFile; row: Row<RunningReading> };

async function readClaimed(ports: ReadingPorts, { address, file, row }: Claimed, { signal, read }: ReadOptions) {
  const { table, blobs, clock } = ports;
  const lease = leaseOf(ports, row);
  try {
    const outcome = await read(file, AbortSignal.any([signal, lease.lost]));
    const reading = await storeOutcome(ports, row.value, outcome);
    const held = await lease.end();
    // The file may have been deleted meanwhile; its deletion removed only the blobs that existed.
    const isThere = (await storedFile(ports, address)) !== undefined;
    if (isThere && (await table.replace(held, { value: reading }))) return reading;
    await blobs.remove(row.value.storedAt ?? '');
    if (!isThere) await table.remove(held);
    return 'gone';
  } catch (error) {
    const held = await lease.end();
    if (lease.lost.aborted) return 'running';
    // Another worker reads it after the reconciler's next round. This process goes on; one that must stop met no error.
    const { storedAt, tries, errors = 0 } = held.value;
    const value: Reading = {
      ...currentOf(file),
      state: 'waiting',
      tries: tries - 1,
      errors: signal.aborted ? errors : errors + 1,
      ...definedFields({ storedAt }),
    };
    await table.replace(held, { value, dueAt: clock.now() });
    throw error;
  }
}

async function storeOutcome(
  { blobs }: ReadingPorts,
  { storedAt = '', bytesAt, readerVersion }: RunningReading,
  outcome: WrittenReading | ReadingFailure,
): Promise<EndedReading> {
  const current = { bytesAt, readerVersion };
  if (!('bytes' in outcome)) return { ...current, state: 'failed', reason: outcome.reason, message: outcome.message };
  const { bytes, indexAt } = outcome;
  await blobs.put(storedAt, oneChunk(bytes), { maxBytes: MAX_BYTES });
  return { ...current, state: 'read', storedAt, indexAt, size: bytes.length };
}

async function* oneChunk(bytes: Uint8Array): Bytes {
  yield bytes;
}

/** Renews the row's lease while the file is read. The lease is lost when the row is gone, as after a deletion of the file. */
function leaseOf({ table, clock, every }: ReadingPorts, row: Row<RunningReading>) {
  const lost = new AbortController();
  let held = row;
  let last = Promise.resolve();
  const renew = async () => {
    const until = clock.now() + LEASE_MS;
    const next = await table.replace<Reading>(held, { value: { ...held.value, until }, dueAt: until });
    if (next) held = next as Row<RunningReading>;
    else lost.abort(new Error('The reading is no longer held by this worker.'));
  };
  // A failed renewal is retried by the next one while the lease lasts.
  const stop = every(RENEW_EVERY_MS, () => {
    last = last.then(renew).catch(() => undefined);
  });
  return {
    lost: lost.signal,
    async end(): Promise<Row<RunningReading>> {
      stop();
      await last;
      return held;
    },
  };
}

// For the reconciler, and for the deletion of files.

type MaintainPorts = RequestPorts & { blobs: Pick<Blobs, 'remove'> };

/** Sends another hint for a reading that no worker holds. `isRestart`: its earlier worker has ended, with its process. */
export async function maintainReading(ports: MaintainPorts, key: Key, { isRestart = false } = {}): Promise<void> {
  const { table, clock, hints } = ports;
  const row = await table.get<Reading>(key);
  if (!row || isEnded(row.value)) return;
  const address = parseFileKey(key);
  if (!(await storedFile(ports, address))) return removeReading(ports, address);
  const now = clock.now();
  if (!isRestart && (row.dueAt ?? 0) > now) return;
  const value = isRestart && row.value.state === 'running' ? afterRestart(row.value, now) : row.value;
  const waitMs = Math.max(0, waitsUntil(value) - now);
  if (await table.replace(row, { value, dueAt: now + Math.max(waitMs, HINT_AGAIN_MS) }))
    await sendHint(hints, address, Math.min(TASK_LIMITS.maxHintSeconds, Math.ceil(waitMs / SECOND_MS)));
}

function afterRestart({ until: _until, alone: _alone, ...reading }: RunningReading, now: number): WaitingReading {
  const { tries } = reading;
  const waitMs = tries > MANY_RESTARTS ? HOUR_MS : restartBackoffMs[Math.min(tries, restartBackoffMs.length) - 1];
  return { ...reading, state: 'waiting', notBefore: now + (waitMs ?? 0) };
}

/** Another hint can wait, the expired lease of a worker cannot. */
export const readingCanWait = ({ value }: Row<Reading>): boolean => value.state === 'waiting';

type RemovePorts = { table: Table; blobs: Pick<Blobs, 'remove'> };

export async function removeReading({ table, blobs }: RemovePorts, address: FileAddress): Promise<void> {
  for (;;) {
    const row = await table.get<Reading>(readingKey(address));
    if (!row) return;
    if ('storedAt' in row.value && row.value.storedAt !== undefined) await blobs.remove(row.value.storedAt);
    if (await table.remove(row)) return;
  }
}

// Reads of stored readings.

/** `undefined`: the blob is gone. */
export async function readStored(
  blobs: Pick<Blobs, 'read'>,
  { storedAt }: Pick<Stored, 'storedAt'>,
  { from, to }: { from: number; to: number },
): Promise<Buffer | undefined> {
  if (to <= from) return Buffer.alloc(0);
  const body = await blobs.read(storedAt, { from, to: to - 1 });
  if (!body) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

export async function readIndex(blobs: Pick<Blobs, 'read'>, reading: StoredReading): Promise<ReadingIndex | undefined> {
  const bytes = await readStored(blobs, reading, { from: reading.indexAt, to: reading.size });
  return bytes && (JSON.parse(bytes.toString('utf8')) as ReadingIndex);
}
