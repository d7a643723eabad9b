/** Reads a file that has no reading yet: one worker claims its row, renews the lease while it reads, and stores what it read. */

import { READINGS } from '../core/blobs.ts';
import { definedFields } from '../core/optional-fields.ts';
import { updateRow } from '../core/table-access.ts';
import { HOUR_MS, SECOND_MS } from '../core/time.ts';
import type { WorkerProcess } from '../core/worker-process.ts';
import type { Blobs, Bytes, Clock, Every, Ids, Row, Table } from '../ports.ts';
import type { FileAddress, StoredFile } from './file.ts';
import {
  type EndedReading,
  type FailedReading,
  isCurrent,
  isEnded,
  isLost,
  mayTryAgain,
  type ReadingFailure,
  type ReadingState,
  type RunningReading,
  readingKey,
  storedFile,
  triesOf,
  versionOf,
  waitsUntil,
} from './reading.ts';
import type { WrittenReading } from './reading-format.ts';

const LEASE_MS = 60 * SECOND_MS;
const RENEW_EVERY_MS = 20 * SECOND_MS;
/**
 * A process that runs out of memory, or is killed, ends all readings in it. After this many such tries the file is a
 * suspect: it is read in a process of its own, and only if that one ends too, the file is at fault.
 */
const SUSPECT_AFTER = 2;
const MAX_ERRORS = 3;
const AGAIN_AFTER_MS = 6 * HOUR_MS;
const MAX_BYTES = 100_000_000;

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

async function claim(
  { table, blobs, clock, ids }: ReadingPorts,
  address: FileAddress,
  { file, lost, process }: { file: StoredFile } & Pick<ReadOptions, 'lost' | 'process'>,
): Promise<Row<RunningReading> | EndedReading | NotNow> {
  const { organization, fileId } = address;
  const updated = await updateRow<ReadingState, EndedReading | NotNow>(table, readingKey(address), async (row) => {
    const now = clock.now();
    const isKnown = row !== undefined && isCurrent(row.value, file) && !isLost(row.value, lost);
    const next = nextTry(isKnown ? row.value : undefined, { process, now });
    if ('stop' in next) return next;
    // The old blob is removed before the row names a new one, so that no blob is ever orphaned.
    if (row && 'storedAt' in row.value && row.value.storedAt !== undefined) await blobs.remove(row.value.storedAt);
    if ('failed' in next) return { write: { value: { ...versionOf(file), state: 'failed', ...next.failed } } };
    const until = now + LEASE_MS;
    const storedAt = `${READINGS}${organization}/${fileId}/${ids.mark()}`;
    const value: RunningReading = { ...versionOf(file), state: 'running', ...next.begun, until, storedAt };
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
  reading: ReadingState | undefined,
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

/** Of a try that has ended, why there is no next one. */
function failureAfter(reading: ReadingState): ReadingFailure | undefined {
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
  const lease = startLease(ports, row);
  try {
    const outcome = await read(file, AbortSignal.any([signal, lease.lost]));
    const reading = await storeOutcome(ports, row.value, outcome);
    const leasedRow = await lease.end();
    // The file may have been deleted meanwhile; its deletion removed only the blobs that existed.
    const isThere = (await storedFile(ports, address)) !== undefined;
    if (isThere && (await table.replace(leasedRow, { value: reading }))) return reading;
    await blobs.remove(row.value.storedAt ?? '');
    if (!isThere) await table.remove(leasedRow);
    return 'gone';
  } catch (error) {
    const leasedRow = await lease.end();
    if (lease.lost.aborted) return 'running';
    // Another worker reads it after the reconciler's next round. This process goes on; one that must stop met no error.
    const { storedAt, tries, errors = 0 } = leasedRow.value;
    const value: ReadingState = {
      ...versionOf(file),
      state: 'waiting',
      tries: tries - 1,
      errors: signal.aborted ? errors : errors + 1,
      ...definedFields({ storedAt }),
    };
    await table.replace(leasedRow, { value, dueAt: clock.now() });
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
function startLease({ table, clock, every }: ReadingPorts, row: Row<RunningReading>) {
  const lost = new AbortController();
  let leasedRow = row;
  let last = Promise.resolve();
  const renew = async () => {
    const until = clock.now() + LEASE_MS;
    const next = await table.replace<ReadingState>(leasedRow, { value: { ...leasedRow.value, until }, dueAt: until });
    if (next) leasedRow = next as Row<RunningReading>;
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
      return leasedRow;
    },
  };
}
