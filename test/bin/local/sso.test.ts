/** Single sign-on on the running product: the operator names an issuer, and its users log in over HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { type SigningKey, signingKey, startIssuer, type TestIssuer } from '../../shared/accounts/sso/issuer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { child } from '../operator/errand.ts';

const folder = temporaryFolder();
const state = join(folder.path, 'state');
let issuing: TestIssuer;
let key: SigningKey;
let product: Running;

beforeAll(async () => {
  [issuing, key] = await Promise.all([startIssuer(), signingKey('ES256')]);
  issuing.publish(key);
  const ca = join(folder.path, 'ca.pem');
  writeFileSync(ca, issuing.ca);
  product = await startLocalProduct(state, await freePort(), ['--source-ca', ca]);
});
afterAll(async () => {
  await product.stop();
  issuing.close();
  folder.remove();
});

const logIn = async () => {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { aud: 'errand', sub: 'subject-1', preferred_username: 'zoe@demo.org', iat, exp: iat + 300 };
  const reply = await fetch(`${product.local.agents.rootUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sso_token: await issuing.sign(key, claims) }),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, string> };
};

const operate = (...words: string[]) => JSON.parse(child(state, [...words, '--json']).stdout);

it('lets users of the issuer log in while the organization trusts it, and accepts their tokens on both APIs', async () => {
  expect((await logIn()).status).toBe(401);
  const { issuer, keysAddress } = issuing;
  operate(
    'sso',
    'set',
    'Demo One',
    '--issuer',
    issuer,
    '--audience',
    'errand',
    '--keys',
    keysAddress,
    '--admit',
    '--allow-private',
  );
  const { status, body } = await logIn();
  expect([status, body.token_type]).toEqual([200, 'Bearer']);
  const headers = { authorization: `Bearer ${body.access_token}` };
  const { rootUrl } = product.local.agents;
  expect((await fetch(`${rootUrl}/api/v1/websocket-auth`, { method: 'POST', headers })).status).toBe(200);
  const models = () => fetch(`${product.local.filesAndTasks.baseUrl}/models`, { headers });
  expect((await models()).status).toBe(403);
  operate('user', 'role', 'zoe@demo.org', 'member');
  await expect.poll(async () => (await models()).status).toBe(200);
  operate('user', 'disable', 'zoe@demo.org');
  await expect.poll(async () => (await models()).status).toBe(401);
  expect((await logIn()).status).toBe(401);
  expect(issuing.asked).toHaveLength(1);
});
