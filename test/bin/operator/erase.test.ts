/** Erasing an organization: afterwards only the row about the erasure names it, and other organizations keep everything. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LocalContext, openLocal } from '../../../adapters/local/context.ts';
import { claim } from '../../../functions/http/idempotency.ts';
import { createKey } from '../../../shared/accounts/api-keys.ts';
import { insertLong } from '../../../shared/core/long-values.ts';
import { packText } from '../../../shared/core/packed-text.ts';
import { type File, fileKey, uploadKey } from '../../../shared/files/file.ts';
import { completeUpload, requestUpload } from '../../../shared/files/upload.ts';
import { limitSpender } from '../../../shared/limits/rate-limit.ts';
import { storeMailOutcome } from '../../../shared/mail/mail-outcomes.ts';
import { archiveKey } from '../../../shared/tasks/archive.ts';
import { checkpointDrafts } from '../../../shared/tasks/checkpoints.ts';
import { resultDrafts } from '../../../shared/tasks/results.ts';
import { taskPartition } from '../../../shared/tasks/rows.ts';
import { countTokens } from '../../../shared/usage/daily-usage.ts';
import { NO_TOKENS } from '../../../shared/usage/tokens.ts';
import { belongingsOf } from '../../functions/both-apis/belongings.ts';
import { putText } from '../../shared/files/setup.ts';
import { withAcme } from './errand.ts';

const { acme, json, refuses, run, state } = withAcme();

let local: LocalContext;
beforeEach(() => {
  local = openLocal({ ERRAND_STATE: state() });
});
afterEach(() => local.close());

const holding = (id: string) => local.table.rowsContaining(id).map(({ pk, sk }) => `${pk} ${sk}`);

/** Writes rows of every kind, and returns the keys of its blobs. */
async function fillOrganization(organization: string): Promise<string[]> {
  const { table, clock, blobs } = local;
  const apis = { ...local, hints: async () => undefined } as never;
  const { fileId, tasks } = await belongingsOf(apis, organization);
  const address = { organization, taskId: tasks.agents.taskId };
  const bytesAt = archiveKey(address, 'mark');
  await putText(blobs, bytesAt, 'zip');
  const expiresAt = clock.now() + 1e9;
  const result = { archive: { bytesAt, sizeBytes: 3 } };
  const drafts = resultDrafts(address, { attempt: 1, result, expiresAt });
  // A row that has expired and still exists.
  const reached = { checkpoint: 1, attempt: 1 };
  const formerAt = archiveKey(address, 'former');
  await putText(blobs, formerAt, 'json');
  const former = { known: { bytesAt: formerAt }, texts: Array.from({ length: 99 }, () => 'long enough to be packed') };
  const past = { ...reached, version: 2, expiresAt: clock.now() - 1 };
  const expired = checkpointDrafts(address, { ...past, carried: former });
  // The checkpoint of an agent's stage in blob storage, and its partial results.
  const [knownAt, fileAt, textsAt] = ['known', 'report', 'snapshots'].map((mark) => archiveKey(address, mark)) as [
    string,
    string,
    string,
  ];
  for (const key of [knownAt, fileAt, textsAt]) await putText(blobs, key, 'json');
  const report = { files: [{ name: 'a "b"', bytesAt: fileAt }], snapshots: { bytesAt: textsAt, texts: [] } };
  const carried = { known: { bytesAt: knownAt }, report };
  const kept = checkpointDrafts(address, { checkpoint: 2, attempt: 1, carried, expiresAt });
  for (const draft of [...drafts, ...expired, ...kept]) await table.insert(draft);
  const { key } = await createKey(local, { organization, name: 'second' });
  await table.insert({ pk: `K#${key.id}`, sk: 'USED', value: { at: 1 } });
  const call = { organization, method: 'POST', path: '/x', key: 'k', body: Buffer.from('') };
  await claim(local, call);
  await limitSpender(local)(organization, { name: 'files', minute: 5 });
  const tokens = { ...NO_TOKENS, inputTokens: 1, outputTokens: 1 };
  await countTokens(table, organization, { tokens, now: clock.now() });
  const file = await table.get<{ bytesAt: string }>(fileKey(organization, fileId));
  return [bytesAt, file?.value.bytesAt ?? '', knownAt, fileAt, textsAt, formerAt, ...(await uploads(organization))];
}

/** An upload that was overwritten after its completion, one that was never completed, and one without a row. */
async function uploads(organization: string): Promise<string[]> {
  const places: string[] = [];
  for (const isCompleted of [true, false]) {
    const file = { organization, fileId: local.ids.uuid() };
    const { storagePath } = await requestUpload(local, { ...file, fileName: 'a.txt' });
    const row = await local.table.get<File>(fileKey(organization, file.fileId));
    const place = row?.value.bytesAt ?? '';
    await putText(local.blobs, place, 'hello');
    const asked = { ...file, storagePath, fileName: 'a.txt', mimeType: 'a/b', size: 5 };
    if (isCompleted) await completeUpload(local, asked).then(() => putText(local.blobs, place, 'HELLO'));
    places.push(place);
  }
  const orphan = uploadKey(organization, local.ids.uuid(), local.clock.now());
  await putText(local.blobs, orphan, 'hello');
  return [...places, orphan];
}

const sizes = (keys: string[]) => Promise.all(keys.map((key) => local.blobs.size(key)));

it('deletes everything of the organization, and nothing of others', async () => {
  const other = await json(['org', 'create', 'Other']);
  await json(['sso', 'set', 'Acme', '--issuer', 'https://id.errand-tests.org', '--audience', 'a']).catch(
    () => undefined,
  );
  const [blobs, others] = [await fillOrganization(acme().id), await fillOrganization(other.id)];
  const before = holding(other.id);
  expect(holding(acme().id).length).toBeGreaterThan(15);
  expect(await sizes(blobs)).toEqual([3, 5, 4, 4, 4, 4, 5, 5, 5]);

  const erased = await json(['org', 'erase', 'Acme', '--confirm', acme().id]);
  expect(erased).toMatchObject({ id: acme().id, blobs: 9, rowsLeft: 0, blobsLeft: 0 });
  expect(erased.rows).toBeGreaterThan(20);
  expect(holding(acme().id)).toEqual([expect.stringMatching(/^AUDIT ACT#/)]);
  expect(local.table.rowsContaining(acme().name)).toEqual([]);
  expect(await sizes(blobs)).toEqual(blobs.map(() => undefined));
  expect(holding(other.id)).toEqual(before);
  expect(await sizes(others)).toEqual([3, 5, 4, 4, 4, 4, 5, 5, 5]);
  expect(await json(['org', 'list'])).toMatchObject([{ name: 'Other' }]);
  expect(await json(['audit'])).toMatchObject([{ act: 'org erase', subject: acme().id, outcome: 'done' }, {}]);
});

it('deletes an organization of which a value looks like a packed one and is none', async () => {
  const address = { organization: acme().id, taskId: local.ids.uuid() };
  const bytesAt = archiveKey(address, 'mark');
  await putText(local.blobs, bytesAt, 'zip');
  const value = { text: '', packed: 'no Brotli', archive: { bytesAt } };
  await insertLong(local.table, { pk: taskPartition(address), name: 'INPUT', value });
  await local.table.insert({
    pk: taskPartition(address),
    sk: 'ABOUT',
    value: { text: '', packed: packText('x'.repeat(2e6)) },
  });
  expect(await json(['org', 'erase', 'Acme', '--confirm', acme().id])).toMatchObject({ blobs: 1, rowsLeft: 0 });
});

it('leaves no text of the organization on the disk, and none of its mails', async () => {
  const [word, address] = ['zebra-crossing', { organization: acme().id, taskId: local.ids.uuid() }];
  const carried = Array.from({ length: 400 }, () => word);
  for (const draft of checkpointDrafts(address, { checkpoint: 1, attempt: 1, carried, expiresAt: Date.now() + 1e9 })) {
    await local.table.insert(draft);
  }
  const { mailer, sender } = local.mail;
  const mail = { raw: Buffer.from(word), from: sender, to: 'a@host.org', tags: {} };
  const [theirs] = [await mailer.send(mail), await mailer.send(mail)];
  const { accepted: providerId = '' } = theirs as { accepted?: string };
  const fate = { status: 'sent', at: 1, messageId: '<a@b>', providerId } as const;
  await storeMailOutcome(local.table, address, { run: 'once', mark: 'mark' }, fate);
  const mails = () => readdirSync(local.folder.mail);
  expect([mails().length, isOnDisk(word)]).toEqual([2, true]);

  await run(['org', 'erase', 'Acme', '--confirm', acme().id]);
  expect(mails()).toHaveLength(1);
  expect(mails().join()).not.toContain(providerId);
  expect(isOnDisk(word)).toBe(false);
});

const isOnDisk = (word: string): boolean =>
  ['', '-wal'].some((part) => readFileSync(local.folder.table + part).includes(word));

it('is not stopped by a text that looks like the name of a blob and is longer than any', async () => {
  const address = { organization: acme().id, taskId: local.ids.uuid() };
  const result = { text: `results/${acme().id}/${'x'.repeat(2_000)}` };
  for (const draft of resultDrafts(address, { attempt: 1, result, expiresAt: Date.now() + 1e9 }))
    await local.table.insert(draft);
  expect(await json(['org', 'erase', 'Acme', '--confirm', acme().id])).toMatchObject({ rowsLeft: 0, blobsLeft: 0 });
});

it('completes an interrupted erasure by the id of the deleted organization', async () => {
  await fillOrganization(acme().id);
  const [row] = local.table.rowsContaining(acme().id).filter(({ sk }) => sk === 'ORGANIZATION');
  await local.table.erase([{ pk: row?.pk ?? '', sk: 'ORGANIZATION' }]);
  await json(['org', 'erase', acme().id, '--confirm', acme().id]);
  expect(holding(acme().id)).toHaveLength(1);
});

it('requires the id as a confirmation, and erases nothing without it', async () => {
  const before = holding(acme().id);
  for (const words of [[], ['--confirm', 'Acme'], ['--confirm', acme().id.toUpperCase()]]) {
    const { status, stderr } = await run(['org', 'erase', 'Acme', ...words]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`--confirm ${acme().id}`)]);
  }
  await refuses(['org', 'erase', 'Nobody', '--confirm', 'x'], /There is no organization "Nobody"/);
  expect(holding(acme().id)).toEqual(before);
});
