import { beforeEach, expect, it } from 'vitest';
import { tokenAuthenticator } from '../../../../shared/accounts/access-tokens.ts';
import { createKey, revokeKey } from '../../../../shared/accounts/api-keys.ts';
import { logIn } from '../../../../shared/accounts/login.ts';
import { setDisabled, setPassword, setRole } from '../../../../shared/accounts/users.ts';
import { issueWebsocketToken, redeemWebsocketToken } from '../../../../shared/accounts/websocket-tokens.ts';
import { elsewhere, organization, password, useLogin } from './setup.ts';

const state = useLogin();

let at: ReturnType<typeof state>;
let by: string;
let id: string;
beforeEach(async () => {
  at = state();
  ({ id } = await at.user());
  by = `user:${id}`;
});
const issueToken = async () => (await issueWebsocketToken(at, { organization, role: 'member', by })).token;
const redeem = async (token: string) => (await redeemWebsocketToken(at, token))?.caller;

it('identifies the user of the connection, once', async () => {
  const token = await issueToken();
  expect(await redeem(token)).toEqual({ organization, role: 'member', by });
  expect(await redeem(token)).toBeUndefined();
  expect(await redeem(await issueToken())).toBeDefined();
});

it('is accepted from one of many concurrent connections', async () => {
  const token = await issueToken();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => redeem(token)));
  expect(outcomes.filter((caller) => caller !== undefined)).toHaveLength(1);
});

it('is valid for a minute, and is not redeemed again after its record has expired', async () => {
  const [used, late] = [await issueToken(), await issueToken()];
  at.clock.pass(59_999);
  expect(await redeem(used)).toBeDefined();
  expect(await redeem(used)).toBeUndefined();
  at.clock.pass(1);
  expect(await redeem(used)).toBeUndefined();
  expect(await redeem(late)).toBeUndefined();
});

it('is refused if its user was disabled or changed the password since, and has the current role', async () => {
  await setRole(at.table, id, 'viewer');
  expect(await redeem(await issueToken())).toMatchObject({ role: 'viewer' });
  const before = await issueToken();
  await setDisabled(at.table, id, true);
  expect(await redeem(before)).toBeUndefined();
  await setDisabled(at.table, id, false);
  at.clock.pass(1_000);
  await setPassword(at, id, 'another password');
  expect(await redeem(before)).toBeUndefined();
});

it('is not accepted as an access token, nor the other way round', async () => {
  const { accessToken } = await logIn(at, { name: 'anna@example.org', password, from: '192.0.2.1' });
  expect(await redeem(accessToken)).toBeUndefined();
  expect(await tokenAuthenticator(at)(await issueToken())).toBeUndefined();
});

it('is also issued for an API key, and valid until the key is revoked or expires', async () => {
  const { key } = await createKey(at, { organization, name: 'server', expiresInDays: 1 });
  const caller = { organization, role: 'member' as const, by: `key:${key.id}` };
  const token = async () => (await issueWebsocketToken(at, caller)).token;
  expect(await redeem(await token())).toEqual(caller);
  const redeemed = await redeemWebsocketToken(at, await token());
  const before = await token();
  await revokeKey(at, key.id);
  expect(await redeemed?.isStillValid()).toBe(false);
  expect(await redeem(before)).toBeUndefined();
  await expect(token()).rejects.toMatchObject({ code: 'unauthorized' });
});

it('belongs to the organization of the key, whatever the request contains', async () => {
  const { key } = await createKey(at, { organization: elsewhere, name: 'server' });
  const { token } = await issueWebsocketToken(at, { organization, role: 'admin', by: `key:${key.id}` });
  expect(await redeem(token)).toEqual({ organization: elsewhere, role: 'member', by: `key:${key.id}` });
});
