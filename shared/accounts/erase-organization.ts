/** Removes everything of an organization: its rows of every kind, those that have expired included, and its blobs. */

import { READINGS } from '../core/blobs.ts';
import { isUuid } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import { blobKeyOf, type File } from '../files/file.ts';
import { mailsSentIn } from '../mail/mail.ts';
import type { Blobs, Everything, Key, Sockets, Stored, Table } from '../ports.ts';
import { CONNECTION, parseConnectionKey } from '../realtime/connections.ts';
import { readLong } from '../tasks/rows.ts';
import { lastUseKey } from './api-keys.ts';

type Ports = {
  table: Table;
  blobs: Pick<Blobs, 'remove'>;
  everything: Everything;
  sockets: Pick<Sockets, 'close'>;
};
export type Erased = { rows: number; blobs: number; rowsLeft: number; blobsLeft: number };

const MAX_ROUNDS = 5;
const AT_ONCE = 100;
/** Where blobs lie that a row may name, with the organization behind. */
const BLOB_FOLDERS = ['files/', 'results/', READINGS];

/** Erases in rounds, because callers and workers may go on for a moment; reports what is left in the end. */
export async function eraseOrganization(ports: Ports, organization: string): Promise<Erased> {
  if (!isUuid(organization)) throw new Problem('invalid', 'An organization is erased by its id.');
  let [rows, blobs] = [0, 0];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await rowsOfOrganization(ports, organization);
    if (found.rows.length === 0 && found.blobs.length === 0) {
      await ports.everything.forget();
      return { rows, blobs, rowsLeft: 0, blobsLeft: 0 };
    }
    // While a row still names a blob or a mail, a round that breaks off is made good by the next.
    for (const key of found.blobs) await ports.blobs.remove(key);
    await ports.everything.removeMails(found.mails);
    // While its row is there a connection is found, and closed, by the next round.
    const connections = found.rows.filter(({ sk }) => sk === CONNECTION).map(parseConnectionKey);
    await Promise.all(connections.map((connection) => ports.sockets.close(connection)));
    for (const some of splitKeys(found.rows)) await ports.everything.removeRows(some);
    rows += found.rows.length;
    blobs += found.blobs.length;
  }
  const left = await rowsOfOrganization(ports, organization);
  return { rows, blobs, rowsLeft: left.rows.length, blobsLeft: left.blobs.length };
}

async function rowsOfOrganization(
  { table, everything }: Ports,
  organization: string,
): Promise<{ rows: Key[]; blobs: string[]; mails: string[] }> {
  const [first, rest, named, mails]: [Key[], Key[], string[], string[]] = [[], [], [], []];
  for await (const row of everything.rowsAbout(organization)) {
    if (!isOf(organization, row)) continue;
    const { pk, sk } = row;
    // No caller may sign in while the rest is removed.
    (ENTRANCES.has(sk) ? first : rest).push({ pk, sk });
    if (sk === 'KEY') rest.push(lastUseKey(pk.slice('K#'.length)));
    named.push(...(await blobsNamedBy(table, organization, row)));
    mails.push(...mailsSentIn(row));
  }
  const folders = BLOB_FOLDERS.map((folder) => `${folder}${organization}/`);
  const found = await everything.blobsIn(folders, [...new Set(named)]);
  const blobs = new Set([...found, ...(await everything.uploadsOf(organization))]);
  return { rows: [...first, ...rest], blobs: [...blobs], mails };
}

const ENTRANCES: ReadonlySet<string> = new Set(['ORGANIZATION', 'KEY', 'USER']);

/** By its partition, or because it says so: users, keys, what operators did. */
const isOf = (organization: string, { pk, value }: Stored): boolean =>
  pk === `O#${organization}` ||
  pk.startsWith(`O#${organization}#`) ||
  (value as { organization?: unknown } | null)?.organization === organization;

/** Every name of a blob of theirs that stands in it, whatever it is called there: of reports, archives, kept stages. */
async function blobsNamedBy(table: Table, organization: string, { pk, sk, value }: Stored): Promise<string[]> {
  if (sk === 'FILE') return [blobKeyOf(value as File)];
  const [, name] = /^(.+)#00$/.exec(sk) ?? [];
  const whole = name === undefined ? undefined : await readLong(table, { pk, name });
  const names = new RegExp(`(?:${BLOB_FOLDERS.join('|')})${organization}/[^"\\\\\\s]+`, 'g');
  return JSON.stringify(whole ?? value).match(names) ?? [];
}

const splitKeys = (keys: Key[]): Key[][] =>
  Array.from({ length: Math.ceil(keys.length / AT_ONCE) }, (_, part) =>
    keys.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
