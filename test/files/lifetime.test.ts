/** How long files live, and that nothing of them is left behind. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { completeUpload } from '../../shared/files/complete-upload.ts';
import { deleteFile } from '../../shared/files/delete-file.ts';
import { type File, fileKey } from '../../shared/files/file.ts';
import { getFile } from '../../shared/files/get-file.ts';
import { listFiles } from '../../shared/files/list-files.ts';
import { requestUpload } from '../../shared/files/request-upload.ts';
import { reconcile } from '../../shared/reconcile/reconcile.ts';
import { textOf } from '../contracts/streams.ts';
import { opened, putText } from './opened.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const organization = 'org';

let at: ReturnType<typeof opened>;
beforeEach(() => {
  at = opened();
});
afterEach(() => at.close());

async function uploaded(fileName = 'a.txt') {
  const fileId = at.ids.uuid();
  const { storagePath } = await requestUpload(at, { organization, fileId, fileName });
  await putText(at.blobs, storagePath, 'hello');
  return { organization, fileId, storagePath };
}

async function stored() {
  const upload = await uploaded();
  await completeUpload(at, { ...upload, fileName: 'a.txt', mimeType: 'text/plain', size: 5 });
  const { bytesAt } = await getFile(at, upload);
  return { ...upload, bytesAt };
}

const rowOf = (fileId: string) => at.table.get<File>(fileKey(organization, fileId));

it('keeps an upload that nobody completed for 24 hours, and then neither its row nor its bytes', async () => {
  const { fileId, storagePath } = await uploaded();
  at.clock.pass(DAY - 1);
  expect(await reconcile(at)).toBe(0);
  expect(await at.blobs.size(storagePath)).toBe(5);
  at.clock.pass(1);
  await expect(
    completeUpload(at, { organization, fileId, storagePath, fileName: 'a.txt', mimeType: 'a/b', size: 5 }),
  ).rejects.toMatchObject({ code: 'notFound' });
  expect(await reconcile(at)).toBe(1);
  expect([await at.blobs.size(storagePath), await rowOf(fileId)]).toEqual([undefined, undefined]);
  expect(await reconcile(at)).toBe(0);
});

it('keeps a completed file for 30 days from its completion, and then nothing of it', async () => {
  const file = await stored();
  expect(await at.blobs.size(file.storagePath)).toBeUndefined();
  at.clock.pass(30 * DAY - 1);
  await reconcile(at);
  expect((await getFile(at, file)).size).toBe(5);
  at.clock.pass(1);
  await expect(getFile(at, file)).rejects.toMatchObject({ code: 'notFound', message: 'File not found' });
  expect((await listFiles(at, { organization, limit: 10 })).rows).toEqual([]);
  await reconcile(at);
  expect([await at.blobs.size(file.bytesAt), await rowOf(file.fileId)]).toEqual([undefined, undefined]);
});

it('deletes a file with its bytes, at once and for good', async () => {
  const file = await stored();
  await deleteFile(at, file);
  expect([await at.blobs.size(file.bytesAt), await rowOf(file.fileId)]).toEqual([undefined, undefined]);
  await expect(deleteFile(at, file)).rejects.toMatchObject({ code: 'notFound' });
  expect((await listFiles(at, { organization, limit: 10 })).rows).toEqual([]);
});

it('removes the bytes of a delete that died half-way', async () => {
  const file = await stored();
  const broken = { ...at, blobs: { ...at.blobs, remove: () => Promise.reject(new Error('died')) } };
  await expect(deleteFile(broken, file)).rejects.toThrow('died');
  await expect(getFile(at, file)).rejects.toMatchObject({ code: 'notFound' });
  await reconcile(at);
  expect([await at.blobs.size(file.bytesAt), await rowOf(file.fileId)]).toEqual([undefined, undefined]);
});

it('cares for the other rows when one fails, and says so', async () => {
  const [bad, good] = [await uploaded(), await uploaded()];
  at.clock.pass(DAY);
  const remove = async (key: string) => {
    if (key === bad.storagePath) throw new Error('no');
    return at.blobs.remove(key);
  };
  expect(await reconcile({ ...at, blobs: { ...at.blobs, remove } })).toBe(1);
  expect(await rowOf(good.fileId)).toBeUndefined();
  expect(await rowOf(bad.fileId)).toBeDefined();
  expect(at.lines.join('')).toContain('a due row could not be cared for');
});

it('leaves no copy behind when the bytes are refused', async () => {
  const upload = await uploaded();
  const copies: string[] = [];
  const copy = (from: string, to: string) => {
    copies.push(to);
    return at.blobs.copy(from, to);
  };
  const complete = completeUpload(
    { ...at, blobs: { ...at.blobs, copy } },
    { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 4 },
  );
  await expect(complete).rejects.toThrow('size is 4, but 5 bytes were uploaded');
  expect(await at.blobs.size(copies[0] ?? '')).toBeUndefined();
  expect(await at.blobs.size(upload.storagePath)).toBe(5);
  expect((await rowOf(upload.fileId))?.value).toMatchObject({ copies: [] });
});

it('lets one of two completions win, and compares the other with it', async () => {
  const upload = await uploaded();
  const complete = (mimeType: string) => completeUpload(at, { ...upload, fileName: 'a.txt', mimeType, size: 5 });
  const same = await Promise.allSettled([complete('a/b'), complete('a/b')]);
  expect(same.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  await expect(complete('c/d')).rejects.toThrow('completed before, with other fields');
});

it('goes on with the path of the first try when a request is repeated after a crash', async () => {
  const fileId = at.ids.uuid();
  const first = await requestUpload(at, { organization, fileId, fileName: 'a.txt' });
  at.clock.pass(5_000);
  const second = await requestUpload(at, { organization, fileId, fileName: 'a.txt' });
  expect(second.storagePath).toBe(first.storagePath);
});

it('answers six completions that overlap as one', async () => {
  for (let round = 0; round < 10; round++) {
    const upload = await uploaded();
    const complete = () => completeUpload(at, { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 5 });
    await expect(Promise.all(Array.from({ length: 6 }, complete))).resolves.toHaveLength(6);
  }
});

it('deletes what came through the upload address after the completion, too', async () => {
  const file = await stored();
  await putText(at.blobs, file.storagePath, 'later');
  await deleteFile(at, file);
  expect(await at.blobs.size(file.storagePath)).toBeUndefined();
});

/** Completes with a step of its own in between, and remembers where the copies lay. */
function completing(upload: Awaited<ReturnType<typeof uploaded>>, afterCopy: (to: string) => unknown = () => {}) {
  const copies: string[] = [];
  const copy = async (from: string, to: string) => {
    const copied = await at.blobs.copy(from, to);
    copies.push(to);
    await afterCopy(to);
    return copied;
  };
  const ports = { ...at, blobs: { ...at.blobs, copy } };
  const done = completeUpload(ports, { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 5 });
  return { done, copies };
}

const die = () => Promise.reject(new Error('died'));
const present = async (places: string[]) =>
  (await Promise.all(places.map((place) => at.blobs.size(place)))).filter((size) => size !== undefined).length;

it('removes the copy of a completion that died, with the upload, after 24 hours', async () => {
  const upload = await uploaded();
  const { done, copies } = completing(upload, die);
  await expect(done).rejects.toThrow('died');
  expect(await present(copies)).toBe(1);
  at.clock.pass(DAY);
  await reconcile(at);
  expect([await present(copies), await rowOf(upload.fileId)]).toEqual([0, undefined]);
});

it('removes the copies of completions that died when a repeated one makes the file, however many died', async () => {
  const upload = await uploaded();
  const dead: string[] = [];
  for (let died = 0; died < 55; died++) {
    const { done, copies } = completing(upload, die);
    await expect(done).rejects.toThrow('died');
    dead.push(...copies);
  }
  expect(await present(dead)).toBe(50);
  const { done, copies } = completing(upload);
  await done;
  expect([await present(dead), await present(copies)]).toEqual([0, 1]);
});

it('changes nothing of a file by a copy that comes late, and leaves none of it', async () => {
  const upload = await uploaded();
  const slow = completing(upload, async (to) => {
    await completing(upload).done;
    await putText(at.blobs, upload.storagePath, 'LATER');
    await at.blobs.copy(upload.storagePath, to);
  });
  await slow.done;
  const { bytesAt } = await getFile(at, upload);
  expect(await textOf(await at.blobs.read(bytesAt))).toBe('hello');
  expect(await present(slow.copies)).toBe(0);
});

it.each(['copy', 'read'] as const)('starts a completion anew that others took for dead at its %s', async (step) => {
  const upload = await uploaded();
  let isFirst = true;
  const blobs = {
    ...at.blobs,
    async [step](...given: [never, never]) {
      const done = await at.blobs[step](...given);
      if (!isFirst) return done;
      isFirst = false;
      for (let died = 0; died < 50; died++) await expect(completing(upload, die).done).rejects.toThrow('died');
      return done;
    },
  };
  await completeUpload({ ...at, blobs }, { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 5 });
  const { bytesAt } = await getFile(at, upload);
  expect(await textOf(await at.blobs.read(bytesAt))).toBe('hello');
});

it('answers sixty completions that overlap as one, and keeps one copy', async () => {
  const upload = await uploaded();
  const all = Array.from({ length: 60 }, () => completing(upload));
  await Promise.all(all.map(({ done }) => done));
  expect(await present(all.flatMap(({ copies }) => copies))).toBe(1);
});

it('makes no file of an upload whose time ends while it is copied', async () => {
  const upload = await uploaded();
  at.clock.pass(DAY - 1);
  const { done, copies } = completing(upload, () => {
    at.clock.pass(1);
    return reconcile(at);
  });
  await expect(done).rejects.toMatchObject({ code: 'notFound' });
  expect([await present(copies), await rowOf(upload.fileId)]).toEqual([0, undefined]);
});

it('fences a completion off before it removes its bytes, should their clocks differ', async () => {
  const upload = await uploaded();
  const [copied, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { done } = completing(upload, () => {
    copied.resolve();
    return resumed.promise;
  });
  await copied.promise;
  const remove = async (place: string) => {
    await at.blobs.remove(place);
    resumed.resolve();
    await done.catch(() => undefined);
  };
  const clock = { now: () => at.clock.now() + DAY };
  await reconcile({ ...at, clock, blobs: { ...at.blobs, remove } });
  await expect(done).rejects.toMatchObject({ code: 'notFound' });
  expect(await rowOf(upload.fileId)).toBeUndefined();
});

it('keeps a file as long, and takes one as large, as its stage says', async () => {
  const limited = { ...at, stageLimits: { keptDays: 2, maxFileBytes: 4 } };
  const upload = await uploaded();
  const completion = { ...upload, fileName: 'a.txt', mimeType: 'text/plain', size: 5 };
  await expect(completeUpload(limited, completion)).rejects.toThrow('A file has at most 4 bytes');
  const fitting = await uploaded();
  await completeUpload(
    { ...limited, stageLimits: { keptDays: 2 } },
    { ...fitting, fileName: 'a.txt', mimeType: 'text/plain', size: 5 },
  );
  at.clock.pass(2 * DAY - 1);
  expect((await getFile(at, fitting)).size).toBe(5);
  at.clock.pass(1);
  await expect(getFile(at, fitting)).rejects.toMatchObject({ code: 'notFound' });
});
