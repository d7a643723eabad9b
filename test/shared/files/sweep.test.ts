/** Uploads that never become files: found by the hour of their URL, and removed a day after it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deleteFile } from '../../../shared/files/cleanup.ts';
import { type File, fileKey, uploadKey } from '../../../shared/files/file.ts';
import { getFile } from '../../../shared/files/get-file.ts';
import { sweepKey, sweepUploads } from '../../../shared/files/sweep-uploads.ts';
import { completeUpload, requestUpload } from '../../../shared/files/upload.ts';
import type { Blobs, Table } from '../../../shared/ports.ts';
import { textOf } from '../../ports/streams.ts';
import { openFiles, putText } from './setup.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const organization = 'org';

let at: ReturnType<typeof openFiles>;
beforeEach(async () => {
  at = openFiles();
  at.clock.pass(HOUR - (at.clock.now() % HOUR));
  await sweepUploads(at);
});
afterEach(() => at.close());

async function offerUpload(fileId = at.ids.uuid()) {
  const place = uploadKey(organization, fileId, at.clock.now());
  const { storagePath } = await requestUpload(at, { organization, fileId, fileName: 'a.txt' });
  return { organization, fileId, storagePath, place };
}
type Upload = Awaited<ReturnType<typeof offerUpload>>;

async function uploadFile(): Promise<Upload> {
  const upload = await offerUpload();
  await putText(at.blobs, upload.place, 'hello');
  return upload;
}

const complete = (upload: Upload) =>
  completeUpload(at, { ...upload, fileName: 'a.txt', mimeType: 'text/plain', size: 5 });
const contentOf = async (upload: Upload) => textOf(await at.blobs.read((await getFile(at, upload)).bytesAt));
const rowOf = ({ fileId }: Upload) => at.table.get<File>(fileKey(organization, fileId));
const sizesOf = (uploads: Upload[]) => Promise.all(uploads.map(({ place }) => at.blobs.size(place)));
const cursor = async () => (await at.table.get<{ hourAt: number; after?: string }>(sweepKey))?.value;

/** Like the rounds of a minute: until no upload is left. */
async function sweptAll(ports: { table: Table; blobs: Blobs } = at): Promise<void> {
  for (let before = ''; before !== JSON.stringify(await cursor()); ) {
    before = JSON.stringify(await cursor());
    await sweepUploads({ ...at, ...ports });
  }
}

it('lets the table expire the row of an upload, and indexes only files', async () => {
  const upload = await uploadFile();
  const awaited = await rowOf(upload);
  expect([awaited?.dueAt, awaited?.expiresAt]).toEqual([undefined, at.clock.now() + DAY]);
  await complete(upload);
  const stored = await rowOf(upload);
  expect([stored?.dueAt, stored?.expiresAt]).toEqual([at.clock.now() + 30 * DAY, undefined]);
});

it('removes uncompleted uploads with every version, three hours after they could be completed', async () => {
  const [unused, upload] = [await offerUpload(), await uploadFile()];
  await putText(at.blobs, upload.place, 'once more');
  at.clock.pass(DAY);
  await expect(complete(upload)).rejects.toMatchObject({ code: 'notFound' });
  at.clock.pass(3 * HOUR - 1);
  await sweptAll();
  expect(await at.blobs.size(upload.place)).toBe(9);
  at.clock.pass(1);
  await sweptAll();
  expect(await sizesOf([unused, upload])).toEqual([undefined, undefined]);
});

it('sweeps an hour when its last upload has expired', async () => {
  at.clock.pass(HOUR - 1);
  const upload = await uploadFile();
  at.clock.pass(DAY + 2 * HOUR);
  await sweptAll();
  expect(await at.blobs.size(upload.place)).toBe(5);
  at.clock.pass(1);
  await sweptAll();
  expect(await at.blobs.size(upload.place)).toBeUndefined();
});

it('keeps a file that was completed at the last moment or written to again, but no later version', async () => {
  const [early, late] = [await uploadFile(), await uploadFile()];
  await complete(early);
  await putText(at.blobs, early.place, 'longer text');
  at.clock.pass(DAY - 1);
  expect(await at.blobs.size(early.place)).toBe(11);
  await complete(late);
  at.clock.pass(3 * DAY);
  await sweptAll();
  expect([await contentOf(early), await contentOf(late)]).toEqual(['hello', 'hello']);
  expect(await sizesOf([early, late])).toEqual([5, 5]);
});

it('removes bytes that were uploaded through the signed URL of a deleted file', async () => {
  const upload = await uploadFile();
  await complete(upload);
  await deleteFile(at, upload);
  await putText(at.blobs, upload.place, 'later');
  at.clock.pass(DAY + 3 * HOUR);
  await sweptAll();
  expect(await at.blobs.size(upload.place)).toBeUndefined();
});

it('keeps the file of a repeated upload, and not the bytes of the first try', async () => {
  const first = await uploadFile();
  at.clock.pass(DAY);
  const second = await offerUpload(first.fileId);
  await putText(at.blobs, second.place, 'again');
  await complete(second);
  at.clock.pass(2 * DAY);
  await sweptAll();
  expect([await at.blobs.size(first.place), await contentOf(second)]).toEqual([undefined, 'again']);
});

it('continues after each page, even after a crash, and repeats nothing', async () => {
  const uploads = await Promise.all(Array.from({ length: 7 }, uploadFile));
  const [completed, ...abandoned] = uploads as [Upload, ...Upload[]];
  await complete(completed);
  at.clock.pass(DAY + 3 * HOUR);
  const removed: string[] = [];
  let hasDied = false;
  const blobs: Blobs = {
    ...at.blobs,
    uploads: (prefix, { after }) => {
      if (after !== undefined && !hasDied) {
        hasDied = true;
        throw new Error('died');
      }
      return at.blobs.uploads(prefix, { limit: 3, ...(after === undefined ? {} : { after }) });
    },
    remove: (place) => {
      removed.push(place);
      return at.blobs.remove(place);
    },
  };
  await expect(sweepUploads({ ...at, blobs })).rejects.toThrow('died');
  expect((await cursor())?.after).toBeDefined();
  await sweptAll({ ...at, blobs });
  expect(removed.map((name) => name.split('#')[0]).toSorted()).toEqual(abandoned.map(({ place }) => place).toSorted());
  expect(await sizesOf(abandoned)).toEqual(abandoned.map(() => undefined));
  expect(await contentOf(completed)).toBe('hello');
});

it('retries a failed removal without delaying the others', async () => {
  const uploads = await Promise.all(Array.from({ length: 4 }, uploadFile));
  const [bad] = uploads as [Upload];
  at.clock.pass(DAY + 3 * HOUR);
  let removed = 0;
  const remove = async (place: string) => {
    if (place.startsWith(bad.place)) throw new Error('no');
    await at.blobs.remove(place);
    removed++;
  };
  await expect(sweepUploads({ ...at, blobs: { ...at.blobs, remove } })).rejects.toThrow('no');
  // Lambda freezes a function after its answer.
  expect(removed).toBe(3);
  expect((await sizesOf(uploads)).filter((size) => size !== undefined)).toEqual([5]);
  await sweptAll();
  expect(await at.blobs.size(bad.place)).toBeUndefined();
});

it('does no harm when two sweeps run at once', async () => {
  const [completed, abandoned] = [await uploadFile(), await uploadFile()];
  await complete(completed);
  at.clock.pass(2 * DAY);
  for (let round = 0; round < 3; round++) await Promise.all([sweepUploads(at), sweepUploads(at), sweepUploads(at)]);
  await sweptAll();
  expect([await contentOf(completed), await at.blobs.size(abandoned.place)]).toEqual(['hello', undefined]);
  expect((await cursor())?.hourAt).toBe(at.clock.now() - DAY - 2 * HOUR);
});

it('catches up by several hours per round after a long pause', async () => {
  const upload = await uploadFile();
  const begun = (await cursor())?.hourAt ?? 0;
  at.clock.pass(30 * DAY);
  await sweepUploads(at);
  expect(await cursor()).toEqual({ hourAt: begun + 20 * HOUR });
  expect(await at.blobs.size(upload.place)).toBeUndefined();
});

it('begins no further page after the time of its function', async () => {
  const begun = (await cursor())?.hourAt ?? 0;
  at.clock.pass(30 * DAY);
  const stop = new AbortController();
  const uploads: Blobs['uploads'] = async (...args) => {
    stop.abort();
    return at.blobs.uploads(...args);
  };
  await sweepUploads({ ...at, blobs: { ...at.blobs, uploads } }, stop.signal);
  expect(await cursor()).toEqual({ hourAt: begun + HOUR });
});

it('starts with newer uploads if its own row is lost, and skips older ones', async () => {
  const upload = await uploadFile();
  at.clock.pass(3 * HOUR);
  const row = await at.table.get(sweepKey);
  if (row) await at.table.remove(row);
  await sweptAll();
  at.clock.pass(2 * DAY);
  await sweptAll();
  expect(await at.blobs.size(upload.place)).toBe(5);
});
