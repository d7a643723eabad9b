/** Login to the agent API, and what its access token permits. */
import { describe, expect, it } from 'vitest';
import { call, keyOf, target, tokenOf } from './call.ts';
import { PASSWORD, userNameOf } from './target.ts';

const username = userNameOf('login', 'member');
const logIn = (json: unknown) => call('agents', '/auth/login', { json });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
/** An error without the fields that differ between answers. */
const errorBody = ({ body }: Awaited<ReturnType<typeof call>>) => ({
  ...(body.error as object),
  request_id: '',
  timestamp: '',
});

describe('a login', () => {
  it('with name and password returns an access token that is valid for an hour', async () => {
    const { status, body, headers } = await logIn({ username, password: PASSWORD });
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3_600,
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('accepts the name in any case and with spaces around it', async () => {
    expect((await logIn({ username: ` ${username.toUpperCase()} `, password: PASSWORD })).status).toBe(200);
  });

  it('gives the same answer for an unknown user and a wrong password', async () => {
    const wrong = await logIn({ username, password: `${PASSWORD}.` });
    const unknown = await logIn({ username: 'nobody@nowhere', password: PASSWORD });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
    expect(errorBody(wrong)).toMatchObject({ code: 'UNAUTHORIZED', details: {} });
    expect(errorBody(unknown)).toEqual(errorBody(wrong));
  });

  it('with an unsigned token returns 401, whatever its length', async () => {
    for (const sso_token of ['x', 'a.b.c', 'x'.repeat(100_000)]) {
      const { status, body } = await logIn({ sso_token });
      expect([status, body.error]).toEqual([401, expect.objectContaining({ code: 'UNAUTHORIZED' })]);
    }
  });

  const all = ['username', 'password', 'sso_token'];
  it.each([
    [{}, all],
    [{ username, password: PASSWORD, sso_token: 'a.b.c' }, all],
    [{ password: PASSWORD, sso_token: 'a.b.c' }, all],
    [{ username }, ['password']],
    [{ username, password: '' }, ['password']],
    [{ username: null, password: PASSWORD }, ['username']],
    [{ username: 7, password: PASSWORD }, ['username']],
    [{ username, password: ['a'] }, ['password']],
    [{ sso_token: {} }, ['sso_token']],
    [{ username: 'x'.repeat(257), password: 'x'.repeat(1_025) }, ['username', 'password']],
  ])('with %j is rejected with the names of the invalid fields', async (json, fields) => {
    const { status, body } = await logIn(json);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'TASK_VALIDATION_FAILED', details: { invalid_fields: fields } });
  });

  it('accepts only POST, and its answers are neither cached nor replayed', async () => {
    const wrong = await call('agents', '/auth/login');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    const preflight = await call('agents', '/auth/login', { method: 'OPTIONS', headers: { origin: target.origin } });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, target.origin]);
    const headers = { 'idempotency-key': 'one' };
    const json = { username, password: PASSWORD };
    const [first, again] = [
      await call('agents', '/auth/login', { json, headers }),
      await call('agents', '/auth/login', { json, headers }),
    ];
    expect(again.body.access_token).not.toBe(first.body.access_token);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
  });

  it('is refused after five wrong passwords, even with the right one, and sends Retry-After', async () => {
    const attempt = (password: string) => logIn({ username: userNameOf('login', 'admin'), password });
    for (let n = 0; n < 5; n++) expect((await attempt('wrong')).status).toBe(401);
    const refused = await attempt(PASSWORD);
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
    expect((await logIn({ username, password: PASSWORD })).status).toBe(200);
  });
});

describe('the access token', () => {
  const open = (headers: Record<string, string>) =>
    call('agents', '/api/v1/websocket-auth', { method: 'POST', headers });

  it('is required, and no other credential is accepted', async () => {
    const none = await open({});
    expect([none.status, errorBody(none)]).toEqual([
      401,
      expect.objectContaining({ code: 'UNAUTHORIZED', details: {} }),
    ]);
    expect(none.headers.get('www-authenticate')).toBe('Bearer');
    const token = await tokenOf('login', 'viewer');
    const bad = [
      bearer('x'),
      bearer(`${token}x`),
      { authorization: token },
      { 'x-api-key': token },
      { ...bearer('x'), 'x-api-key': keyOf('login') },
    ];
    for (const headers of bad) expect(errorBody(await open(headers))).toEqual(errorBody(none));
  });

  it('of a viewer gets a WebSocket token, which is valid for a minute and for nothing else', async () => {
    const { status, body, headers } = await open(bearer(await tokenOf('login', 'viewer')));
    expect(status).toBe(200);
    expect(body).toEqual({ websocket_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), expires_in: 60 });
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60, "hour";q=60;w=3600');
    const token = String(body.websocket_token);
    expect((await open(bearer(token))).status).toBe(401);
    expect((await call('files', '/models', { headers: bearer(token) })).status).toBe(401);
  });

  it('of a member is accepted by the Files & Tasks API, only as Bearer', async () => {
    const token = await tokenOf('login');
    expect((await call('files', '/models', { headers: bearer(token) })).status).toBe(200);
    expect((await call('files', '/models', { headers: { 'x-api-key': token } })).status).toBe(401);
    expect(
      (await call('files', '/models', { headers: { ...bearer('x.y.z'), 'x-api-key': keyOf('login') } })).status,
    ).toBe(401);
  });

  it('of a member shows only the files of its organization', async () => {
    const { body } = await call('files', '/files', {
      headers: bearer(await tokenOf('login')),
      json: { fileName: 'a.txt' },
    });
    expect(body.storagePath).toContain(target.organizations.login.id);
  });

  it('of a viewer is refused by the Files & Tasks API', async () => {
    const { status, body } = await call('files', '/models', { headers: bearer(await tokenOf('login', 'viewer')) });
    expect([status, body]).toEqual([403, { error: 'This call needs the role member; yours is viewer.' }]);
  });
});

describe('an API key on the agent API', () => {
  const json = { task_type: 'research_agent', input: { query: 'How high is the tide?' } };

  it.each(['Bearer', 'x-api-key'])('submits, reads and cancels its own tasks, as %s', async (way) => {
    const key = keyOf('login');
    const headers = way === 'Bearer' ? bearer(key) : { 'x-api-key': key };
    const submitted = await call('agents', '/api/v1/tasks', { json, headers });
    expect(submitted.status).toBe(202);
    const path = `/api/v1/tasks/${submitted.body.task_id}`;
    expect((await call('agents', path, { headers })).status).toBe(200);
    const cancelled = await call('agents', `${path}/cancel`, { json: { force: true }, headers });
    // It may have completed before it was cancelled.
    expect([200, 409]).toContain(cancelled.status);
  });

  it('does not cancel a task of a user, as a member does not', async () => {
    const person = bearer(await tokenOf('login'));
    const { body } = await call('agents', '/api/v1/tasks', { json, headers: person });
    const refused = await call('agents', `/api/v1/tasks/${body.task_id}/cancel`, {
      json: {},
      headers: { 'x-api-key': keyOf('login') },
    });
    expect([refused.status, errorBody(refused)]).toEqual([403, expect.objectContaining({ code: 'FORBIDDEN' })]);
  });

  it('gets a WebSocket token', async () => {
    const { status, body } = await call('agents', '/api/v1/websocket-auth', {
      method: 'POST',
      headers: { 'x-api-key': keyOf('login') },
    });
    expect(status).toBe(200);
    expect(body).toEqual({ websocket_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), expires_in: 60 });
  });
});
