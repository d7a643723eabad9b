/** The lifetime of files, and that nothing remains of deleted ones. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deleteFile } from '../../../shared/files/cleanup.ts';
import { type File, fileKey, uploadKey } from '../../../shared/files/file.ts';
import { getFile } from '../../../shared/files/get-file.ts';
import { importFile } from '../../../shared/files/import-file.ts';
import { listFiles } from '../../../shared/files/list-files.ts';
import { sweepUploads } from '../../../shared/files/sweep-uploads.ts';
import { completeUpload, requestUpload } from '../../../shared/files/upload.ts';
import type { Outbound } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile/reconcile.ts';
import { stream } from '../../ports/streams.ts';
import { openFiles, putText } from './setup.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const organization = 'org';

let at: ReturnType<typeof openFiles>;
beforeEach(() => {
  at = openFiles();
});
afterEach(() => at.close());

async function uploadFile(fileName = 'a.txt') {
  const fileId = at.ids.uuid();
  const { storagePath } = await requestUpload(at, { organization, fileId, fileName });
  const place = uploadKey(organization, fileId, at.clock.now());
  await putText(at.blobs, place, 'hello');
  return { organization, fileId, storagePath, place };
}

async function storeFile() {
  const upload = await uploadFile();
  await completeUpload(at, { ...upload, fileName: 'a.txt', mimeType: 'text/plain', size: 5 });
  const { bytesAt } = await getFile(at, upload);
  return { ...upload, bytesAt };
}

/** An import that waits for its source until `resume` is called. */
function importing() {
  const fileId = at.ids.uuid();
  const url = 'https://files.customer-a.com/notes.txt';
  const [fetchBegun, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const outbound: Outbound = async () => {
    fetchBegun.resolve();
    await resumed.promise;
    return { url, status: 200, headers: {}, body: stream('hello'), cancel: () => undefined };
  };
  const importDone = importFile({ ...at, outbound }, { organization, fileId, url, ownHosts: [] });
  return { fileId, done: importDone, asked: fetchBegun.promise, resume: resumed.resolve };
}

const rowOf = (fileId: string) => at.table.get<File>(fileKey(organization, fileId));

it('keeps an interrupted import for 24 hours, and then deletes its row and its bytes', async () => {
  const { fileId, asked } = importing();
  await asked;
  const place = (await rowOf(fileId))?.value.bytesAt ?? '';
  await putText(at.blobs, place, 'hel');
  at.clock.pass(DAY - 1);
  expect(await reconcile(at)).toBe(0);
  expect(await at.blobs.size(place)).toBe(3);
  at.clock.pass(1);
  expect(await reconcile(at)).toBe(1);
  expect([await at.blobs.size(place), await rowOf(fileId)]).toEqual([undefined, undefined]);
  expect(await reconcile(at)).toBe(0);
});

it('keeps a completed file for 30 days after its completion, and then deletes all of it', async () => {
  const file = await storeFile();
  at.clock.pass(30 * DAY - 1);
  await reconcile(at);
  expect((await getFile(at, file)).size).toBe(5);
  at.clock.pass(1);
  await expect(getFile(at, file)).rejects.toMatchObject({ code: 'notFound', message: 'File not found' });
  expect((await listFiles(at, { organization, limit: 10 })).rows).toEqual([]);
  await reconcile(at);
  expect([await at.blobs.size(file.bytesAt), await rowOf(file.fileId)]).toEqual([undefined, undefined]);
});

it('deletes a file with its bytes immediately and permanently', async () => {
  const file = await storeFile();
  await deleteFile(at, file);
  expect([await at.blobs.size(file.bytesAt), await rowOf(file.fileId)]).toEqual([undefined, undefined]);
  await expect(deleteFile(at, file)).rejects.toMatchObject({ code: 'notFound' });
  expect((await listFiles(at, { organization, limit: 10 })).rows).toEqual([]);
});

it('removes the bytes after an interrupted delete', async () => {
  const file = await storeFile();
  const broken = { ...at, blobs: { ...at.blobs, remove: () => Promise.reject(new Error('died')) } };
  await expect(deleteFile(broken, file)).rejects.toThrow('died');
  await expect(getFile(at, file)).rejects.toMatchObject({ code: 'notFound' });
  await reconcile(at);
  expect([await at.blobs.size(file.bytesAt), await rowOf(file.fileId)]).toEqual([undefined, undefined]);
});

it('continues with the other rows when one fails, and reports the failure', async () => {
  const [bad, good] = [await storeFile(), await storeFile()];
  at.clock.pass(30 * DAY);
  const remove = async (key: string) => {
    if (key === bad.place) throw new Error('no');
    return at.blobs.remove(key);
  };
  expect(await reconcile({ ...at, blobs: { ...at.blobs, remove } })).toBe(1);
  expect(await rowOf(good.fileId)).toBeUndefined();
  expect(await rowOf(bad.fileId)).toBeDefined();
  expect(at.lines.join('')).toContain('a due row could not be processed');
});

it('keeps the upload when its completion is refused, so that it can still be completed', async () => {
  const upload = await uploadFile();
  const complete = (size: number) => completeUpload(at, { ...upload, fileName: 'a.txt', mimeType: 'a/b', size });
  await expect(complete(4)).rejects.toThrow('size is 4, but 5 bytes were uploaded');
  expect((await rowOf(upload.fileId))?.value).toMatchObject({ state: 'awaited' });
  await complete(5);
});

it('lets one of two completions win, and compares the other with it', async () => {
  const upload = await uploadFile();
  const complete = (mimeType: string) => completeUpload(at, { ...upload, fileName: 'a.txt', mimeType, size: 5 });
  const same = await Promise.allSettled([complete('a/b'), complete('a/b')]);
  expect(same.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  await expect(complete('c/d')).rejects.toThrow('completed before, with other fields');
});

it('continues with the storage path of the first try when a request is repeated after a crash', async () => {
  const fileId = at.ids.uuid();
  const first = await requestUpload(at, { organization, fileId, fileName: 'a.txt' });
  at.clock.pass(5_000);
  const second = await requestUpload(at, { organization, fileId, fileName: 'a.txt' });
  expect(second.storagePath).toBe(first.storagePath);
});

it('gives the same answer to six concurrent completions', async () => {
  for (let round = 0; round < 10; round++) {
    const upload = await uploadFile();
    const complete = () => completeUpload(at, { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 5 });
    await expect(Promise.all(Array.from({ length: 6 }, complete))).resolves.toHaveLength(6);
  }
});

it('also deletes bytes that were uploaded through the signed URL after the completion', async () => {
  const file = await storeFile();
  await putText(at.blobs, file.place, 'later');
  await deleteFile(at, file);
  expect([await at.blobs.size(file.place), await at.blobs.size(file.bytesAt)]).toEqual([undefined, undefined]);
});

it('creates no file from an upload that expires while it is checked', async () => {
  const upload = await uploadFile();
  at.clock.pass(DAY - 1);
  const completion = completing(upload, async () => {
    at.clock.pass(1);
    await sweepUploads(at);
  });
  await expect(completion).rejects.toMatchObject({ code: 'notFound' });
  expect(await rowOf(upload.fileId)).toBeUndefined();
});

it('fences off an import before it removes its bytes, even if clocks differ', async () => {
  const { fileId, done: importDone, asked, resume } = importing();
  await asked;
  const remove = async (place: string) => {
    await at.blobs.remove(place);
    resume();
    await importDone.catch(() => undefined);
  };
  const clock = { now: () => at.clock.now() + DAY };
  await reconcile({ ...at, clock, blobs: { ...at.blobs, remove } });
  await expect(importDone).rejects.toMatchObject({ code: 'busy' });
  expect(await rowOf(fileId)).toBeUndefined();
});

/** Completes an upload with a step between the check and the writes. */
function completing(upload: Awaited<ReturnType<typeof uploadFile>>, between: () => unknown) {
  let isFirst = true;
  const keep = async (place: string) => {
    if (isFirst) await between();
    isFirst = false;
    return at.blobs.keep(place);
  };
  const ports = { ...at, blobs: { ...at.blobs, keep } };
  return completeUpload(ports, { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 5 });
}

it('applies the retention and the maximum file size of its stage', async () => {
  const limited = { ...at, stageLimits: { keptDays: 2, maxFileBytes: 4 } };
  const upload = await uploadFile();
  const completion = { ...upload, fileName: 'a.txt', mimeType: 'text/plain', size: 5 };
  await expect(completeUpload(limited, completion)).rejects.toThrow('A file has at most 4 bytes');
  const fitting = await uploadFile();
  await completeUpload(
    { ...limited, stageLimits: { keptDays: 2 } },
    { ...fitting, fileName: 'a.txt', mimeType: 'text/plain', size: 5 },
  );
  at.clock.pass(2 * DAY - 1);
  expect((await getFile(at, fitting)).size).toBe(5);
  at.clock.pass(1);
  await expect(getFile(at, fitting)).rejects.toMatchObject({ code: 'notFound' });
});
