/** Removes what is left of a file whose time is over: imports cut off, files past retention, uploads of the release before. */
import type { Blobs, Clock, Key, Table } from '../ports.ts';
import { blobsOf, type File } from './file.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock };

export async function expireFile({ table, blobs, clock }: Ports, key: Key): Promise<void> {
  const row = await table.get<File>(key);
  if (!row || row.value.goneAt > clock.now()) return;
  // A completion that still runs loses the row first: it must not make a file of bytes that are about to go.
  const held =
    row.value.state === 'awaited' ? await table.replace(row, { ...row, value: { ...row.value, goneAt: 0 } }) : row;
  if (!held) return; // changed meanwhile: still due, or a file now
  // Bytes before the row: a crash in between leaves the row due, and the bytes are removed again.
  for (const place of blobsOf(row.value)) await blobs.remove(place);
  await table.remove(held);
}
