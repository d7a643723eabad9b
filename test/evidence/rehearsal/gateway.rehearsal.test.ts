/** Behaviour that exists only on AWS: the gateway's own limits and refusals, and URLs signed with a role's credentials. */
import { describe, expect, it } from 'vitest';
import { askUpload, call, keyOf, target } from '../../functions/over-http/call.ts';

const { origin: root } = new URL(target.filesAndTasks);

it('answers at the root of an API, where load balancers look', async () => {
  const reply = await fetch(`${root}/health`);
  expect([reply.status, await reply.json()]).toEqual([200, { status: 'ok', version: expect.any(String) }]);
});

it('marks every answer with an id of its own', async () => {
  const [first, second] = [await call('files', '/health'), await call('files', '/nowhere')];
  expect(first.headers.get('apigw-requestid')).toMatch(/=$/);
  expect(second.headers.get('apigw-requestid')).not.toBe(first.headers.get('apigw-requestid'));
});

describe('the gateway, before our own code', () => {
  const send = (bytes: number) =>
    call('files', '/files', { as: 'shell', json: { fileName: 'a', filler: 'x'.repeat(bytes) } });

  it('refuses bodies above its own limit or that of Lambda; the product refuses smaller ones', async () => {
    for (const bytes of [10_500_000, 6_300_000]) {
      const reply = await send(bytes);
      expect([reply.status, reply.body]).toEqual([413, { message: 'Request Entity Too Large' }]);
    }
    const reply = await send(6_000_000);
    expect([reply.status, reply.body]).toEqual([413, { error: expect.any(String) }]);
  });

  it('refuses more than 10,240 bytes of headers', async () => {
    const reply = await call('files', '/health', { headers: { 'x-filler': 'x'.repeat(10_240) } });
    expect([reply.status, reply.body]).toEqual([431, { message: 'Request Header Fields Too Large' }]);
  });

  it('refuses a path that it cannot decode', async () => {
    const reply = await call('files', '/files/%zz', { as: 'shell' });
    expect([reply.status, reply.body]).toEqual([400, { message: 'Bad Request' }]);
  });
});

it.each(['application/x-www-form-urlencoded', 'application/octet-stream', 'image/png'])(
  'reads a body that comes in base64 because it is %s',
  async (type) => {
    const headers = { 'content-type': type };
    const reply = await call('files', '/files', { as: 'shell', raw: '{"fileName":"a.txt"}', headers });
    expect([reply.status, Object.keys(reply.body)]).toEqual([415, ['error']]);
  },
);

it('keeps all headers and joins repeated ones', async () => {
  const headers = new Headers({ 'x-api-key': keyOf('shell'), cookie: 'a=1; b=2' });
  for (const part of ['one', 'two']) headers.append('x-request-id', part);
  const reply = await fetch(`${target.filesAndTasks}/models`, { headers });
  expect(reply.status).toBe(200);
  // Two ids joined by a comma are not a valid request id, so the product makes its own.
  expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

describe('a presigned URL', () => {
  it('is signed by the function and is valid for no other path or method', async () => {
    const { body } = await askUpload('files');
    const address = new URL(String(body.uploadUrl));
    expect(address.searchParams.get('X-Amz-Security-Token')).toMatch(/^rehearsal\.files-and-tasks\./);
    const other = new URL(address);
    other.pathname += 'x';
    const unsigned = new URL(address.pathname, address);
    for (const wrong of [other, unsigned]) {
      expect((await fetch(wrong, { method: 'PUT', body: 'x' })).status).toBe(403);
    }
    expect((await fetch(address, { method: 'DELETE' })).status).toBe(403);
    expect((await fetch(address, { method: 'PUT', body: 'x' })).status).toBe(200);
  });
});
