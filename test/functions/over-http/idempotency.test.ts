/** Idempotency keys: repeated requests with one key start one task. */
import { expect, it } from 'vitest';
import { askUpload, call } from './call.ts';

let keys = 0;
const freshKey = () => ({ 'idempotency-key': `key-${Date.now()}-${keys++}` });

it('replays the first answer to a repeat, marked as a replay, with its URL signed again', async () => {
  const key = freshKey();
  const first = await askUpload('idempotency', key);
  const second = await askUpload('idempotency', key);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.status).toBe(first.status);
  expect(second.body).toEqual({ ...first.body, uploadUrl: expect.any(String) });
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  const put = await fetch(String(second.body.uploadUrl), { method: 'PUT', body: 'bytes' });
  expect(put.status).toBe(200);
});

it('creates one resource for twenty concurrent calls', async () => {
  const key = freshKey();
  const replies = await Promise.all(Array.from({ length: 20 }, () => askUpload('idempotency', key)));
  const succeeded = replies.filter(({ status }) => status === 200);
  expect(new Set(succeeded.map(({ body }) => body.fileId)).size).toBe(1);
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    expect(reply.status).toBe(409);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  }
});

it('refuses another body under the same key with 422', async () => {
  const key = freshKey();
  await askUpload('idempotency', key, 'a.txt');
  const reply = await askUpload('idempotency', key, 'b.txt');
  expect([reply.status, Object.keys(reply.body)]).toEqual([422, ['error']]);
  expect((await askUpload('idempotency', key, 'a.txt')).headers.get('idempotent-replayed')).toBe('true');
});

it('replays a 404', async () => {
  const request = {
    as: 'idempotency',
    headers: freshKey(),
    json: { fileName: 'a', mimeType: 'b', size: 1, storagePath: 'c' },
  } as const;
  const path = '/files/01890000-0000-7000-8000-000000000000/complete';
  const first = await call('files', path, request);
  const second = await call('files', path, request);
  expect([first.status, second.status, second.text]).toEqual([404, 404, first.text]);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
});

it('does not replay a 400: the key may be used again', async () => {
  const key = freshKey();
  expect((await call('files', '/files', { as: 'idempotency', headers: key, json: {} })).status).toBe(400);
  const reply = await askUpload('idempotency', key);
  expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, null]);
});

it('keeps the keys of organizations apart', async () => {
  const key = freshKey();
  const mine = await askUpload('idempotency', key);
  const theirs = await askUpload('stranger', key);
  expect(theirs.headers.get('idempotent-replayed')).toBeNull();
  expect(theirs.body.fileId).not.toBe(mine.body.fileId);
});

it.each(['', 'x'.repeat(256)])('refuses a key of a wrong length: %j', async (key) => {
  expect((await askUpload('idempotency', { 'idempotency-key': key })).status).toBe(400);
});

it('accepts a key of 255 characters', async () => {
  expect((await askUpload('idempotency', { 'idempotency-key': `${Date.now()}`.padEnd(255, 'x') })).status).toBe(200);
});

it('is checked after the credential', async () => {
  expect((await call('files', '/files', { headers: freshKey(), json: { fileName: 'a' } })).status).toBe(401);
});
