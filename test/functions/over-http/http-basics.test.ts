/** Behaviour that both APIs share. */
import { describe, expect, it } from 'vitest';
import { askUpload, call, keyOf, target } from './call.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const B_ERROR = {
  error: {
    code: expect.any(String),
    message: expect.any(String),
    details: expect.any(Object),
    request_id: expect.any(String),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  },
};

describe('every answer', () => {
  it('carries a request id and forbids caching', async () => {
    for (const reply of [await call('files', '/models', { as: 'shell' }), await call('files', '/nowhere')]) {
      expect(reply.headers.get('x-request-id')).toMatch(UUID);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it('keeps a valid request id of the caller, and returns it in the errors of API B', async () => {
    const headers = { 'x-request-id': 'order-77/a.b:c' };
    expect((await call('files', '/models', { as: 'shell', headers })).headers.get('x-request-id')).toBe(
      'order-77/a.b:c',
    );
    const { body } = await call('agents', '/api/v1/nowhere', { headers });
    expect(body.error).toMatchObject({ request_id: 'order-77/a.b:c' });
  });

  it.each(['a b', 'x'.repeat(129), 'a"b', 'a<b>'])('replaces the request id %j', async (id) => {
    const reply = await call('files', '/health', { headers: { 'x-request-id': id } });
    expect(reply.headers.get('x-request-id')).toMatch(UUID);
  });

  it.each([
    ['files', '/health'],
    ['agents', '/health'],
    ['agents', '/api/v1/health'],
  ] as const)('tells the health of %s at %s without a credential', async (api, path) => {
    const reply = await call(api, path);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });
});

describe('an unknown path or method', () => {
  it.each(['/nowhere', '/files/a/b/c', '/', '/%2e%2e/', '/files//complete'])(
    '%s answers 404 in the error format of API A',
    async (path) => {
      const reply = await call('files', path, { as: 'shell' });
      expect(reply.status).toBe(404);
      expect(reply.body).toEqual({ error: expect.any(String) });
    },
  );

  it('answers 404 in the error format of API B', async () => {
    const reply = await call('agents', '/api/v1/nowhere');
    expect(reply.status).toBe(404);
    expect(reply.body).toEqual(B_ERROR);
  });

  it('answers 405 to a wrong method, and lists the allowed ones', async () => {
    const reply = await call('files', '/files', { method: 'PATCH', as: 'shell' });
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toContain('POST');
    expect((await call('agents', '/health', { method: 'DELETE' })).body).toEqual(B_ERROR);
  });
});

describe('a credential', () => {
  it.each([{ authorization: '' }, {}, { 'x-api-key': '' }, { authorization: 'Basic YTpi' }] as Record<
    string,
    string
  >[])('is asked for when the headers are %j', async (headers) => {
    const reply = await call('files', '/models', { headers });
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(reply.body).toEqual({ error: expect.stringMatching(/API key/) });
  });

  it('is accepted in either header', async () => {
    expect((await call('files', '/models', { headers: { authorization: `Bearer ${keyOf('shell')}` } })).status).toBe(
      200,
    );
    expect((await call('files', '/models', { headers: { authorization: `bearer ${keyOf('shell')}` } })).status).toBe(
      200,
    );
    expect((await call('files', '/models', { headers: { 'x-api-key': keyOf('shell') } })).status).toBe(200);
  });

  it('as Bearer takes precedence over x-api-key, even when it is invalid', async () => {
    const headers = { authorization: 'Bearer errand_no_such', 'x-api-key': keyOf('shell') };
    expect((await call('files', '/models', { headers })).status).toBe(401);
  });

  it('with any one character altered is refused with the same message', async () => {
    const key = keyOf('shell');
    const missing = await call('files', '/models');
    for (let at = 0; at < key.length; at++) {
      const altered = key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1);
      const reply = await call('files', '/models', { headers: { 'x-api-key': altered } });
      expect([reply.status, reply.text], altered).toEqual([401, missing.text]);
    }
  });
});

describe('a body', () => {
  const send = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    call('files', '/files', { as: 'shell', raw, headers });

  it.each(['{', '{"fileName":"a.txt"', 'fileName=a', '\u0000', '{"fileName":"a.txt"}}', "{'fileName':'a'}", 'NaN'])(
    'that is not JSON gets 400: %j',
    async (raw) => {
      const reply = await send(raw);
      expect([reply.status, reply.body]).toEqual([400, { error: 'The body is not valid JSON.' }]);
    },
  );

  it('that is not UTF-8 gets 400', async () => {
    expect((await send(Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).status).toBe(400);
  });

  it.each(['[]', '"a"', '1', 'null', 'true', '{}', '{"filename":"a.txt"}', '{"fileName":null}', '{"fileName":""}'])(
    'without the fields, %s, gets 400 as if every field were missing',
    async (raw) => {
      const reply = await send(raw);
      expect([reply.status, reply.body]).toEqual([400, { error: 'Missing required fields' }]);
    },
  );

  it.each(['{"fileName":1}', '{"fileName":{}}', '{"fileName":["a"]}', '{"fileName":true}'])(
    'with a field of another type, %s, gets 400',
    async (raw) => {
      const reply = await send(raw);
      expect([reply.status, reply.body]).toEqual([400, { error: 'fileName must be a string' }]);
    },
  );

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])('as %s gets 415', async (type) => {
    const reply = await send('{"fileName":"a.txt"}', { 'content-type': type });
    expect([reply.status, Object.keys(reply.body)]).toEqual([415, ['error']]);
  });

  it('may name a charset in its Content-Type', async () => {
    expect((await send('{"fileName":"a.txt"}', { 'content-type': 'Application/JSON; charset=UTF-8' })).status).toBe(
      200,
    );
  });

  it('over 1 MB gets 413', async () => {
    const reply = await send(JSON.stringify({ fileName: 'a.txt', filler: 'x'.repeat(1_000_000) }));
    expect([reply.status, Object.keys(reply.body)]).toEqual([413, ['error']]);
  });

  it('nested a hundred thousand deep does no harm', async () => {
    const reply = await send(`{"fileName":"a.txt","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(reply.status).toBeLessThan(500);
  });

  it('with the names every object inherits does no harm', async () => {
    const reply = await send('{"__proto__":{"fileName":"a.txt"},"constructor":{"prototype":{"fileName":"b"}}}');
    expect([reply.status, reply.body]).toEqual([400, { error: 'Missing required fields' }]);
    expect((await call('files', '/models', { as: 'shell' })).status).toBe(200);
  });
});

describe('an id', () => {
  const unknown = '01890000-0000-7000-8000-000000000000';

  it('that is malformed or of another organization is answered byte for byte like an unknown one', async () => {
    const { body } = await askUpload('stranger');
    const odd = ['x', '%00', `${unknown}x`, unknown.toUpperCase(), 'a'.repeat(3_000), '💥', '-1', "'"];
    const never = await call('files', `/files/${unknown}`, { as: 'shell' });
    expect([never.status, never.body]).toEqual([404, { error: 'File not found' }]);
    for (const id of [body.fileId, ...odd]) {
      const path = `/files/${id}`;
      const reply = await call('files', path, { as: 'shell' });
      expect([reply.status, reply.text], path).toEqual([never.status, never.text]);
    }
  });

  // An HTTP API of AWS decodes paths itself: it refuses %zz in its own words, and %2f reaches us as a slash.
  it.each(['%zz', 'a%2fb'])('of %s finds nothing either', async (id) => {
    expect([400, 404]).toContain((await call('files', `/files/${id}`, { as: 'shell' })).status);
  });
});

describe('CORS', () => {
  const allowed = { origin: target.origin };

  it('answers OPTIONS with 204 before any credential', async () => {
    const reply = await call('files', '/files', { method: 'OPTIONS', headers: allowed });
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(reply.headers.get('access-control-allow-origin')).toBe(target.origin);
    const headers = reply.headers.get('access-control-allow-headers')?.split(', ');
    expect(headers).toEqual(['authorization', 'x-api-key', 'content-type', 'idempotency-key', 'x-request-id']);
    expect((await call('agents', '/api/v1/tasks', { method: 'OPTIONS', headers: allowed })).status).toBe(204);
  });

  it('lets a page of an allowed origin read answers, errors and headers', async () => {
    for (const reply of [
      await call('files', '/models', { headers: allowed }),
      await call('files', '/health', { headers: allowed }),
    ]) {
      expect(reply.headers.get('access-control-allow-origin')).toBe(target.origin);
      expect(reply.headers.get('access-control-expose-headers')?.split(', ')).toEqual([
        'x-request-id',
        'retry-after',
        'ratelimit',
        'ratelimit-policy',
        'idempotent-replayed',
        'x-errand-warnings',
      ]);
    }
  });

  it.each(['https://evil.org', 'null', 'http://localhost.evil.org', 'http://127.0.0.1.evil.org:80'])(
    'sends no CORS headers to %s',
    async (origin) => {
      const reply = await call('files', '/health', { headers: { origin } });
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
      expect(reply.headers.get('vary')).toBe('origin');
    },
  );
});
