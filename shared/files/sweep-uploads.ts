/** Removes versions of uploads that never became files: hour by hour, a day after they were requested. */

import { ARRIVALS, hourOfUpload, keyOfBlob, ownerOfBlob } from '../core/blobs.ts';
import type { Log } from '../core/log.ts';
import { definedFields } from '../core/optional-fields.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Blobs, Clock, Key, Row, Table } from '../ports.ts';
import { FILE_LIMITS, type File, fileKey } from './file.ts';

type SweepPorts = { table: Table; blobs: Pick<Blobs, 'uploads' | 'remove'>; clock: Clock; log: Log };
/** The hour to sweep next, and the key in it to continue after. */
type Sweep = { hourAt: number; after?: string };

/** Measured from the start of an hour: its last request, the time it may be awaited, and two hours for uploads in progress. */
const OVER_MS = HOUR_MS + FILE_LIMITS.awaitedMs + 2 * HOUR_MS;
/** The first sweep starts this far back, for uploads requested before the first round. */
const BEFORE_MS = 2 * HOUR_MS;

const MAX_PAGES = 20;
const MAX_MS = 20_000;
const VERSIONS_IN_A_PAGE = 1_000;
/** Below the number of pooled connections. */
const AT_ONCE = 40;

export const sweepKey: Key = { pk: 'UPLOADS', sk: 'SWEEP' };

/** Runs once a minute, until `stop` is aborted. An interrupted or doubly swept page is swept again, which is harmless. */
export async function sweepUploads(ports: SweepPorts, stop?: AbortSignal): Promise<void> {
  const { table, blobs, clock } = ports;
  const until = clock.now() + MAX_MS;
  let row = await sweepRow(ports);
  for (let page = 0; page < MAX_PAGES && row && clock.now() < until && !stop?.aborted; page++) {
    const { hourAt, after } = row.value;
    if (hourAt + OVER_MS > clock.now()) return;
    const paging = { limit: VERSIONS_IN_A_PAGE, ...definedFields({ after }) };
    const { rows: versions, next } = await blobs.uploads(`${ARRIVALS}${hourOfUpload(hourAt)}/`, paging);
    for (let from = 0; from < versions.length; from += AT_ONCE)
      await sweepBatch(ports, versions.slice(from, from + AT_ONCE));
    const value: Sweep = next === undefined ? { hourAt: hourAt + HOUR_MS } : { hourAt, after: next };
    // If another sweep advanced the row meanwhile, that one continues.
    row = await table.replace(row, { value }, { durability: 'relaxed' });
  }
}

async function sweepRow({ table, clock }: SweepPorts): Promise<Row<Sweep> | undefined> {
  const at = clock.now() - BEFORE_MS;
  const value: Sweep = { hourAt: at - (at % HOUR_MS) };
  return (await table.get<Sweep>(sweepKey)) ?? table.insert({ ...sweepKey, value });
}

/** A failed removal does not stop the others of its page; the whole page is tried again. */
async function sweepBatch({ table, blobs, log }: SweepPorts, versions: string[]): Promise<void> {
  const rows = await table.getMany<File>(versions.map(fileKeyOf));
  const abandoned = versions.filter((at, index): boolean => !isFile(at, rows[index]?.value));
  const removals = abandoned.map((at) => blobs.remove(at));
  await Promise.allSettled(removals);
  await Promise.all(removals);
  if (abandoned.length > 0) log.info('abandoned uploads were removed', { uploads: abandoned.length });
}

function fileKeyOf(at: string): Key {
  const { organization, fileId } = ownerOfBlob(keyOfBlob(at).key);
  return fileKey(organization, fileId);
}

/** Only this version of a completed file is kept, so that reusing the upload URL cannot fill the bucket. */
const isFile = (at: string, file: File | undefined): boolean => file?.state === 'stored' && file.bytesAt === at;
