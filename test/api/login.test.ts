/** Logging in to the agent API, and what its access token opens. */
import { describe, expect, it } from 'vitest';
import { call, tokenOf } from './call.ts';
import { PASSWORD, userNameOf } from './target.ts';

const username = userNameOf('login', 'member');
const logIn = (json: unknown) => call('agents', '/auth/login', { json });

describe('a login', () => {
  it('with name and password answers an access token that holds an hour', async () => {
    const { status, body } = await logIn({ username, password: PASSWORD });
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3_600,
    });
  });

  it('takes the name however it is typed', async () => {
    expect((await logIn({ username: ` ${username.toUpperCase()} `, password: PASSWORD })).status).toBe(200);
  });

  it('answers an unknown user and a wrong password alike', async () => {
    const wrong = await logIn({ username, password: `${PASSWORD}.` });
    const unknown = await logIn({ username: 'nobody@nowhere', password: PASSWORD });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    const said = ({ body }: typeof wrong) => ({ ...(body.error as object), request_id: '', timestamp: '' });
    expect(said(wrong)).toMatchObject({ code: 'UNAUTHORIZED', details: {} });
    expect(said(unknown)).toEqual(said(wrong));
  });
});

describe('the access token', () => {
  it('of a member opens the Files & Tasks API, as Bearer alone', async () => {
    const token = await tokenOf('login');
    expect((await call('files', '/models', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    expect((await call('files', '/models', { headers: { 'x-api-key': token } })).status).toBe(401);
  });

  it('of a viewer does not', async () => {
    const authorization = `Bearer ${await tokenOf('login', 'viewer')}`;
    const { status, body } = await call('files', '/models', { headers: { authorization } });
    expect([status, body]).toEqual([403, { error: 'This needs the role member; yours is viewer.' }]);
  });
});
