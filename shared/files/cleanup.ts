/** Removes files: deleted ones and expired ones. */

import type { Blobs, Clock, Key, Table } from '../ports.ts';
import { blobKeyOf, type File, type FileAddress, parseFileKey } from './file.ts';
import { checkStored, findFile } from './get-file.ts';
import { removeReading } from './reading.ts';

type DeletePorts = { table: Table; blobs: Blobs; clock: Clock };

/** Deletes a file: the row first, so that callers never find a file whose bytes are being removed. */
export async function deleteFile(ports: DeletePorts, address: FileAddress): Promise<void> {
  const row = checkStored(await findFile(ports, address));
  // Due now: if the process dies before the bytes are removed, the reconciler removes them.
  const { listed: _listed, ...draft } = row;
  const gone = await ports.table.replace(row, {
    ...draft,
    value: { ...row.value, goneAt: 0 },
    dueAt: ports.clock.now(),
  });
  if (!gone) return deleteFile(ports, address); // changed by another call meanwhile: read it again
  // The upload URL may have been used again; its later bytes are removed by the sweep of its hour.
  await ports.blobs.remove(blobKeyOf(row.value));
  await removeReading(ports, address);
  await ports.table.remove(gone);
}

type Ports = { table: Table; blobs: Blobs; clock: Clock };

/** Removes expired files: interrupted imports, and files past retention. */
export async function expireFile({ table, blobs, clock }: Ports, key: Key): Promise<void> {
  const row = await table.get<File>(key);
  if (!row || row.value.goneAt > clock.now()) return;
  // Writing the row makes a running import fail, so that it cannot create a file from bytes that are being removed.
  const claimedRow =
    row.value.state === 'awaited' ? await table.replace(row, { ...row, value: { ...row.value, goneAt: 0 } }) : row;
  if (!claimedRow) return; // changed meanwhile: still due, or stored by now
  // Bytes before the row: after a crash in between, the row is still due and the removal runs again.
  await blobs.remove(blobKeyOf(row.value));
  await removeReading({ table, blobs }, parseFileKey(key));
  await table.remove(claimedRow);
}
