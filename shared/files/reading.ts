/**
 * The row of a file's reading, beside the file's own: its states, how a caller requests it, and how it is maintained and
 * removed. A file is read once, and its reading is stored for all callers and tasks (ADR 49).
 */

import { definedFields } from '../core/optional-fields.ts';
import { QUEUE_LIMITS } from '../core/queue-limits.ts';
import { updateRow } from '../core/table-access.ts';
import { HOUR_MS, SECOND_MS } from '../core/time.ts';
import { RESTART_BACKOFF_MS } from '../core/worker-process.ts';
import type { Blobs, Clock, Key, Row, Table } from '../ports.ts';
import { type File, type FileAddress, fileKey, parseFileKey, type StoredFile } from './file.ts';
import { checkStored, findFile } from './get-file.ts';
import type { StoredBlob } from './reading-format.ts';
import { type ReadingHints, sendReadingHint } from './reading-hint.ts';

/** Readings of another version are made again. The version rises with each release, because the readers change. */
const READER_VERSION = '0.2.0';

export type ReadingFailure = { reason: string; message: string };

type ReadingVersion = { bytesAt: string; readerVersion: string };
/**
 * `tries`: those whose process may have ended, with the current one. `errors`: those that threw. `storedAt`: the blob being
 * written, or the blob of an older reading.
 */
type Pending = { tries: number; errors?: number; storedAt?: string };
export type StoredReading = ReadingVersion & { state: 'read' } & StoredBlob;
/** `againAt`: the failure may be no fault of the file's, so it is read again when it is asked for after this time. */
export type FailedReading = ReadingVersion & { state: 'failed'; againAt?: number; tries?: number } & ReadingFailure;
export type EndedReading = StoredReading | FailedReading;
type WaitingReading = ReadingVersion & { state: 'waiting'; notBefore?: number } & Pending;
/** `alone`: it is the last try of a suspect, in a process of its own. */
export type RunningReading = ReadingVersion & { state: 'running'; until: number; alone?: true } & Pending;
export type ReadingState = EndedReading | WaitingReading | RunningReading;

/** When a lost hint is sent again. */
const HINT_AGAIN_MS = 30 * SECOND_MS;
/**
 * A restart of the only process counts against no file; but a file that does end it may not end it again and again. It
 * waits as the tasks that need it do, and after so many restarts, which hardly meet one file by chance, for an hour.
 */
const MANY_RESTARTS = 10;

const READING = 'READING';
export const readingKey = (address: FileAddress): Key => ({
  ...fileKey(address.organization, address.fileId),
  sk: READING,
});

export const isEnded = (reading: ReadingState): reading is EndedReading =>
  reading.state === 'read' || reading.state === 'failed';
export const isCurrent = (reading: ReadingState, { bytesAt }: StoredFile): boolean =>
  reading.bytesAt === bytesAt && reading.readerVersion === READER_VERSION;

/** The blob is gone, for example by a lifecycle rule; the file is then read again. */
export const isLost = (reading: ReadingState, lost: string | undefined): boolean =>
  lost !== undefined && reading.state === 'read' && reading.storedAt === lost;

export const mayTryAgain = (reading: ReadingState, now: number): boolean =>
  reading.state === 'failed' && reading.againAt !== undefined && reading.againAt <= now;

export const triesOf = (reading: ReadingState): number => ('tries' in reading ? (reading.tries ?? 0) : 0);

export const versionOf = ({ bytesAt }: StoredFile): ReadingVersion => ({ bytesAt, readerVersion: READER_VERSION });

export function waitsUntil(reading: ReadingState): number {
  if (reading.state === 'running') return reading.until;
  return reading.state === 'waiting' ? (reading.notBefore ?? 0) : 0;
}

export async function storedFile(
  { table, clock }: { table: Table; clock: Clock },
  { organization, fileId }: FileAddress,
) {
  const file = (await table.get<File>(fileKey(organization, fileId)))?.value;
  return file?.state === 'stored' && file.goneAt > clock.now() ? file : undefined;
}

type RequestPorts = { table: Table; clock: Clock; hints: ReadingHints };

/** Returns the reading if it has ended, else requests it. `lost`: the location of a stored reading whose blob is gone. */
export async function requestReading(
  { table, clock, hints }: RequestPorts,
  address: FileAddress,
  { lost }: { lost?: string } = {},
): Promise<EndedReading | undefined> {
  const { value: file } = checkStored(await findFile({ table, clock }, address));
  const updated = await updateRow<ReadingState, ReadingState>(table, readingKey(address), (row) => {
    const reading = row?.value;
    const storedAt = reading && 'storedAt' in reading ? reading.storedAt : undefined;
    const isKnown = reading !== undefined && isCurrent(reading, file) && !isLost(reading, lost);
    if (isKnown && !mayTryAgain(reading, clock.now())) return { stop: reading };
    const tries = isKnown ? triesOf(reading) : 0;
    const value: ReadingState = { ...versionOf(file), state: 'waiting', tries, ...definedFields({ storedAt }) };
    return { write: { value, dueAt: clock.now() + HINT_AGAIN_MS } };
  });
  if ('written' in updated) await sendReadingHint(hints, address);
  return 'stopped' in updated && isEnded(updated.stopped) ? updated.stopped : undefined;
}

type MaintainPorts = RequestPorts & { blobs: Pick<Blobs, 'remove'> };

/** Sends another hint for a reading that no worker holds. `isRestart`: its earlier worker has ended, with its process. */
export async function maintainReading(ports: MaintainPorts, key: Key, { isRestart = false } = {}): Promise<void> {
  const { table, clock, hints } = ports;
  const row = await table.get<ReadingState>(key);
  if (!row || isEnded(row.value)) return;
  const address = parseFileKey(key);
  if (!(await storedFile(ports, address))) return removeReading(ports, address);
  const now = clock.now();
  if (!isRestart && (row.dueAt ?? 0) > now) return;
  const value = isRestart && row.value.state === 'running' ? afterRestart(row.value, now) : row.value;
  const waitMs = Math.max(0, waitsUntil(value) - now);
  if (await table.replace(row, { value, dueAt: now + Math.max(waitMs, HINT_AGAIN_MS) }))
    await sendReadingHint(hints, address, Math.min(QUEUE_LIMITS.delaySeconds, Math.ceil(waitMs / SECOND_MS)));
}

/** Another hint can wait, the expired lease of a worker cannot. */
export const readingCanWait = ({ value }: Row<ReadingState>): boolean => value.state === 'waiting';

type RemovePorts = { table: Table; blobs: Pick<Blobs, 'remove'> };

export async function removeReading({ table, blobs }: RemovePorts, address: FileAddress): Promise<void> {
  for (;;) {
    const row = await table.get<ReadingState>(readingKey(address));
    if (!row) return;
    if ('storedAt' in row.value && row.value.storedAt !== undefined) await blobs.remove(row.value.storedAt);
    if (await table.remove(row)) return;
  }
}

function afterRestart({ until: _until, alone: _alone, ...reading }: RunningReading, now: number): WaitingReading {
  const { tries } = reading;
  const waitMs = tries > MANY_RESTARTS ? HOUR_MS : RESTART_BACKOFF_MS[Math.min(tries, RESTART_BACKOFF_MS.length) - 1];
  return { ...reading, state: 'waiting', notBefore: now + (waitMs ?? 0) };
}
