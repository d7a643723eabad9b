/** Imports an exported organization: writes what is absent, keeps what is there, and refuses what contradicts it. */
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { User } from '../accounts/users.ts';
import { isUploadKey, keyOfBlob } from '../core/blobs.ts';
import { longDrafts, readLong } from '../core/long-values.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import type { StoredFile } from '../files/file.ts';
import type { Blobs, Clock, Counts, Draft, Row, Table } from '../ports.ts';
import { type ExportedRow, foreignBlobIn, isOwnBlob } from './format.ts';
import { type BlobSource, placeBlob, placeUpload } from './import-blobs.ts';
import { type ImportOptions, idIn, importedRow, malformed, parsedValue, type Remark } from './imported-rows.ts';
import { type RowKind, rowKindOf } from './row-kinds.ts';

type ImportPorts = { table: Table; blobs: Blobs; clock: Clock; blobSource: BlobSource };

type Presence = 'absent' | 'present' | 'expired';

/** A checked row. Neither planning nor `presence` writes anything. */
export type PlannedRow = {
  kind: RowKind;
  remark?: Remark;
  /** Throws if something else is under the row's key. */
  presence(): Promise<Presence>;
  /** The bytes first: a row never names what is not there. */
  write(): Promise<void>;
};

/** Throws for a row that is not the organization's, or not what its key says. */
export function planRow(ports: ImportPorts, row: ExportedRow, o: ImportOptions): PlannedRow {
  const kind = rowKindOf(o.organization, row, foreignKind);
  if (kind.leftOut !== undefined) throw malformed(`is of the kind ${kind.row}, which no export contains`);
  if (/^O#ORG#[A-Z]#\*$/.test(kind.partition)) idIn(row.pk);
  const foreign = row.blobs?.find(({ key }) => !isOwnBlob(o.organization, key))?.key;
  if ((foreign ?? foreignBlobIn(o.organization, row.value)) !== undefined)
    throw malformed('names bytes that are not of this organization');
  if (kind.counter) return { kind, ...plannedCounter(ports, row) };
  if (kind.long) return { kind, ...plannedLong(ports, row) };
  return plannedRow(ports, { kind, row, o });
}

const foreignKind = (kind: string): string => `is of the kind ${kind}, which no export of this organization contains`;

const isOver = ({ clock }: ImportPorts, endsAt = Number.POSITIVE_INFINITY): boolean => endsAt <= clock.now();

function plannedRow(ports: ImportPorts, { kind, row, o }: { kind: RowKind; row: ExportedRow; o: ImportOptions }) {
  const { draft, before = [], endsAt = draft.expiresAt, ...remark } = importedRow(kind, row, o);
  const stored = async () => presenceOf(kind, draft, await ports.table.get(draft));
  return {
    kind,
    ...remark,
    presence: async () => (isOver(ports, endsAt) ? 'expired' : stored()),
    async write() {
      const placed = kind.row === 'FILE' ? await placeBytes(ports, draft as Draft<StoredFile>, row) : draft;
      if (kind.row !== 'FILE') for (const blob of row.blobs ?? []) await placeBlob(ports, blob);
      // Another import may have been first.
      if (!(await ports.table.insert(placed, before))) await stored();
    },
  } satisfies PlannedRow;
}

/** Throws if the key holds something else. */
function presenceOf(kind: RowKind, draft: Draft<unknown>, stored: Row<unknown> | undefined): Presence {
  if (!stored) return 'absent';
  if (isSame(kind, draft.value, stored.value)) return 'present';
  if (kind.row !== 'USER') throw contradicts(draft);
  const { name } = draft.value as User;
  throw new Problem('invalid', `is the user ${name}, whose name is taken here: remove that user first`);
}

const contradicts = ({ pk, sk }: Pick<ExportedRow, 'pk' | 'sk'>) =>
  new Problem('invalid', `differs from the row ${pk} ${sk} that is here already: nothing is overwritten`);

function isSame({ identity }: RowKind, exported: unknown, stored: unknown): boolean {
  if (!identity) return isDeepStrictEqual(exported, stored);
  const [exportedFields, storedFields] = [exported, stored].map((value) => (value ?? {}) as Record<string, unknown>);
  return identity.every((field) => exportedFields?.[field] === storedFields?.[field]);
}

/** The row with the name that its bytes have here. */
async function placeBytes(ports: ImportPorts, draft: Draft<StoredFile>, row: ExportedRow): Promise<Draft<StoredFile>> {
  const [blob, ...extraBlobs] = row.blobs ?? [];
  const { key } = keyOfBlob(draft.value.bytesAt);
  if (blob?.key !== key || blob.bytes !== draft.value.size || extraBlobs.length > 0)
    throw malformed('is a file without its bytes');
  if (isUploadKey(key)) return { ...draft, value: { ...draft.value, bytesAt: await placeUpload(ports, blob) } };
  await placeBlob(ports, blob);
  return draft;
}

function plannedLong(ports: ImportPorts, row: ExportedRow): Omit<PlannedRow, 'kind'> {
  const { pk, sk: name, value, expiresAt } = row;
  const drafts = longDrafts({ pk, name, value, ...definedFields({ expiresAt }) });
  const presence = async (): Promise<Presence> => {
    if (isOver(ports, expiresAt)) return 'expired';
    const stored = await readLong(ports.table, { pk, name });
    if (stored !== undefined && !isDeepStrictEqual(stored, value)) throw contradicts(row);
    return stored === undefined ? 'absent' : 'present';
  };
  return {
    presence,
    async write() {
      for (const blob of row.blobs ?? []) await placeBlob(ports, blob);
      for (const draft of drafts) await ports.table.insert(draft);
      // A piece of another value may have been there.
      await presence();
    },
  };
}

const counts = v.record(v.string(), v.pipe(v.number(), v.safeInteger()));

function plannedCounter(ports: ImportPorts, row: ExportedRow): Omit<PlannedRow, 'kind'> {
  const { pk, sk, expiresAt = 0 } = row;
  const by = parsedValue(counts, row.value);
  return {
    async presence() {
      if (isOver(ports, expiresAt)) return 'expired';
      const stored = await ports.table.get<Counts>({ pk, sk });
      if (!stored) return 'absent';
      // It may have counted on, because the organization works here.
      if (Object.entries(by).every(([name, amount]) => (stored.value[name] ?? 0) >= amount)) return 'present';
      throw contradicts(row);
    },
    // Within these bounds nothing is added to a counter that is there.
    write: async () => void (await ports.table.spend({ pk, sk }, { by, atMost: by, expiresAt })),
  };
}
