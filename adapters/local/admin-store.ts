/** Everything that is stored on this machine, for the operator who erases an organization. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Everything, Stored } from '../../shared/ports.ts';
import { absentAs } from './durable-files.ts';
import type { LocalBlobs } from './file-blobs.ts';
import type { LocalTable } from './sqlite-table.ts';

type Places = { table: LocalTable; blobs: LocalBlobs; mails: string };

/** All blobs but uploads lie under hashes of their names: only one whose name is known can be looked for. */
export const sqliteAdminStore = ({ table, blobs, mails }: Places): Everything => ({
  async *rowsAbout(text): AsyncIterable<Stored> {
    yield* table.rowsHolding(text);
  },
  removeRows: (keys) => table.erase(keys),
  async blobsIn(_folders, named) {
    const sizes = await Promise.all(named.map((key) => blobs.size(key)));
    return named.filter((_, at) => sizes[at] !== undefined);
  },
  uploadsOf: (organization) => blobs.uploadsOf(organization),
  async removeMails(ids) {
    const theirs = new Set(ids);
    for (const name of await readdir(mails).catch(absentAs([]))) {
      if (theirs.has(idIn(name) ?? '')) await rm(join(mails, name), { force: true });
    }
  },
  forget: async () => table.forget(),
});

/** As the mailer names them: the time, and the id it answered. */
const idIn = (name: string): string | undefined => /(.{36})\.eml$/.exec(name)?.[1];
