/** Erases an organization: its rows, blobs, connections and mails. */

import { lastUseKey } from '../accounts/api-key-use.ts';
import { isUuid } from '../core/ids.ts';
import { readLong } from '../core/long-values.ts';
import { Problem } from '../core/problem.ts';
import { blobKeyOf, type File } from '../files/file.ts';
import { mailsSentIn } from '../mail/mail-outcomes.ts';
import type { Blobs, Everything, Key, RawRow, Sockets, Table } from '../ports.ts';
import { CONNECTION, parseConnectionKey } from '../realtime/connections.ts';
import { BLOB_FOLDERS, blobNamesIn, storedRowsOf } from './organization-rows.ts';

type ErasePorts = {
  table: Table;
  blobs: Pick<Blobs, 'remove'>;
  everything: Everything;
  sockets: Pick<Sockets, 'close'>;
};
type Erased = { rows: number; blobs: number; rowsLeft: number; blobsLeft: number };

const MAX_ROUNDS = 5;
const AT_ONCE = 100;

/** Erases in rounds, because callers and workers may still write for a moment; returns what is left in the end. */
export async function eraseOrganization(ports: ErasePorts, organization: string): Promise<Erased> {
  if (!isUuid(organization)) throw new Problem('invalid', 'An organization is erased by its id.');
  let [rows, blobs] = [0, 0];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored = await rowsOfOrganization(ports, organization);
    if (stored.rows.length === 0 && stored.blobs.length === 0) {
      await ports.everything.forget();
      return { rows, blobs, rowsLeft: 0, blobsLeft: 0 };
    }
    // Blobs and mails go before their rows: after an interruption, the next round finds them by the rows.
    for (const key of stored.blobs) await ports.blobs.remove(key);
    await ports.everything.removeMails(stored.mails);
    // Connections are closed before their rows are removed, so that the next round finds them after an interruption.
    const connections = stored.rows.filter(({ sk }) => sk === CONNECTION).map(parseConnectionKey);
    await Promise.all(connections.map((connection) => ports.sockets.close(connection)));
    for (const batch of splitKeys(stored.rows)) await ports.everything.removeRows(batch);
    rows += stored.rows.length;
    blobs += stored.blobs.length;
  }
  const remaining = await rowsOfOrganization(ports, organization);
  return { rows, blobs, rowsLeft: remaining.rows.length, blobsLeft: remaining.blobs.length };
}

async function rowsOfOrganization(
  { table, everything }: ErasePorts,
  organization: string,
): Promise<{ rows: Key[]; blobs: string[]; mails: string[] }> {
  const [loginRows, otherRows, namedBlobs, mails]: [Key[], Key[], string[], string[]] = [[], [], [], []];
  for await (const row of storedRowsOf(everything, organization)) {
    const { pk, sk } = row;
    // These rows are removed first, so that no caller can sign in during the rest.
    (LOGIN_ROW_KINDS.has(sk) ? loginRows : otherRows).push({ pk, sk });
    if (sk === 'KEY') otherRows.push(lastUseKey(pk.slice('K#'.length)));
    namedBlobs.push(...(await blobsNamedBy(table, organization, row)));
    mails.push(...mailsSentIn(row));
  }
  const folders = BLOB_FOLDERS.map((folder) => `${folder}${organization}/`);
  const existingBlobs = await everything.blobsIn(folders, [...new Set(namedBlobs)]);
  const blobs = new Set([...existingBlobs, ...(await everything.uploadsOf(organization))]);
  return { rows: [...loginRows, ...otherRows], blobs: [...blobs], mails };
}

const LOGIN_ROW_KINDS: ReadonlySet<string> = new Set(['ORGANIZATION', 'KEY', 'USER']);

/** The names of all of the organization's blobs that the row contains in any field: reports, archives, checkpoints. */
async function blobsNamedBy(table: Table, organization: string, { pk, sk, value }: RawRow): Promise<string[]> {
  if (sk === 'FILE') return [blobKeyOf(value as File)];
  const [, name] = /^(.+)#00$/.exec(sk) ?? [];
  const whole = name === undefined ? undefined : await readLong(table, { pk, name });
  return blobNamesIn(organization, whole ?? value);
}

const splitKeys = (keys: Key[]): Key[][] =>
  Array.from({ length: Math.ceil(keys.length / AT_ONCE) }, (_, part) =>
    keys.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
