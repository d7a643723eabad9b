import { describe, expect, it } from 'vitest';
import { agents, ErrandError, filesAndTasks } from '../../client/src/index.ts';
import { answering, json, type Reply } from './server.ts';

const TASK = { taskId: '01900000-0000-7000-8000-00000000abcd' };
const NEW_TASK = {
  namespace: 'a',
  delivery: { type: 'webhook', config: { endpoint: 'https://hooks.acme.org/' } },
  input: { type: 'chat', prompt: 'What is due?' },
} as const;

const over = (baseUrl: string, more: object = {}) => filesAndTasks({ baseUrl, apiKey: 'errand_a_b', ...more });

async function failing(replies: Reply[], more: object = {}): Promise<ErrandError & { asked: number }> {
  await using server = await answering(replies);
  const error = await over(server.url, more)
    .models()
    .catch((each: unknown) => each);
  expect(error).toBeInstanceOf(ErrandError);
  return Object.assign(error as ErrandError, { asked: server.got.length });
}

describe('a task without a receiver and a namespace', () => {
  it('names the discarding endpoint of its service and the namespace `default`', async () => {
    await using server = await answering([json(201, TASK)]);
    await over(`${server.url}/api/v1/`).tasks.create({ input: NEW_TASK.input });
    expect(server.got.map(({ body }) => JSON.parse(body))).toEqual([
      {
        namespace: 'default',
        delivery: { type: 'webhook', config: { endpoint: `${server.url}/api/v1/webhooks/discard` } },
        input: NEW_TASK.input,
      },
    ]);
  });
});

describe('a call that fails temporarily', () => {
  it.each([
    ['a cut connection', 'cut' as Reply],
    ['500', json(500, { error: 'Internal server error' })],
    [
      'a gateway that answers 502 with a page',
      { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } },
    ],
    ['503', json(503, { error: 'busy' }, { 'retry-after': '0' })],
    ['429', json(429, { error: 'slowly' }, { 'retry-after': '0' })],
    ['409 of a first call that is still running', json(409, { error: 'still running' })],
  ])('by %s is retried with the same idempotency key', async (_, reply) => {
    await using server = await answering([reply, reply, json(201, TASK)]);
    expect(await over(server.url).tasks.create(NEW_TASK)).toEqual(TASK);
    const keys = server.got.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(server.got.map(({ body }) => JSON.parse(body))).toEqual([NEW_TASK, NEW_TASK, NEW_TASK]);
  });

  it('waits as long as Retry-After says', async () => {
    await using server = await answering([json(429, { error: 'slowly' }, { 'retry-after': '1' }), json(201, TASK)]);
    await over(server.url).tasks.create(NEW_TASK);
    const [first, second] = server.got;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it('waits until the time that a gateway states', async () => {
    const at = new Date(Date.now() + 900_000).toUTCString();
    const { retryAfterSeconds, asked } = await failing([json(503, { message: 'busy' }, { 'retry-after': at })]);
    expect(retryAfterSeconds).toBeGreaterThan(890);
    expect(retryAfterSeconds).toBeLessThanOrEqual(900);
    expect(asked).toBe(1);
  });

  it('fails at once when the wait would be too long, and states its end', async () => {
    const { code, retryAfterSeconds, asked, remedy } = await failing([
      json(429, { error: 'slowly' }, { 'retry-after': '900' }),
    ]);
    expect({ code, retryAfterSeconds, asked }).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterSeconds: 900,
      asked: 1,
    });
    expect(remedy).toContain('retryAfterSeconds');
  });

  it('stops after the maximum number of attempts', async () => {
    const { code, asked } = await failing([json(500, { error: 'Internal server error' })], { retries: 2 });
    expect({ code, asked }).toEqual({ code: 'INTERNAL_ERROR', asked: 3 });
  });

  it('succeeds if its first attempt has deleted the file', async () => {
    await using server = await answering(['cut', json(404, { error: 'File not found' })]);
    await over(server.url).files.delete('a');
    await using never = await answering([json(404, { error: 'File not found' })]);
    await expect(over(never.url).files.delete('a')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a permanent failure', () => {
  it.each([400, 401, 403, 404, 413, 415, 422])('after %i is not retried', async (status) => {
    const { status: told, message, asked } = await failing([json(status, { error: 'Not so.' })]);
    expect({ told, message, asked }).toEqual({ told: status, message: 'Not so.', asked: 1 });
  });

  it('says of a file that cannot be read that another one is needed', async () => {
    await using server = await answering([json(422, { error: 'The file is damaged.' })]);
    const error = await over(server.url)
      .files.text('a')
      .catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'FILE_NOT_READABLE', message: 'The file is damaged.', status: 422 });
    expect((error as ErrandError).remedy).toContain('cannot be read');
  });

  it.each([
    ['a page of HTML', { status: 200, body: '<html>Welcome', headers: { 'content-type': 'text/html' } }],
    ['an empty answer', { status: 200 }],
    ['a page that is not there', { status: 404, body: '<html>No', headers: { 'content-type': 'text/html' } }],
    ['a JSON that is none of ours', json(404, { status: 404, path: '/models' })],
  ] as [string, Reply][])('says that %s is not Errand', async (_, reply) => {
    const { code, asked, remedy } = await failing([reply]);
    expect({ code, asked }).toEqual({ code: 'NOT_ERRAND', asked: 1 });
    expect(remedy).toContain('proxy');
  });

  it('recognizes the errors of the gateway', async () => {
    expect(await failing([json(413, { message: 'Request Entity Too Large' })])).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'Request Entity Too Large',
    });
  });

  it('reports a malformed list as not from Errand', async () => {
    await using server = await answering([json(200, { status: 'up' })]);
    await expect(over(server.url).tasks.list().next()).rejects.toMatchObject({ code: 'NOT_ERRAND' });
    await expect(over(server.url).workflows().next()).rejects.toMatchObject({ code: 'NOT_ERRAND' });
    await expect(over(server.url).rulesets().next()).rejects.toMatchObject({ code: 'NOT_ERRAND' });
    const people = agents({ rootUrl: server.url, accessToken: 'token' });
    await expect(people.list().next()).rejects.toMatchObject({ code: 'NOT_ERRAND' });
  });

  it('carries the request id of the response, also of a proxy', async () => {
    expect(await failing([json(404, { error: 'No' }, { 'x-request-id': 'ours' })])).toHaveProperty('requestId', 'ours');
    const gateway = json(413, { message: 'Too large' }, { 'apigw-requestid': 'its' });
    expect(await failing([gateway])).toHaveProperty('requestId', 'its');
    const page = { status: 403, body: '<html>', headers: { 'x-request-id': 'page' } };
    expect(await failing([page])).toMatchObject({ code: 'NOT_ERRAND', requestId: 'page' });
  });

  it.each(['', 'errand.acme.org', 'ftp://acme.org', 'not an address'])('rejects the URL %j before a request', (url) => {
    expect(() => over(url)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
    expect(() => agents({ rootUrl: url })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
    const wrongSocket = { rootUrl: 'https://errand.acme.org', wsUrl: url };
    expect(() => agents(wrongSocket)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
  });

  it.each(['bad\nkey', 'bad✓key', 'a\u0000b'])(
    'rejects %j in a header before a request, and does not show it',
    async (spoilt) => {
      await using server = await answering(['hang']);
      const calls = [
        async () => over(server.url, { apiKey: spoilt }),
        async () => agents({ rootUrl: server.url, accessToken: spoilt }),
        async () => agents({ rootUrl: server.url, apiKey: spoilt }),
        () => over(server.url).tasks.create(NEW_TASK, { idempotencyKey: spoilt }),
        () => over(server.url).files.upload(new Blob(['a']), { fileName: 'a', mimeType: spoilt }),
      ];
      for (const call of calls) {
        const error = await call().catch((each) => each);
        expect(error).toMatchObject({ code: 'BAD_OPTION', name: 'ErrandError' });
        expect(JSON.stringify([error, error.message, error.remedy])).not.toContain('bad');
      }
      expect(server.got).toEqual([]);
    },
  );

  it.each(['', '.', '..', '\ud800', undefined as never])('rejects %j as an id before a request', async (id) => {
    await using server = await answering(['hang']);
    const people = agents({ rootUrl: server.url, accessToken: 'token' });
    const { files, tasks } = over(server.url);
    for (const call of [files.get, files.delete, tasks.get, tasks.wait, tasks.cancel, people.status, people.results]) {
      await expect(call(id)).rejects.toMatchObject({ code: 'BAD_OPTION' });
    }
    expect(server.got).toEqual([]);
  });

  it('calls the agent API with an API key and no login, and reports a rejected key', async () => {
    const refusal = json(401, { error: { code: 'UNAUTHORIZED', message: 'Missing or invalid', details: {} } });
    await using server = await answering([json(200, { limits: [] }), refusal]);
    const people = agents({ rootUrl: server.url, apiKey: 'errand_a_b\n' });
    await people.usage();
    await expect(people.usage()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(server.got.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer errand_a_b'));
  });

  it('accepts a key that ends with a line break, as read from a file', async () => {
    await using server = await answering([json(200, { models: [] })]);
    await over(server.url, { apiKey: 'errand_a_b\n' }).models();
    expect(server.got[0]?.headers.authorization).toBe('Bearer errand_a_b');
  });

  it('does not show the password of a URL', () => {
    const address = 'https://me:secret@errand.acme.org';
    for (const made of [() => over(address), () => agents({ rootUrl: 'https://acme.org', wsUrl: address })]) {
      expect(made).toThrow(
        expect.objectContaining({ code: 'BAD_OPTION', message: expect.not.stringContaining('secret') }),
      );
    }
  });

  it('names the host that it cannot reach', async () => {
    const unreachable = over('http://127.0.0.1:9', { retries: 0 }).models();
    await expect(unreachable).rejects.toMatchObject({
      code: 'NETWORK',
      message: expect.stringContaining('http://127.0.0.1:9'),
    });
    const nameless = over('https://no-such-host.errand-tests.invalid', { retries: 0 }).models();
    await expect(nameless).rejects.toMatchObject({ code: 'NETWORK' });
  });

  it('gives up on a missing answer, and stops when its signal is aborted', async () => {
    expect(await failing(['hang'], { timeoutMs: 50, retries: 0 })).toMatchObject({ code: 'TIMEOUT' });
    await using server = await answering(['hang']);
    const signal = AbortSignal.timeout(50);
    await expect(over(server.url).models({ signal })).rejects.toMatchObject({ code: 'ABORTED' });
    await using slow = await answering([json(429, { error: 'slowly' }, { 'retry-after': '30' })]);
    await expect(over(slow.url).models({ signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('an error of the agent API', () => {
  it('has a code, details, a request id and a remedy', async () => {
    const error = {
      code: 'FORBIDDEN',
      message: 'This needs the role member.',
      details: { a: 1 },
      request_id: 'r',
      timestamp: '',
    };
    await using server = await answering([json(403, { error }, { 'x-request-id': 'r' })]);
    const people = agents({ rootUrl: server.url, accessToken: 'token' });
    await expect(people.usage()).rejects.toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
      requestId: 'r',
      details: { a: 1 },
      remedy: expect.stringMatching(/role/),
    });
    expect(server.got[0]?.headers.authorization).toBe('Bearer token');
  });

  it('is shared by concurrent calls, which log in once', async () => {
    const token = { access_token: 't', token_type: 'Bearer', expires_in: 3_600 };
    await using server = await answering([json(200, token), json(200, { limits: [] })]);
    const people = agents({ rootUrl: server.url, login: { username: 'u', password: 'p' } });
    await Promise.all([people.usage(), people.usage(), people.usage()]);
    expect(server.got.map(({ url }) => url)).toEqual(['/auth/login', ...Array(3).fill('/api/v1/usage')]);
  });
});

describe('a login', () => {
  const login = { username: 'u', password: 'p' };

  it('that stays unanswered ends for the caller whose signal is aborted, and not for the others', async () => {
    await using server = await answering(['hang']);
    const people = agents({ rootUrl: server.url, login, timeoutMs: 400, retries: 0 });
    const patient = people.usage();
    const leaving = await Promise.allSettled([
      people.usage({ signal: AbortSignal.timeout(50) }),
      people.login(login, { signal: AbortSignal.abort() }),
    ]);
    const aborted = { status: 'rejected', reason: expect.objectContaining({ code: 'ABORTED' }) };
    expect(leaving).toEqual([aborted, aborted]);
    await expect(patient).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(server.got.map(({ url }) => url)).toEqual(['/auth/login']);
  });

  it('is not needed for the health check', async () => {
    await using server = await answering([json(200, { status: 'ok', version: '1' })]);
    expect(await agents({ rootUrl: server.url, login }).health()).toEqual({ status: 'ok', version: '1' });
    expect(server.got.map(({ url }) => url)).toEqual(['/api/v1/health']);
    expect(server.got[0]?.headers).not.toHaveProperty('authorization');
  });
});
