/** Files that the product downloaded itself; their bytes are in the bucket without versioning. */
import { expect, it } from 'vitest';
import { bytesKey, type File, fileDraft, fileKey } from '../../../shared/files/file.ts';
import { call } from '../../functions/over-http/call.ts';
import { putText } from '../../shared/files/setup.ts';
import { blobs, callTask, hintOf, ids, leave, organization, PATIENCE, send, table, waitForEnd } from './beside.ts';
import { RECEIVER, SERVED_TEXT } from './internet/places.ts';

async function importFile(): Promise<{ fileId: string; bytesAt: string }> {
  const url = `https://${RECEIVER}/lease.txt`;
  const { status, body } = await call('files', '/files', { as: 'engine', json: { url } });
  expect(status).toBe(201);
  const fileId = String(body.fileId);
  return { fileId, bytesAt: (await table.get<File>(fileKey(organization, fileId)))?.value.bytesAt ?? '' };
}

async function endOf(fileId: string) {
  const address = await leave({ priority: 2 }, { prompt: 'When does the lease end?', fileIds: [fileId] });
  await send('low', hintOf(address));
  return { ...(await waitForEnd(address)), shown: (await callTask(address.taskId)).body };
}

it('lets a task read them, serves them, and deletes them with their bytes', async () => {
  const { fileId, bytesAt } = await importFile();
  expect(await endOf(fileId)).toMatchObject({ state: 'succeeded', shown: { output: { text: expect.any(String) } } });
  const { body } = await call('files', `/files/${fileId}`, { as: 'engine' });
  expect(await (await fetch(String(body.url))).text()).toBe(SERVED_TEXT);
  expect((await call('files', `/files/${fileId}`, { as: 'engine', method: 'DELETE' })).status).toBe(204);
  expect(await blobs.size(bytesAt)).toBeUndefined();
});

it('fails a task whose file has no bytes in the bucket', async () => {
  const { fileId, bytesAt } = await importFile();
  await blobs.remove(bytesAt);
  expect(await endOf(fileId)).toMatchObject({ state: 'failed', code: 'FILE_UNAVAILABLE' });
});

it('removes an interrupted import with its bytes', async () => {
  const [fileId, now] = [ids.uuid(), Date.now()];
  const bytesAt = bytesKey(organization, fileId, ids.mark());
  await putText(blobs, bytesAt, SERVED_TEXT);
  const value: File = { state: 'awaited', createdAt: now, goneAt: now - 1_000, bytesAt };
  await table.insert(fileDraft(organization, fileId, value));
  await expect.poll(() => table.get(fileKey(organization, fileId)), PATIENCE).toBeUndefined();
  expect(await blobs.size(bytesAt)).toBeUndefined();
});
