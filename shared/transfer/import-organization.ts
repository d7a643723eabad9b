/** Imports a whole export: checks all of it, then writes it, and what the product acts on last. */
import type { Organization } from '../accounts/organizations.ts';
import { makeWebhookSecret, storeFirstSecret } from '../accounts/webhook-secrets.ts';
import { isProblem, Problem } from '../core/problem.ts';
import type { Vault } from '../core/vault.ts';
import type { Blobs, Clock, Ids, Table } from '../ports.ts';
import type { TransferProgress } from './export.ts';
import { type ExportedBlob, type ExportedRow, type Manifest, printable } from './format.ts';
import { type PlannedRow, planRow } from './import.ts';
import type { BlobSource } from './import-blobs.ts';
import { malformed, type Remark } from './imported-rows.ts';

/** `bytes`: of the line. */
export type ExportedLine = { number: number; bytes: number; row: ExportedRow };

export type ExportSource = {
  manifest: Manifest;
  /** Fails at its end if the lines are not those that were exported. */
  lines(): AsyncIterable<ExportedLine>;
  blob: BlobSource;
  /** Throws unless there are that many bytes. Their hash is checked when they are read. */
  checkBlob(blob: ExportedBlob): Promise<void>;
};

type Ports = { table: Table; blobs: Blobs; clock: Clock; ids: Ids; vault: Vault };
type Options = { continues: boolean; progress?: (reached: TransferProgress) => void };

/** The names of the first ones, and how many there are. */
export type Remarks = Record<Remark['about'], { count: number; first: string[] }>;

export type Imported = {
  organization: Organization;
  /** Rows that were written, that were here already, and whose time is over. */
  written: number;
  present: number;
  expired: number;
  remarks: Remarks;
};

const MAX_NAMED = 20;

/** Running it twice is harmless: what is there stays. The organization itself is written last, as nobody finds it before. */
export async function importOrganization(
  ports: Ports,
  source: ExportSource,
  { continues, progress = () => undefined }: Options,
): Promise<Imported> {
  const { id: organization } = source.manifest.organization;
  const exportedAt = Date.parse(source.manifest.exportedAt);
  const plan = (row: ExportedRow) =>
    planRow({ ...ports, blobSource: source.blob }, row, { organization, exportedAt, continues });
  const checked = await checkWhole(source, plan);
  const counts = { written: 0, present: 0, expired: 0 };
  const reached = { rows: 0, blobs: 0, bytes: 0 };

  async function write(planned: PlannedRow, { blobs = [] }: ExportedRow): Promise<void> {
    const presence = await planned.presence();
    if (presence === 'absent') await planned.write();
    counts[presence === 'absent' ? 'written' : presence]++;
    reached.rows++;
    reached.blobs += blobs.length;
    reached.bytes += blobs.reduce((sum, { bytes }) => sum + bytes, 0);
    progress(reached);
  }

  for (const stage of ['first', 'last'])
    await eachLine(source, async ({ row }) => {
      const planned = plan(row);
      if (!isOrganization(planned) && isActedOn(planned) === (stage === 'last')) await write(planned, row);
    });
  await storeFirstSecret(ports, organization, makeWebhookSecret(ports.ids));
  await write(plan(checked.organization), checked.organization);
  return { ...counts, organization: checked.organization.value as Organization, remarks: checked.remarks };
}

const isOrganization = ({ kind }: PlannedRow): boolean => kind.row === 'ORGANIZATION';
/** The reconciler and the workers need a task's other rows, and its files. */
const isActedOn = ({ kind }: PlannedRow): boolean => kind.row === 'TASK' || kind.row === 'RUN';

/** Reads all of the export, and every row that is here under one of its keys. */
async function checkWhole(source: ExportSource, plan: (row: ExportedRow) => PlannedRow) {
  const { manifest } = source;
  const remarks: Remarks = {
    cancelled: { count: 0, first: [] },
    undelivered: { count: 0, first: [] },
    withoutPassword: { count: 0, first: [] },
  };
  const counted = { lines: 0, blobs: 0, bytes: 0 };
  let organization: ExportedRow | undefined;
  await eachLine(source, async ({ row }) => {
    const planned = plan(row);
    const { blobs = [] } = row;
    counted.lines++;
    counted.blobs += blobs.length;
    for (const blob of blobs) {
      counted.bytes += blob.bytes;
      await source.checkBlob(blob);
    }
    if (isOrganization(planned)) organization = row;
    if ((await planned.presence()) === 'expired' || !planned.remark) return;
    const { count, first } = remarks[planned.remark.about];
    remarks[planned.remark.about] = {
      count: count + 1,
      first: first.length < MAX_NAMED ? [...first, planned.remark.name] : first,
    };
  });
  const { rows, blobs } = manifest;
  if (counted.lines !== rows.count || counted.blobs !== blobs.count || counted.bytes !== blobs.bytes)
    throw new Problem('invalid', 'The export has other rows or files than its manifest says: export it again.');
  if (!organization) throw new Problem('invalid', 'The export has no row of the organization itself: export it again.');
  return { organization, remarks };
}

/** Rows that are worked on at once. A row with bytes counts as several, as each of its uploads holds parts in memory. */
const AT_ONCE = 16;
const WEIGHT_OF_BYTES = 4;
const LINE_BYTES_AT_ONCE = 8 * 1024 * 1024;

async function eachLine(source: ExportSource, run: (line: ExportedLine) => Promise<void>): Promise<void> {
  let lines: ExportedLine[] = [];
  let [weight, bytes] = [0, 0];
  for await (const line of source.lines()) {
    lines.push(line);
    weight += line.row.blobs ? WEIGHT_OF_BYTES : 1;
    bytes += line.bytes;
    if (weight < AT_ONCE && bytes < LINE_BYTES_AT_ONCE) continue;
    await allOf(lines, run);
    [lines, weight, bytes] = [[], 0, 0];
  }
  await allOf(lines, run);
}

/** All have ended when this throws, so that nothing is written behind the message. */
async function allOf(lines: ExportedLine[], run: (line: ExportedLine) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(lines.map(async (line) => run(line)));
  for (const [at, outcome] of outcomes.entries())
    if (outcome.status === 'rejected') throw atLine(lines[at]?.number ?? 0, outcome.reason);
}

function atLine(number: number, error: unknown): unknown {
  const isOfRow = error instanceof RangeError || error instanceof TypeError || isProblem(error, 'invalid');
  if (!isOfRow) return error;
  const { message } = isProblem(error) ? error : malformed('cannot be read');
  return new Problem('invalid', `Line ${number} of the export ${printable(message).replace(/\.$/, '')}.`, {
    cause: error,
  });
}
