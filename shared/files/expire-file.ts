/** Removes what is left of a file whose time is over: uploads never completed, imports cut off, files past retention. */
import type { Blobs, Clock, Key, Table } from '../ports.ts';
import type { File } from './file.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock };

export async function expireFile({ table, blobs, clock }: Ports, key: Key): Promise<void> {
  const row = await table.get<File>(key);
  if (!row || row.value.goneAt > clock.now()) return;
  // Bytes before the row: a crash in between leaves the row due, and the bytes are removed again.
  const { bytesAt, storagePath } = row.value;
  for (const place of [bytesAt, storagePath]) if (place !== undefined) await blobs.remove(place);
  await table.remove(row);
}
