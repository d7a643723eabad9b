/** All that is stored on this machine, for the operator who erases. */
import type { Blobs, Everything, Stored } from '../shared/ports.ts';
import type { LocalTable } from './table.ts';

/** Blobs lie under hashes of their names: only one whose name is known can be looked for. */
export const localEverything = (table: LocalTable, blobs: Blobs): Everything => ({
  async *rowsAbout(text): AsyncIterable<Stored> {
    yield* table.rowsHolding(text);
  },
  removeRows: (keys) => table.erase(keys),
  async blobsIn(_folders, named) {
    const sizes = await Promise.all(named.map((key) => blobs.size(key)));
    return named.filter((_, at) => sizes[at] !== undefined);
  },
});
