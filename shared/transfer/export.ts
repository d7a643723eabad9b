/** Exports an organization: its rows, files and results, without anything that is, or holds, a secret. */
import type { ApiKey } from '../accounts/api-keys.ts';
import type { Issuer } from '../accounts/issuers.ts';
import { isAlive } from '../accounts/key-authenticator.ts';
import type { Organization } from '../accounts/organizations.ts';
import type { SearchProvider } from '../accounts/search-provider.ts';
import type { StoredConnection } from '../accounts/stored-connections.ts';
import type { User } from '../accounts/users.ts';
import { readLong } from '../core/long-values.ts';
import { definedFields } from '../core/optional-fields.ts';
import { blobKeyOf, type File } from '../files/file.ts';
import type { Blobs, Bytes, Clock, Everything, Key, RawRow, Row, Table } from '../ports.ts';
import type { Task } from '../tasks/task.ts';
import { type ExportedBlob, type ExportedRow, type ExportedSetting, FORMAT, type Manifest } from './format.ts';
import { isUndelivered, isUnfinished } from './imported-rows.ts';
import { blobNamesIn, storedRowsOf } from './organization-rows.ts';
import { pieceIn, type RowKind, rowKindOf } from './row-kinds.ts';

/** Where an export is written to, in the order of the calls. */
export type ExportSink = {
  row(row: ExportedRow): Promise<void>;
  blob(body: Bytes): Promise<Pick<ExportedBlob, 'bytes' | 'sha256'>>;
};

export type TransferProgress = { rows: number; blobs: number; bytes: number };

type ExportPorts = { table: Table; blobs: Blobs; clock: Clock; everything: Everything };
type ExportOptions = { organization: Organization; errand: string; progress?: (reached: TransferProgress) => void };

/** Rows that are read and held at once. */
const ROWS_AT_ONCE = 50;

/** Returns the manifest, in which only the hash and size of the rows are missing. */
export async function exportOrganization(
  ports: ExportPorts,
  sink: ExportSink,
  { organization, errand, progress = () => undefined }: ExportOptions,
): Promise<Omit<Manifest, 'rows'>> {
  const { id, name } = organization;
  const counts = { rows: 0, blobs: 0, bytes: 0 };
  const remarks = { unfinishedTasks: 0, undeliveredEvents: 0, lostFiles: 0, lostBlobs: 0 };
  const kinds = new Map<string, number>();
  const leftOut = new Map<string, string>();
  const setAgain: ExportedSetting[] = [];
  const exportedAt = new Date(ports.clock.now()).toISOString();

  /** A blob that two rows of a task name is read once. */
  async function write(kind: RowKind, row: ExportedRow, stored = new Map<string, ExportedBlob>()): Promise<void> {
    const isFile = kind.row === 'FILE';
    const blobs: ExportedBlob[] = [];
    for (const [key, at] of blobsOf(id, kind, row)) {
      const blob = stored.get(key) ?? (await copied(key, at));
      if (blob) {
        stored.set(key, blob);
        blobs.push(blob);
      } else if (isFile) {
        remarks.lostFiles++;
        return;
      } else remarks.lostBlobs++;
    }
    await sink.row(blobs.length > 0 ? { ...row, blobs } : row);
    counts.rows++;
    counts.blobs += blobs.length;
    counts.bytes += blobs.reduce((sum, { bytes }) => sum + bytes, 0);
    kinds.set(nameOf(kind), (kinds.get(nameOf(kind)) ?? 0) + 1);
    progress(counts);
  }

  async function copied(key: string, at: string): Promise<ExportedBlob | undefined> {
    const body = await ports.blobs.read(at);
    return body && { key, ...(await sink.blob(body)) };
  }

  /**
   * The item first: what it refers to was written before it and never changes, so an export during the work has all that
   * its items name. Rows of a task without an item belong to a submit that was never accepted.
   */
  async function writeTask(key: Key): Promise<void> {
    const item = await ports.table.get<Task>(key);
    if (!item) return;
    const stored = new Map<string, ExportedBlob>();
    await writeItem(item, stored);
    const runs = item.value.recurs ? partition(ports.table, item.pk, 'RUN#') : [];
    for await (const row of runs) await writeItem(row as Row<Task>, stored);
    for await (const row of partition(ports.table, item.pk, '')) {
      if (row.sk === 'TASK' || row.sk.startsWith('RUN#')) continue;
      await writeRow(row, stored);
    }
  }

  async function writeItem(row: Row<Task>, stored: Map<string, ExportedBlob>): Promise<void> {
    if (isUnfinished(row.value)) remarks.unfinishedTasks++;
    else if (isUndelivered(row.value)) remarks.undeliveredEvents++;
    await writeRow(row, stored);
  }

  async function writeRow(row: Row<unknown>, stored?: Map<string, ExportedBlob>): Promise<void> {
    const kind = rowKindOf(id, row);
    const exported = await exportedRow(ports, kind, row);
    if (exported) await write(kind, exported, stored);
  }

  /** Rows of which an export has only the names of the settings, and a task's rows, which follow its item. */
  async function writeStored(row: RawRow): Promise<'written' | 'toRead'> {
    const kind = rowKindOf(id, row);
    if (kind.leftOut !== undefined) {
      leftOut.set(nameOf(kind), kind.leftOut);
      setAgain.push(...settingsIn(kind, row, ports.clock.now()));
      return 'written';
    }
    if (row.sk === 'TASK') await writeTask(row);
    return kind.partition.startsWith(TASKS) ? 'written' : 'toRead';
  }

  for await (const page of pages(storedRowsOf(ports.everything, id), ROWS_AT_ONCE)) {
    const keys: Key[] = [];
    for (const row of page) if ((await writeStored(row)) === 'toRead') keys.push({ pk: row.pk, sk: row.sk });
    // Read once more, because the listing includes expired rows and leaves out when a row expires.
    for (const row of await ports.table.getMany<unknown>(keys)) if (row) await writeRow(row);
  }
  return {
    format: FORMAT,
    errand,
    exportedAt,
    organization: { id, name },
    blobs: { count: counts.blobs, bytes: counts.bytes },
    kinds: Object.fromEntries(kinds),
    ...remarks,
    leftOut: [...leftOut].map(([kind, why]) => ({ kind, why })),
    setAgain,
  };
}

const TASKS = 'O#ORG#T#';

const nameOf = ({ partition, row }: RowKind): string => `${partition} ${row}`;

/** `undefined`: the row is part of another one, or no longer of use. */
async function exportedRow(
  { table, clock }: Pick<ExportPorts, 'table' | 'clock'>,
  kind: RowKind,
  row: Row<unknown>,
): Promise<ExportedRow | undefined> {
  const { pk, sk, value } = row;
  const expiry = definedFields({ expiresAt: row.expiresAt });
  if (kind.long) {
    const { name, number } = pieceIn(sk);
    const whole = number === 0 ? await readLong(table, { pk, name }) : undefined;
    return whole === undefined ? undefined : { pk, sk: name, value: whole, ...expiry };
  }
  if (kind.row === 'USER') {
    const { passwordHash: _hash, ...user } = value as User;
    return { pk, sk, value: user };
  }
  if (kind.row === 'FILE' && !isWhole(value as File, clock.now())) return undefined;
  return { pk, sk, value, ...expiry };
}

/** Whoever was given an upload URL of this stage asks for one of the next. */
const isWhole = ({ state, goneAt }: File, now: number): boolean => state === 'stored' && goneAt > now;

/** The keys of the blobs that a row names, and the names under which they are read. */
function blobsOf(organization: string, kind: RowKind, { value }: ExportedRow): Map<string, string> {
  if (kind.row === 'FILE') return new Map([[blobKeyOf(value as File), (value as File).bytesAt]]);
  return new Map(blobNamesIn(organization, value).map((key) => [key, key]));
}

/** Nothing of what is sealed, and no part of an address that may hold a token. */
function settingsIn({ row: kind }: RowKind, { value }: RawRow, now: number): ExportedSetting[] {
  switch (kind) {
    case 'WEBHOOK_SECRET':
      return [{ what: 'webhook secret' }];
    case 'KEY': {
      const key = value as ApiKey;
      const detail = key.expiresAt === undefined ? {} : { detail: `until ${new Date(key.expiresAt).toISOString()}` };
      return isAlive(key, now) ? [{ what: 'API key', name: key.name, ...detail }] : [];
    }
    case 'MODEL': {
      const { name, provider, url } = value as StoredConnection;
      return [{ what: 'model connection', name, detail: [provider, ...(url ? [originOf(url)] : [])].join(' at ') }];
    }
    case 'SEARCH_PROVIDER': {
      const { preset, url } = value as SearchProvider;
      return [{ what: 'search provider', name: preset, detail: originOf(url) }];
    }
    case 'SSO': {
      const { issuer, audience, keysAddress } = value as Issuer;
      return [{ what: 'single sign-on', detail: `issuer ${issuer}, audience ${audience}, keys ${keysAddress}` }];
    }
    default:
      return [];
  }
}

const originOf = (url: string): string => URL.parse(url)?.origin ?? '';

async function* partition(table: Table, pk: string, prefix: string): AsyncIterable<Row<unknown>> {
  let after: string | undefined;
  do {
    const page = await table.rows<unknown>(pk, prefix, { limit: ROWS_AT_ONCE, ...definedFields({ after }) });
    yield* page.rows;
    after = page.next;
  } while (after !== undefined);
}

async function* pages<T>(items: AsyncIterable<T>, size: number): AsyncIterable<T[]> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  yield page;
}
