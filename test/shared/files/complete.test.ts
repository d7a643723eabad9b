/** Concurrent completions and uploads: a file's content is what was checked, and never changes. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deleteFile } from '../../../shared/files/cleanup.ts';
import { type File, fileKey, uploadKey } from '../../../shared/files/file.ts';
import { getFile } from '../../../shared/files/get-file.ts';
import { completeUpload, requestUpload } from '../../../shared/files/upload.ts';
import type { Blobs, Bytes } from '../../../shared/ports.ts';
import { textOf } from '../../ports/streams.ts';
import { openFiles, putText } from './setup.ts';

const organization = 'org';

let at: ReturnType<typeof openFiles>;
beforeEach(() => {
  at = openFiles();
});
afterEach(() => at.close());

async function offerUpload(fileName = 'a.txt') {
  const fileId = at.ids.uuid();
  const { storagePath } = await requestUpload(at, { organization, fileId, fileName });
  return { organization, fileId, storagePath, place: uploadKey(organization, fileId, at.clock.now()) };
}
type Offered = Awaited<ReturnType<typeof offerUpload>>;

const putBytes = ({ place }: Offered, text: string) => putText(at.blobs, place, text);

async function uploadFile(text = 'hello') {
  const upload = await offerUpload();
  await putBytes(upload, text);
  return upload;
}

const complete = (
  upload: Offered,
  change: Partial<Parameters<typeof completeUpload>[1]> = {},
  blobs: Partial<Blobs> = {},
) =>
  completeUpload(
    { ...at, blobs: { ...at.blobs, ...blobs } },
    { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 5, ...change },
  );

const contentOf = async (upload: Offered) => textOf(await at.blobs.read((await getFile(at, upload)).bytesAt));
const stateOf = async ({ fileId }: Offered) => (await at.table.get<File>(fileKey(organization, fileId)))?.value.state;

it('is not changed by later uploads through the signed URL', async () => {
  const upload = await uploadFile();
  await complete(upload);
  for (const text of ['HELLO', '', 'x'.repeat(70_000)]) {
    await putBytes(upload, text);
    expect(await contentOf(upload)).toBe('hello');
    await complete(upload);
  }
  await expect(complete(upload, { size: 70_000 })).rejects.toThrow('completed before, with other fields');
});

it('uses the newest upload', async () => {
  const upload = await uploadFile('hello, first');
  await putBytes(upload, 'again');
  await complete(upload);
  expect(await contentOf(upload)).toBe('again');
});

it('writes one row once, and reads the bytes once', async () => {
  const upload = await uploadFile();
  const calls: string[] = [];
  const blobs = new Proxy(at.blobs, {
    get(target, name: keyof Blobs) {
      calls.push(name);
      return target[name];
    },
  });
  const replace: typeof at.table.replace = (...args) => {
    calls.push('row');
    return at.table.replace(...args);
  };
  await completeUpload(
    { ...at, blobs, table: { ...at.table, replace } },
    { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 5 },
  );
  expect(calls).toEqual(['arrived', 'keep', 'row']);
});

it('gives the same answer to sixty concurrent completions', async () => {
  const upload = await uploadFile();
  await expect(Promise.all(Array.from({ length: 60 }, () => complete(upload)))).resolves.toHaveLength(60);
  expect(await contentOf(upload)).toBe('hello');
});

it('never loses the checked version during concurrent completions and uploads', async () => {
  for (let round = 0; round < 20; round++) {
    const upload = await uploadFile();
    const calls = [
      complete(upload),
      putBytes(upload, 'HELLO'),
      complete(upload),
      putBytes(upload, 'longer'),
      complete(upload),
    ];
    const ended = await Promise.allSettled(calls);
    const isStored = (await stateOf(upload)) === 'stored';
    expect(ended.filter(({ status }) => status === 'rejected').length > 0 && isStored).toBe(false);
    if (isStored) expect(['hello', 'HELLO']).toContain(await contentOf(upload));
    else await expect(complete(upload, { size: 6 })).resolves.toBeUndefined();
  }
});

it('checks again when another upload arrives during the check', async () => {
  const upload = await uploadFile();
  let isFirst = true;
  const keep = async (place: string) => {
    if (isFirst) await putBytes(upload, 'HELLO');
    isFirst = false;
    return at.blobs.keep(place);
  };
  await complete(upload, {}, { keep });
  expect(await contentOf(upload)).toBe('HELLO');
});

it('answers with the file of a concurrent completion, even if newer bytes would be refused', async () => {
  const meanwhile = (upload: Offered) => ({
    async arrived(...args: Parameters<Blobs['arrived']>) {
      await complete(upload);
      await putBytes(upload, 'larger');
      return at.blobs.arrived(...args);
    },
  });
  const [sameUpload, otherUpload] = [await uploadFile(), await uploadFile()];
  await complete(sameUpload, {}, meanwhile(sameUpload));
  await expect(complete(otherUpload, { size: 4 }, meanwhile(otherUpload))).rejects.toThrow(
    'completed before, with other fields',
  );
  expect(await contentOf(sameUpload)).toBe('hello');
});

it('answers not found if the file was deleted during another completion', async () => {
  const upload = await uploadFile();
  const keep = async (place: string) => {
    await complete(upload);
    await deleteFile(at, upload);
    return at.blobs.keep(place);
  };
  await expect(complete(upload, {}, { keep })).rejects.toMatchObject({ code: 'notFound' });
  expect(await at.blobs.size(upload.place)).toBeUndefined();
});

it('creates no file if its row cannot be written, and creates it on the next request', async () => {
  const upload = await uploadFile();
  const replace = () => Promise.reject(new Error('died'));
  const request = { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 5 };
  await expect(completeUpload({ ...at, table: { ...at.table, replace } }, request)).rejects.toThrow('died');
  await putBytes(upload, 'HELLO');
  await complete(upload);
  expect(await contentOf(upload)).toBe('HELLO');
});

it('refuses an upload that is missing, empty, of another size or too large, and accepts a valid one afterwards', async () => {
  const upload = await offerUpload();
  await expect(complete(upload)).rejects.toThrow('Upload not found');
  await putBytes(upload, '');
  await expect(complete(upload, { size: 0 })).rejects.toThrow('The uploaded file is empty');
  await expect(complete(upload)).rejects.toThrow('size is 5, but 0 bytes were uploaded');
  await putBytes(upload, 'larger');
  await expect(complete(upload)).rejects.toThrow('size is 5, but 6 bytes were uploaded');
  const limited = { ...at, stageLimits: { keptDays: 1, maxFileBytes: 5 } };
  const request = { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 6 };
  await expect(completeUpload(limited, request)).rejects.toThrow('A file has at most 5 bytes');
  expect(await at.blobs.size(upload.place)).toBeUndefined();
  await putBytes(upload, 'fits.');
  await completeUpload(limited, { ...request, size: 5 });
  expect(await contentOf(upload)).toBe('fits.');
});

it('removes only the version that is too large, not a later one', async () => {
  const upload = await uploadFile('larger');
  const limited = { ...at, stageLimits: { keptDays: 1, maxFileBytes: 5 } };
  const remove = async (place: string) => {
    await putBytes(upload, 'hello');
    await complete(upload);
    return at.blobs.remove(place);
  };
  const request = { ...upload, fileName: 'a.txt', mimeType: 'a/b', size: 5 };
  await completeUpload({ ...limited, blobs: { ...at.blobs, remove } }, request);
  expect(await contentOf(upload)).toBe('hello');
});

/** An encrypted file whose entries are far behind its head. */
function lockedBytes(entry: string): Buffer {
  const bytes = Buffer.alloc(300_000);
  bytes.write('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 0, 'latin1');
  bytes.writeUInt16LE(9, 30);
  bytes.writeUInt32LE(400, 48);
  bytes.write(entry, 401 * 512, 'utf16le');
  return bytes;
}

async function* whole(bytes: Buffer): Bytes {
  yield bytes;
}

it('reads more of an encrypted file from the same version that it checks', async () => {
  const upload = await offerUpload('a.docx');
  const bring = (entry: string) => at.blobs.put(upload.place, whole(lockedBytes(entry)), { maxBytes: 1e6 });
  const fields = { fileName: 'a.docx', size: 300_000 };
  await bring('WordDocument');
  await expect(complete(upload, fields)).rejects.toThrow('Unsupported file type');
  await bring('EncryptedPackage');
  let isFirst = true;
  const read: Blobs['read'] = async (...args) => {
    if (isFirst) await bring('WordDocument');
    isFirst = false;
    return at.blobs.read(...args);
  };
  // Here the newer version replaces the older one, elsewhere both stay; the checked version is the one that is refused or stored.
  await expect(complete(upload, fields, { read })).rejects.toThrow('Unsupported file type');
  await bring('EncryptedPackage');
  await complete(upload, fields);
});
