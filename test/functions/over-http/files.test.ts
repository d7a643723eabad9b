/** Files: upload to a signed URL, download from a signed URL. */
import { describe, expect, it } from 'vitest';
import { askUpload, call, target } from './call.ts';

type Upload = { fileId: string; storagePath: string; uploadUrl: string };

async function uploadFile(bytes: string, fileName = 'a.txt'): Promise<Upload> {
  const { body } = await askUpload('files', {}, fileName);
  const upload = body as Upload;
  const stored = await fetch(upload.uploadUrl, {
    method: 'PUT',
    headers: { 'content-type': 'text/plain' },
    body: bytes,
  });
  expect(stored.status).toBe(200);
  return upload;
}

const complete = ({ fileId, storagePath }: Upload, fields: object) =>
  call('files', `/files/${fileId}/complete`, {
    as: 'files',
    json: { fileName: 'a.txt', mimeType: 'text/plain', size: 5, storagePath, ...fields },
  });

describe('a signed upload', () => {
  it('stores the bytes and returns them unchanged', async () => {
    const upload = await uploadFile('hello', 'übung 1.txt');
    const path = new RegExp(`^[^/]+/${target.organizations.files.id}/\\d{13}-übung 1\\.txt$`);
    expect(upload.storagePath).toMatch(path);

    const completed = await complete(upload, { fileName: 'übung 1.txt' });
    expect([completed.status, completed.body]).toEqual([201, { fileId: upload.fileId }]);

    const before = Date.now();
    const { status, body } = await call('files', `/files/${upload.fileId}`, { as: 'files' });
    expect(status).toBe(200);
    expect(body).toEqual({
      fileId: upload.fileId,
      fileName: 'übung 1.txt',
      mimeType: 'text/plain',
      size: 5,
      url: expect.any(String),
      urlExpiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      createdAt: expect.stringMatching(/\.\d{3}Z$/),
    });
    expect(Date.parse(String(body.urlExpiresAt)) - before).toBeGreaterThan(599_000);
    expect(Date.parse(String(body.urlExpiresAt)) - Date.now()).toBeLessThanOrEqual(600_000);

    const download = await fetch(String(body.url));
    expect([download.status, await download.text()]).toEqual([200, 'hello']);
    expect(download.headers.get('content-disposition')).toMatch(/^attachment;.*filename\*=UTF-8''%C3%BCbung%201\.txt/);
  });

  it('never issues a storage path twice', async () => {
    const offers = await Promise.all(Array.from({ length: 30 }, () => askUpload('files')));
    expect(new Set(offers.map(({ body }) => body.storagePath)).size).toBe(30);
  });

  it('keeps hostile names inside the folder of the organization', async () => {
    for (const name of [
      '../../etc/passwd',
      '..',
      '/',
      'a/../../b',
      '\\\\host\\share',
      'a\u0000b',
      '\u202Eexe.txt',
      '.',
    ]) {
      const { status, body } = await askUpload('files', {}, name);
      expect(status, name).toBe(200);
      expect(body.storagePath, name).toMatch(
        new RegExp(`^[^/]+/${target.organizations.files.id}/\\d{13}-[^/\\\\\u0000]+$`),
      );
    }
  });

  it('is not a file before it is completed', async () => {
    const { fileId } = await uploadFile('hello');
    const reply = await call('files', `/files/${fileId}`, { as: 'files' });
    expect([reply.status, reply.body]).toEqual([404, { error: 'File not found' }]);
  });
});

describe('complete', () => {
  it('may be repeated with the same fields, and not with different ones', async () => {
    const upload = await uploadFile('hello');
    expect((await complete(upload, {})).status).toBe(201);
    expect((await complete(upload, {})).status).toBe(201);
    expect((await complete(upload, { mimeType: 'text/csv' })).status).toBe(400);
  });

  it.each(['fileName', 'mimeType', 'size', 'storagePath'])('requires %s', async (field) => {
    const upload = await uploadFile('hello');
    for (const missing of [undefined, null]) {
      const reply = await complete(upload, { [field]: missing });
      expect([reply.status, reply.body]).toEqual([400, { error: 'Missing required fields' }]);
    }
  });

  it.each([{ size: '5' }, { size: 1.5 }, { size: -1 }, { size: {} }, { mimeType: 5 }])('refuses %j', async (fields) => {
    expect((await complete(await uploadFile('hello'), fields)).status).toBe(400);
  });

  it.each(['not a mime\r\nx: y', 'text', 'text/plain\n'])('refuses the malformed mimeType %j', async (mimeType) => {
    const reply = await complete(await uploadFile('hello'), { mimeType });
    expect([reply.status, reply.body]).toEqual([
      400,
      { error: 'mimeType is not a valid MIME type. Give one such as application/pdf' },
    ]);
  });

  it('keeps a mimeType as sent, including its parameters', async () => {
    const upload = await uploadFile('hello');
    expect((await complete(upload, { mimeType: 'Text/Plain; charset=utf-8' })).status).toBe(201);
    const { body } = await call('files', `/files/${upload.fileId}`, { as: 'files' });
    expect(body.mimeType).toBe('Text/Plain; charset=utf-8');
  });

  it('refuses another size, naming both', async () => {
    const reply = await complete(await uploadFile('hello'), { size: 6 });
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatch(/6.*5/);
  });

  it('refuses a wrong storage path and an upload whose bytes are missing', async () => {
    const upload = await uploadFile('hello');
    expect((await complete({ ...upload, storagePath: `${upload.storagePath}x` }, {})).status).toBe(400);
    const { body } = await askUpload('files');
    const reply = await complete(body as Upload, {});
    expect([reply.status, reply.body]).toEqual([400, { error: 'Upload not found' }]);
  });

  it('does not find the files of other organizations', async () => {
    const { body } = await askUpload('stranger');
    const reply = await complete(body as Upload, {});
    expect([reply.status, reply.body]).toEqual([404, { error: 'File not found' }]);
  });

  it('is not changed by a later upload through the still valid URL', async () => {
    const upload = await uploadFile('hello');
    await complete(upload, {});
    await fetch(upload.uploadUrl, { method: 'PUT', body: 'HELLO' });
    const { body } = await call('files', `/files/${upload.fileId}`, { as: 'files' });
    expect(await (await fetch(String(body.url))).text()).toBe('hello');
  });
});

describe('reading and deleting', () => {
  const completeFile = async (bytes = 'hello') => {
    const upload = await uploadFile(bytes);
    expect((await complete(upload, { size: bytes.length })).status).toBe(201);
    return upload;
  };

  it('lists the newest first, page by page', async () => {
    const made = [await completeFile(), await completeFile(), await completeFile()];
    const first = await call('files', '/files?limit=2', { as: 'files' });
    expect(first.status).toBe(200);
    const [newest] = first.body.files as Record<string, unknown>[];
    expect(newest).toEqual({
      fileId: made[2]?.fileId,
      fileName: 'a.txt',
      mimeType: 'text/plain',
      size: 5,
      createdAt: expect.stringMatching(/Z$/),
    });
    const next = encodeURIComponent(String(first.body.nextCursor));
    const second = await call('files', `/files?limit=1&cursor=${next}`, { as: 'files' });
    const ids = [...(first.body.files as Upload[]), ...(second.body.files as Upload[])].map(({ fileId }) => fileId);
    expect(ids).toEqual(made.toReversed().map(({ fileId }) => fileId));
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=x',
    'limit=',
    'limit=-1',
    'cursor=%3D',
    'cursor=x',
    'cursor=QUJD',
    'limit=1&limit=2',
  ])('refuses ?%s', async (query) => {
    const reply = await call('files', `/files?${query}`, { as: 'files' });
    expect([reply.status, Object.keys(reply.body)]).toEqual([400, ['error']]);
  });

  it('deletes a file, once', async () => {
    const { fileId } = await completeFile();
    const path = `/files/${fileId}`;
    expect((await call('files', path, { as: 'stranger', method: 'DELETE' })).status).toBe(404);
    const { body } = await call('files', path, { as: 'files' });
    const gone = await call('files', path, { as: 'files', method: 'DELETE' });
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE'])
      expect((await call('files', path, { as: 'files', method })).status).toBe(404);
    expect((await fetch(String(body.url))).status).toBe(404);
    const { files } = (await call('files', '/files?limit=100', { as: 'files' })).body as { files: Upload[] };
    expect(files.map((file) => file.fileId)).not.toContain(fileId);
  });

  it('refuses bytes that do not match the file name, and accepts matching bytes afterwards', async () => {
    const upload = await uploadFile('MZ\u0000\u0001');
    const reply = await complete(upload, { size: 4 });
    expect([reply.status, reply.body]).toEqual([400, { error: 'Unsupported file type' }]);
    expect((await complete(upload, { fileName: 'a.exe', size: 4 })).body).toEqual({
      error: 'Unsupported file type: .exe',
    });
    await fetch(upload.uploadUrl, { method: 'PUT', body: 'text' });
    expect((await complete(upload, { size: 4 })).status).toBe(201);
  });

  it('refuses an empty upload', async () => {
    expect((await complete(await uploadFile(''), { size: 0 })).body).toEqual({ error: 'The uploaded file is empty' });
  });
});
