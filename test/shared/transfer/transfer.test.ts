/** `errand org export` and `errand org import` on one machine. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  globSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalContext, openLocal, sqliteAdminStore } from '../../../adapters/local/context.ts';
import { commandLine } from '../../../bin/operator/command-line.ts';
import { localState } from '../../../bin/operator/local-state.ts';
import { progressOf } from '../../../bin/operator/progress.ts';
import { passwords } from '../../../engines/passwords/passwords.ts';
import { type Organization, organizationById } from '../../../shared/accounts/organizations.ts';
import { createUser, userWithPassword } from '../../../shared/accounts/users.ts';
import { currentSecrets } from '../../../shared/accounts/webhook-secrets.ts';
import { deleteFile } from '../../../shared/files/cleanup.ts';
import { fileKey } from '../../../shared/files/file.ts';
import type { Bytes, Row, Table } from '../../../shared/ports.ts';
import { checkpointLocation, readBeginning } from '../../../shared/tasks/checkpoints.ts';
import { resultDrafts } from '../../../shared/tasks/results.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { exportOrganization } from '../../../shared/transfer/export.ts';
import type { ExportedRow } from '../../../shared/transfer/format.ts';
import { ROW_KINDS } from '../../../shared/transfer/row-kinds.ts';
import { withAcme } from '../../bin/operator/errand.ts';
import { setClock } from '../../ports/clock.ts';
import type { Any } from '../../support/any.ts';
import { putText } from '../files/setup.ts';
import { fillOrganization, LONG_TEXT, shownOrganization } from './full-organization.ts';

const { acme, json, refuses, run, state } = withAcme();
const hashing = passwords({ logCost: 10 });

let source: LocalContext;
let target: LocalContext;
let filled: Awaited<ReturnType<typeof fillOrganization>>;
const folder = () => `${state()}-export`;
const targetState = () => `${state()}-target`;

beforeEach(async () => {
  source = openLocal({ ERRAND_STATE: state() });
  target = openLocal({ ERRAND_STATE: targetState() });
  filled = await fillOrganization({ ...source, passwords: hashing }, acme().id);
});
afterEach(() => {
  source.close();
  target.close();
});

const exported = () => json(['org', 'export', 'Acme', '--to', folder()]);
const shownBy = (of: LocalContext) => shownOrganization(of, acme().id);

/** On the target's state. */
async function importing(...args: string[]) {
  const said = { stdout: '', stderr: '' };
  const status = await commandLine(['org', 'import', folder(), ...args], {
    open: async (_options, verb) => localState({ ERRAND_STATE: targetState() }, verb),
    examineAccount: () => Promise.reject(new Error('The account was examined.')),
    passwords: hashing,
    readStdin: async () => '',
    untilStopped: async () => undefined,
    out: (text) => {
      said.stdout += text;
    },
    err: (text) => {
      said.stderr += text;
    },
  });
  return { status, ...said };
}

async function imported(...args: string[]) {
  const done = await importing(...args, '--json');
  expect(done).toMatchObject({ status: 0, stderr: '' });
  return JSON.parse(done.stdout);
}

const rowsOf = ({ table }: LocalContext) => table.rowsContaining(acme().id).map(({ pk, sk }) => `${pk} ${sk}`);
const exportedRows = (): Any[] =>
  readFileSync(join(folder(), 'rows.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const manifest = () => JSON.parse(readFileSync(join(folder(), 'manifest.json'), 'utf8'));

/** An export that says what it says on purpose: with the right hash and counts. */
function rewrite(change: (rows: Any[]) => Any[], more: object = {}) {
  const rows = change(exportedRows());
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(join(folder(), 'rows.jsonl'), text);
  const blobs = rows.flatMap((row) => row.blobs ?? []);
  writeManifest({
    ...manifest(),
    rows: {
      count: rows.length,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    },
    blobs: { count: blobs.length, bytes: blobs.reduce((sum, { bytes }) => sum + bytes, 0) },
    ...more,
  });
}

const writeManifest = (value: object) => writeFileSync(join(folder(), 'manifest.json'), JSON.stringify(value));
const withRow = (sk: string, change: (row: Any) => Any) => (rows: Any[]) =>
  rows.map((row) => (row.sk === sk ? change(row) : row));

describe('an export', () => {
  it('contains no secret, no hash of one, and nothing sealed', async () => {
    await exported();
    const files = globSync('**/*', { cwd: folder(), withFileTypes: true }).filter((entry) => entry.isFile());
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
    const planted = [...filled.planted, acme().apiKey, acme().password, acme().webhookSecret];
    expect(filled.planted.length).toBeGreaterThan(12);
    for (const secret of planted)
      expect([secret, texts.some((text) => text.includes(secret))]).toEqual([secret, false]);
    expect(texts.join('')).not.toMatch(/\$scrypt\$|"v1\.[0-9a-f]{8}-/);
  });

  it('leaves out expired rows, and says which kinds it leaves out and why', async () => {
    const report = await exported();
    const kinds = ROW_KINDS.filter(({ leftOut }) => leftOut === undefined);
    expect(Object.keys(manifest().kinds).toSorted()).toEqual(
      kinds.map(({ partition, row }) => `${partition} ${row}`).toSorted(),
    );
    expect(exportedRows().some(({ sk }) => sk === filled.expired.sk)).toBe(false);
    expect(Object.fromEntries(manifest().leftOut.map(({ kind, why }: Any) => [kind, why]))).toMatchObject({
      'K#* KEY': 'a credential',
      'O#ORG WEBHOOK_SECRET': 'a secret',
      'O#ORG#F#* READING': expect.stringContaining('made again'),
      'O#ORG#IDEMPOTENCY#* CLAIM': 'a call to this stage',
    });
    expect(report).toMatchObject({ rows: exportedRows().length, files: 4, unfinishedTasks: 2, undeliveredEvents: 4 });
    expect(report).toMatchObject({ lostFiles: 0, lostBlobs: 0 });
  });

  it('leaves out a file whose bytes are gone, and counts it', async () => {
    await source.blobs.remove(filled.upload.bytesAt);
    expect(await exported()).toMatchObject({ lostFiles: 1, files: 3 });
    expect((await run(['org', 'export', 'Acme', '--to', `${folder()}-2`])).stdout).toContain(
      'The bytes of 1 files are gone',
    );
  });

  it('has the result of every task that it says has ended, also of one that ends meanwhile', async () => {
    const { running } = filled;
    const hints = async () => undefined;
    const end = async () => {
      const expiresAt = Date.now() + 1e9;
      const prerequisites = resultDrafts(running, { attempt: 1, result: { text: 'done' }, expiresAt });
      const finish = { type: 'finish', attempt: 1, as: 'succeeded' } as const;
      await moveTask({ ...source, hints }, running, finish, { prerequisites });
    };
    const rowsRead: Table['rows'] = async (pk, prefix, paging) => {
      const page = await source.table.rows<Any>(pk, prefix, paging);
      if (pk === taskKey(running).pk) await end();
      return page;
    };
    const rows: ExportedRow[] = [];
    const sink = {
      row: async (row: ExportedRow) => void rows.push(row),
      async blob(body: Bytes) {
        await buffer(body);
        return { bytes: 0, sha256: '' };
      },
    };
    const organization = (await organizationById(source.table, acme().id)) as Organization;
    const everything = sqliteAdminStore({ ...source, mails: source.folder.mail });
    const ports = { ...source, everything, table: { ...source.table, rows: rowsRead } };
    await exportOrganization(ports, sink, { organization, errand: '0.2.0' });
    const exportedOf = rows.filter(({ pk }) => pk === taskKey(running).pk);
    expect(exportedOf.map(({ sk }) => sk)).not.toContain('RESULT#1');
    expect(exportedOf.find(({ sk }) => sk === 'TASK')?.value).toMatchObject({ state: 'running' });
  });

  it('needs a new folder, and is recorded in the audit', async () => {
    await exported();
    await refuses(['org', 'export', 'Acme', '--to', folder()], /is not empty: name a new one/);
    const acts = await json(['audit', 'Acme']);
    expect(acts.slice(0, 2)).toMatchObject([
      { act: 'org export', outcome: 'failed' },
      { act: 'org export', outcome: 'done' },
    ]);
  });
});

describe('an import', () => {
  it('shows in the target what the source shows, to callers and operators', async () => {
    await exported();
    const report = await imported('--continue');
    const [before, after] = [await shownBy(source), await shownBy(target)];
    expect(before.files.map(({ bytes }) => bytes).toSorted()).toEqual(['a whole upload', 'hello']);
    expect(before.tasks.find(({ taskId }) => taskId === filled.succeeded.taskId)).toMatchObject({
      archive: 'the archive',
      result: { text: LONG_TEXT },
    });
    expect(after).toEqual(before);
    // The reconciler continues what had not ended, and sends what was not delivered.
    expect(target.table.dueKeys('TASK')).toEqual(expect.arrayContaining(source.table.dueKeys('TASK')));
    expect(source.table.dueKeys('TASK').length).toBeGreaterThan(2);
    expect(report).toMatchObject({ written: exportedRows().length, present: 0, expired: 0, cancelledTasks: 0 });
  });

  it('continues from a checkpoint that was stored packed, with the bytes that it names', async () => {
    const { running } = filled;
    const row = (await source.table.get<Task>(taskKey(running))) as Row<Task>;
    const { checkpoint, checkpointOf: attempt = 0 } = row.value;
    const { pk, name } = checkpointLocation(running, { checkpoint, attempt });
    const piece = (await source.table.get<Any>({ pk, sk: `${name}#00` })) as Row<Any>;
    expect(piece.value.packed).toBeTypeOf('string');
    await exported();
    await imported('--continue');
    const beginningIn = ({ table }: LocalContext) => readBeginning(table, running, { task: row.value, version: 2 });
    const { carried } = await beginningIn(target);
    expect(carried).toEqual((await beginningIn(source)).carried);
    expect(await target.blobs.size((carried as Any).known.bytesAt)).toBe('the state of a stage'.length);
  });

  it('cancels what had not ended, sends no event, and names both', async () => {
    await exported();
    const report = await imported();
    expect(report).toMatchObject({ cancelledTasks: 2, undeliveredEvents: 4 });
    const names = [filled.running, filled.recurring].map(({ taskId }) => taskId).toSorted();
    expect(report.remarks.cancelled.first.toSorted()).toEqual(names);
    for (const { task, deliveries } of (await shownBy(target)).tasks) {
      expect(['succeeded', 'cancelled']).toContain(task.state);
      expect(deliveries.every(({ state: of }) => of === 'exhausted')).toBe(true);
    }
    const due = await Promise.all(
      Array.from({ length: 16 }, (_, shard) => target.table.due(shard, Date.now() + 1e10, 100)),
    );
    // The reconciler only removes the schedule of the recurring task, and files whose time is over.
    expect(due.flat().filter(({ sk }) => sk !== 'FILE')).toEqual([taskKey(filled.recurring)]);
  });

  it('names the users without a password and what has to be set again, with the commands', async () => {
    await exported();
    const { stdout } = await importing();
    const { id } = acme();
    expect(stdout).toContain(`npx errand user password ann@${id}`);
    expect(stdout).toContain('npx errand user password admin@acme');
    expect(stdout).toContain(`API key (Ann's key): npx errand key create ${id} --name 'Ann'\\''s key'`);
    expect(stdout).toContain(`webhook secret: npx errand webhook-secret rotate ${id}`);
    expect(stdout).toContain(
      `model connection (ours, openai at https://models.errand-tests.org): npx errand model add ours --org ${id} ...`,
    );
    expect(stdout).toContain(
      `search provider (brave, https://api.search.brave.com): npx errand org search ${id} brave ...`,
    );
    expect(stdout).toContain(`issuer https://${id}.errand-tests.org, audience a`);
    const user = { name: `ann@${id}`, password: 'planted-password-of-a-user' };
    expect(await userWithPassword({ ...target, passwords: hashing }, user)).toBeUndefined();
    // Nobody knows it before it is rotated; without one no event could be signed.
    const [made] = await currentSecrets(target, id);
    expect(made?.secret).toMatch(/^whsec_/);
    expect(filled.planted).not.toContain(made?.secret);
  });

  it('is harmless a second time, also after the organization worked on', async () => {
    await exported();
    await imported('--continue');
    const hints = async () => undefined;
    await moveTask({ ...target, hints }, filled.running, { type: 'cancel', force: true });
    const before = await shownBy(target);
    expect(await imported('--continue')).toMatchObject({ written: 0, present: exportedRows().length });
    expect(await shownBy(target)).toEqual(before);
  });

  it('completes one that was interrupted, without storing bytes twice', async () => {
    await exported();
    await imported();
    const [whole, before] = [rowsOf(target), await shownBy(target)];
    const lost = [
      fileKey(acme().id, filled.upload.fileId),
      fileKey(acme().id, filled.fileId),
      taskKey(filled.succeeded),
    ];
    await target.table.erase([...lost, { pk: `O#${acme().id}`, sk: 'ORGANIZATION' }]);
    const versions = () => target.blobs.uploads('arrivals/', { limit: 100 });
    const stored = await versions();
    expect(await imported()).toMatchObject({ written: 4, present: exportedRows().length - 4 });
    expect(await versions()).toEqual(stored);
    expect(rowsOf(target).filter((row) => !row.startsWith('AUDIT'))).toEqual(
      whole.filter((row) => !row.startsWith('AUDIT')),
    );
    expect(await shownBy(target)).toEqual(before);
  });

  it('makes files that a later use of their upload address does not change', async () => {
    await exported();
    await imported();
    const [key = ''] = await target.blobs.uploadsOf(acme().id);
    await putText(target.blobs, key, 'other bytes');
    expect((await shownBy(target)).files.map(({ bytes }) => bytes)).toContain('a whole upload');
  });

  it('makes files that can be deleted', async () => {
    await exported();
    await imported();
    for (const fileId of [filled.upload.fileId, filled.fileId])
      await deleteFile(target, { organization: acme().id, fileId });
    expect((await shownBy(target)).files).toEqual([]);
    expect(await target.blobs.uploadsOf(acme().id)).toEqual([]);
  });

  it('leaves out what has expired meanwhile', async () => {
    await exported();
    rewrite(withRow('CANCEL', (row) => ({ ...row, expiresAt: 1 })));
    expect(await imported()).toMatchObject({ expired: 1 });
  });
});

describe('an import refuses, and writes nothing,', () => {
  const otherId = '01a20920-4187-70ef-b708-1e3b50ccbe6d';
  beforeEach(exported);
  afterEach(async () => {
    expect(rowsOf(target).filter((row) => !row.startsWith('AUDIT'))).toEqual(
      expect.not.arrayContaining([expect.stringContaining('ORGANIZATION')]),
    );
  });

  async function isRefused(why: RegExp) {
    const before = rowsOf(target).filter((row) => !row.startsWith('AUDIT'));
    const { status, stdout, stderr } = await importing();
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^errand: [^\n]+$/);
    expect(stderr).toMatch(why);
    expect(rowsOf(target).filter((row) => !row.startsWith('AUDIT'))).toEqual(before);
  }

  const inAnother = (row: Any) => ({ ...row, pk: row.pk.replaceAll(acme().id, otherId) });
  const withValue = (sk: string, more: object) =>
    rewrite(withRow(sk, (row) => ({ ...row, value: { ...row.value, ...more } })));

  it('rows of another organization', async () => {
    rewrite(withRow('ABOUT', inAnother));
    await isRefused(
      /Line \d+ of the export is of the kind "O#\* ABOUT", which no export of this organization contains/,
    );
    rewrite(withRow('USER', (row) => ({ ...row, value: { ...row.value, organization: otherId } })));
    await isRefused(/Line \d+/);
  });

  it.each([
    ['a user of another organization', 'USER', { organization: otherId }, /user of another organization/],
    ['a user under an id of another name', 'USER', { name: 'somebody-else' }, /id does not belong to its name/],
    ['a hash of a password', 'USER', { passwordHash: '$scrypt$' }, /no valid passwordHash/],
    ['another organization under its key', 'ORGANIZATION', { id: otherId }, /is another organization/],
    ['bytes of another file', 'FILE', { bytesAt: `files/${otherId}/x/y` }, /not of this organization/],
    ['a model that colours the terminal', 'ORGANIZATION', { models: ['\u001b[31m'] }, /no valid models\.0/],
    ['a task in no state', 'TASK', { state: 'lost' }, /no valid state/],
    ['a schedule that cannot be read', 'TASK', { recurs: { by: 'now and then' } }, /no valid recurs\.by/],
  ])('%s', async (_, sk, more, why) => {
    withValue(sk, more);
    await isRefused(why);
  });

  it('results that name bytes of another organization, also by the way of a folder above', async () => {
    const above = `results/${acme().id}/../${otherId}/t/m`;
    for (const bytesAt of [`results/${otherId}/t/m`, above]) {
      withValue('RESULT#1', { archive: { bytesAt, sizeBytes: 1 } });
      await isRefused(/not of this organization/);
    }
    rewrite(withRow('RESULT#1', (row) => ({ ...row, blobs: [{ ...row.blobs[0], key: above }] })));
    await isRefused(/not of this organization/);
  });

  it('bytes outside of the folder, by name or by link', async () => {
    const [blob] = exportedRows().find(({ sk }) => sk === 'RESULT#1')?.blobs ?? [];
    rewrite(withRow('RESULT#1', (row) => ({ ...row, blobs: [{ ...row.blobs[0], sha256: '../../etc/passwd' }] })));
    await isRefused(/is not a row \(blobs\.0\.sha256\)/);
    rewrite(withRow('RESULT#1', (row) => ({ ...row, blobs: [blob] })));
    const file = join(folder(), 'blobs', blob.sha256.slice(0, 2), blob.sha256);
    cpSync(file, `${folder()}-elsewhere`);
    rmSync(file);
    symlinkSync(`${folder()}-elsewhere`, file);
    await isRefused(/whose bytes are not in the export/);
  });

  it('rows that are not those of the manifest', async () => {
    appendFileSync(join(folder(), 'rows.jsonl'), `${JSON.stringify(exportedRows()[0])}\n`);
    await isRefused(/rows of the export are not those that its manifest names/);
    rewrite((rows) => rows.slice(1));
    writeManifest({ ...manifest(), rows: { ...manifest().rows, count: 1 } });
    await isRefused(/rows of the export are not those/);
    rewrite((rows) => rows, { blobs: { count: 0, bytes: 0 } });
    await isRefused(/other rows or files than its manifest says/);
    rewrite((rows) => rows.filter(({ sk }) => sk !== 'ORGANIZATION'));
    await isRefused(/no row of the organization itself/);
  });

  it('a line that never ends, and one that is no JSON', async () => {
    writeFileSync(join(folder(), 'rows.jsonl'), 'x'.repeat(33 * 1024 * 1024));
    await isRefused(/too long for a row/);
    writeFileSync(join(folder(), 'rows.jsonl'), '{"pk":\n');
    await isRefused(/Line 1 of the export is not a row/);
  });

  it('kinds of rows that no export has', async () => {
    const secret = { pk: `O#${acme().id}`, sk: 'WEBHOOK_SECRET', value: { kept: [] } };
    rewrite((rows) => [...rows, secret]);
    await isRefused(/kind WEBHOOK_SECRET, which no export contains/);
  });

  it('a row that is there with another content', async () => {
    const [row] = exportedRows().filter(({ sk }) => sk === 'ABOUT');
    await target.table.insert({ pk: row.pk, sk: row.sk, value: { by: 'user:other' } });
    await isRefused(/differs from the row .* ABOUT that is here already: nothing is overwritten/);
  });

  it('names that move the cursor, without printing them', async () => {
    rewrite((rows) => [...rows, { pk: `O#${acme().id}`, sk: 'A\u001b[2J', value: {} }]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it must not be printed
    await isRefused(/^[^\x00-\x1f]*kind "O#ORG A\?\[2J"/);
  });

  it('a user whose name is taken', async () => {
    const user = { organization: otherId, name: 'admin@acme', role: 'admin', password: 'a-long-password' } as const;
    await createUser({ ...target, passwords: hashing }, user);
    await isRefused(/is the user admin@acme, whose name is taken here/);
  });

  it('an export that is unfinished, of another format, or of a later version', async () => {
    writeManifest({ ...manifest(), errand: '99.0.0' });
    await isRefused(/made by Errand 99\.0\.0, this is .*: upgrade it/);
    writeManifest({ ...manifest(), format: 2 });
    await isRefused(/has the format 2, this Errand reads 1/);
    rmSync(join(folder(), 'manifest.json'));
    await isRefused(/has no manifest\.json: name the folder of a finished "org export"/);
  });
});

it('takes no row for whole whose bytes were changed after the export', async () => {
  await exported();
  const [blob] = exportedRows().find(({ pk, sk }) => sk === 'FILE' && pk.includes(filled.fileId))?.blobs ?? [];
  writeFileSync(join(folder(), 'blobs', blob.sha256.slice(0, 2), blob.sha256), 'HELLO');
  const { status, stderr } = await importing();
  expect([status, stderr]).toEqual([1, expect.stringMatching(/whose bytes were changed: copy the export again/)]);
  expect(await target.blobs.size(blob.key)).toBeUndefined();
  expect(await target.table.get(fileKey(acme().id, filled.fileId))).toBeUndefined();
  expect(await target.table.get<Task>(taskKey(filled.succeeded))).toBeUndefined();
  expect(readdirSync(join(folder(), 'blobs')).length).toBeGreaterThan(1);
});

it('says every five seconds how far long work is', () => {
  const clock = setClock();
  const said: string[] = [];
  const say = progressOf({ clock, err: (text) => said.push(text) });
  say('at once');
  clock.pass(5_000);
  say('after five seconds');
  say('and not again');
  expect(said).toEqual(['after five seconds']);
});
