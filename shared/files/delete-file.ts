/** Deletes a file: the row first, so that nobody finds what is about to go. */
import type { Blobs, Clock, Table } from '../ports.ts';
import { blobsOf } from './file.ts';
import { checkStored, type FileAddress, findFile } from './find-file.ts';

type DeletePorts = { table: Table; blobs: Blobs; clock: Clock };

export async function deleteFile(ports: DeletePorts, address: FileAddress): Promise<void> {
  const row = checkStored(await findFile(ports, address));
  // Due now: should the bytes stay behind a crash, the reconciler removes them.
  const { listed: _listed, ...kept } = row;
  const gone = await ports.table.replace(row, {
    ...kept,
    value: { ...row.value, goneAt: 0 },
    dueAt: ports.clock.now(),
  });
  if (!gone) return deleteFile(ports, address); // changed by another call meanwhile: look again
  // The upload address may have been used again; what it takes from now on is swept up with its hour.
  for (const place of blobsOf(row.value)) await ports.blobs.remove(place);
  await ports.table.remove(gone);
}
