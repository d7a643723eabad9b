/** Invalid tokens: all are refused with the same message. */
import { jwtVerify } from 'jose';
import { beforeEach, expect, it } from 'vitest';
import { agents } from '../../../../functions/agents/api.ts';
import { dispatcher } from '../../../../functions/http/dispatch.ts';
import { tokenAuthenticator } from '../../../../shared/accounts/access-tokens.ts';
import { logIn } from '../../../../shared/accounts/login.ts';
import { removeUser } from '../../../../shared/accounts/users.ts';
import { logger } from '../../../../shared/core/log.ts';
import type { Blobs } from '../../../../shared/ports.ts';
import { IDLE } from '../../../functions/http/api-context.ts';
import { BAD_TOKENS, type GoodToken, signClaims, takeApart } from './bad-tokens.ts';
import { organization, password, useLogin } from './setup.ts';

const state = useLogin();
const name = 'anna@example.org';

let at: ReturnType<typeof state>;
let goodToken: GoodToken;
let logged: string;
beforeEach(async () => {
  at = state();
  await at.user();
  goodToken = await takeApart(at, (await logIn(at, { name, password, from: '192.0.2.1' })).accessToken);
  logged = '';
});

async function ask(headers: Record<string, string>) {
  const write = (line: string) => {
    logged += line;
  };
  const context = {
    ...IDLE,
    blobs: {} as Blobs,
    ...at,
    log: logger({ clock: at.clock, minLevel: 'debug', write }),
    sendsMail: true,
    origins: () => false,
    organizationOf: async () => undefined,
    keyOwner: async () => undefined,
    tokenOwner: tokenAuthenticator(at),
  };
  const answer = await dispatcher(
    agents,
    context,
  )({
    method: 'POST',
    path: '/api/v1/websocket-auth',
    query: new URLSearchParams(),
    headers: { ...headers, 'x-request-id': 'same' },
    body: Buffer.alloc(0),
    sourceAddress: '192.0.2.1',
    hosts: [],
  });
  return { status: answer.status, body: answer.body };
}

it('accepts our tokens and those of another implementation, which also accepts ours', async () => {
  const { good, key } = goodToken;
  expect((await ask({ authorization: `Bearer ${good}` })).status).toBe(200);
  expect((await ask({ authorization: `Bearer ${await signClaims(goodToken)}` })).status).toBe(200);
  const o = {
    algorithms: ['HS256'],
    issuer: 'errand',
    audience: 'errand:api',
    typ: 'at+jwt',
    currentDate: new Date(at.clock.now()),
  };
  expect((await jwtVerify(good, key, o)).payload).toMatchObject({ org: organization, role: 'member' });
});

it('covers more than thirty invalid tokens', () => expect(Object.keys(BAD_TOKENS).length).toBeGreaterThan(30));

const EXPIRED = ['the end passed', 'the end reached'];

it.each(EXPIRED)('says of a token of ours with %s that it has expired', async (name) => {
  const { status, body } = await ask({ authorization: `Bearer ${await BAD_TOKENS[name]?.(goodToken)}` });
  const { code, message } = JSON.parse(body).error;
  expect([status, code, message]).toEqual([401, 'UNAUTHORIZED', 'The access token has expired: log in again.']);
});

const OTHERS = Object.entries(BAD_TOKENS).filter(([name]) => !EXPIRED.includes(name));
it.each(OTHERS)('refuses a token with %s', async (_, make) => {
  const none = await ask({});
  expect(none.status).toBe(401);
  expect(JSON.parse(none.body).error).toMatchObject({ code: 'UNAUTHORIZED', details: {} });
  const token = await make(goodToken);
  expect(await ask({ authorization: `Bearer ${token}` })).toEqual(none);
  expect(await ask({ authorization: token })).toEqual(none);
  if (token.length > 30) expect(logged).not.toContain(token.slice(0, 200));
});

it('refuses the token of a user who was removed', async () => {
  await removeUser(at.table, String(goodToken.claims.sub));
  expect(await ask({ authorization: `Bearer ${goodToken.good}` })).toEqual(await ask({}));
});

it.each(['Basic', 'Token', 'Bearer:', ''])('refuses a valid token after the scheme %j', async (word) => {
  expect(await ask({ authorization: `${word} ${goodToken.good}` })).toEqual(await ask({}));
});
