/** Files as the release before left them, with their bytes in the bucket without versions: the deployed product goes on with them. */
import { expect, it } from 'vitest';
import { bytesKey, type File, fileDraft, fileKey } from '../../shared/files/file.ts';
import { call } from '../api/call.ts';
import { putText } from '../files/opened.ts';
import { blobs, ended, hintOf, ids, leave, organization, PATIENCE, send, shown, table } from './beside.ts';

const TEXT = 'The lease ends on 30 June 2031.';
const DAY = 86_400_000;

async function older(value: object): Promise<string> {
  const fileId = ids.uuid();
  const now = Date.now();
  const times = { createdAt: now, goneAt: now + DAY };
  await table.insert(fileDraft(organization, fileId, { ...times, ...value } as File));
  return fileId;
}

async function stored(): Promise<{ fileId: string; bytesAt: string }> {
  const bytesAt = bytesKey(organization, ids.uuid(), ids.mark());
  await putText(blobs, bytesAt, TEXT);
  const file = { state: 'stored', fileName: 'older.txt', mimeType: 'text/plain', size: TEXT.length, bytesAt };
  return { fileId: await older({ ...file, copies: [] }), bytesAt };
}

const pathOf = () => `uploads/${organization}/${Date.now()}-older.txt`;

async function endOf(fileId: string) {
  const address = await leave({ priority: 2 }, { prompt: 'When does the lease end?', fileIds: [fileId] });
  await send('low', hintOf(address));
  return { ...(await ended(address)), shown: (await shown(address.taskId)).body };
}

it('has a task read them, shows them, and deletes them with their bytes', async () => {
  const { fileId, bytesAt } = await stored();
  expect(await endOf(fileId)).toMatchObject({ state: 'succeeded', shown: { output: { text: expect.any(String) } } });
  const { body } = await call('files', `/files/${fileId}`, { as: 'engine' });
  expect(await (await fetch(String(body.url))).text()).toBe(TEXT);
  expect((await call('files', `/files/${fileId}`, { as: 'engine', method: 'DELETE' })).status).toBe(204);
  expect(await blobs.size(bytesAt)).toBeUndefined();
});

it('fails a task whose file has lost its bytes', async () => {
  const { fileId, bytesAt } = await stored();
  await blobs.remove(bytesAt);
  expect(await endOf(fileId)).toMatchObject({ state: 'failed', code: 'FILE_UNAVAILABLE' });
});

it('completes an upload that was asked for before', async () => {
  const storagePath = pathOf();
  const fileId = await older({ state: 'awaited', storagePath });
  const json = { fileName: 'older.txt', mimeType: 'text/plain', size: TEXT.length, storagePath };
  const complete = () => call('files', `/files/${fileId}/complete`, { as: 'engine', json });
  expect((await complete()).body).toEqual({ error: 'Upload not found' });
  await putText(blobs, storagePath, TEXT);
  expect((await complete()).status).toBe(201);
  await putText(blobs, storagePath, 'later');
  const { body } = await call('files', `/files/${fileId}`, { as: 'engine' });
  expect(await (await fetch(String(body.url))).text()).toBe(TEXT);
});

it('removes an upload that was asked for before and never completed', async () => {
  const storagePath = pathOf();
  await putText(blobs, storagePath, TEXT);
  const fileId = await older({ state: 'awaited', storagePath, goneAt: Date.now() - 1_000 });
  await expect.poll(() => table.get(fileKey(organization, fileId)), PATIENCE).toBeUndefined();
  expect(await blobs.size(storagePath)).toBeUndefined();
});
