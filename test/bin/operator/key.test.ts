import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { fileSecrets } from '../../../adapters/local/secrets.ts';
import { keyAuthenticator } from '../../../shared/accounts/key-authenticator.ts';
import { currentSecrets } from '../../../shared/accounts/webhook-secrets.ts';
import { connectionSlots } from '../../../shared/realtime/connection-slots.ts';
import { withAcme } from './errand.ts';

const { acme, json, refuses, run, state } = withAcme();

it('creates, lists and revokes keys, and a running product notices it', async () => {
  const product = openLocal({ ERRAND_STATE: state() });
  try {
    const made = await json(['key', 'create', 'Acme', '--name', 'CI', '--expires', '30']);
    expect(made).toMatchObject({ organization: acme().id, name: 'CI', expiresAt: expect.stringMatching(/Z$/) });
    const authenticate = keyAuthenticator({ ...product, keptMs: 0 });
    expect(await authenticate(made.apiKey)).toMatchObject({ organization: acme().id, by: `key:${made.id}` });
    expect(await json(['key', 'list', 'Acme'])).toMatchObject([
      { name: 'first key', state: 'active', expiresAt: null, revokedAt: null },
      { id: made.id, name: 'CI', state: 'active', expiresAt: made.expiresAt, revokedAt: null },
    ]);
    expect(await json(['key', 'revoke', made.id])).toMatchObject({ id: made.id, state: 'revoked' });
    expect(await authenticate(made.apiKey)).toBeUndefined();
    expect((await json(['key', 'list', 'Acme']))[1]).toMatchObject({ state: 'revoked', revokedAt: expect.any(String) });
  } finally {
    product.close();
  }
});

it('closes the connections of a revoked key', async () => {
  const { id } = await json(['key', 'create', 'Acme']);
  const product = openLocal({ ERRAND_STATE: state() });
  try {
    const ports = {
      ...product,
      sockets: { isThere: async () => true, post: async () => 'gone' as const, close: async () => undefined },
    };
    const place = { connection: 'one', by: `key:${id}`, channels: [], endsAt: Date.now() + 3_600_000 };
    await connectionSlots.take(ports, acme().id, { slot: place, max: 5 });
    await connectionSlots.take(ports, acme().id, { slot: { ...place, connection: 'two', by: 'user:other' }, max: 5 });
    await json(['key', 'revoke', id]);
    expect((await connectionSlots.read(product, acme().id)).map(({ connection }) => connection)).toEqual(['two']);
  } finally {
    product.close();
  }
});

it('reports a key that was already revoked', async () => {
  const { id } = await json(['key', 'create', 'Acme']);
  await json(['key', 'revoke', id]);
  await refuses(['key', 'revoke', id], new RegExp(`^errand: The key ${id} was revoked already, at 2`));
});

it('revokes a key by its leaked text, and does not print an unknown text', async () => {
  const { apiKey } = acme();
  await refuses(['key', 'revoke', apiKey.slice(0, -1)], /^errand: No API key has this id: use one that .* shows\.\n$/);
  await refuses(['key', 'revoke', 'x'.repeat(50_000)], /^errand: No API key has this id: use one that .* shows\.\n$/);
  expect(await json(['key', 'revoke', apiKey])).toMatchObject({ name: 'first key', state: 'revoked' });
});

it.each([
  [['key', 'create', 'Acme', '--name', ''], /A name has /],
  [['key', 'create', 'Acme', '--expires', 'soon'], /--expires takes a whole number, not "soon"/],
  [['key', 'create', 'Acme', '--expires', '0'], /A key expires after /],
  [['key', 'create', 'Acme', '--expires', '99999999999999999999'], /--expires takes a whole number/],
  [['key', 'create', 'acme'], /There is no organization "acme"/],
])('refuses %j in one line', async (args, remedy) => {
  await refuses(args, remedy);
  expect(await json(['key', 'list', 'Acme'])).toHaveLength(1);
});

it('rotates the webhook secret and prints how long the previous one is valid', async () => {
  const rotated = await json(['webhook-secret', 'rotate', 'Acme']);
  expect(rotated.webhookSecret).toMatch(/^whsec_/);
  expect(rotated.webhookSecret).not.toBe(acme().webhookSecret);
  expect(Date.parse(rotated.previousUntil) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
});

it('refuses to rotate the webhook secret while the previous one is valid, unless forced', async () => {
  await json(['webhook-secret', 'rotate', 'Acme']);
  await refuses(
    ['webhook-secret', 'rotate', 'Acme'],
    /2 webhook secrets are valid already: the next rotation is possible at 20\S+Z/,
  );
  expect((await json(['webhook-secret', 'rotate', 'Acme', '--again'])).webhookSecret).toMatch(/^whsec_/);
});

it('loses no webhook secret in two rotations of the master secret if all are re-encrypted in between', async () => {
  const master = fileSecrets({ file: join(state(), 'master.json') });
  const secrets = async () => {
    const local = openLocal({ ERRAND_STATE: state() });
    const current = await currentSecrets(local, acme().id).finally(() => local.close());
    return current.map(({ secret }) => secret);
  };
  await json(['webhook-secret', 'rotate', 'Acme']);
  const before = await secrets();
  await master.rotate();
  expect(await json(['webhook-secret', 'reseal'])).toEqual({ organizations: 1 });
  await master.rotate();
  expect(await secrets()).toEqual(before);
  expect(before).toHaveLength(2);
  await master.rotate();
  await refuses(
    ['doctor'],
    /webhook secret of "Acme" was encrypted under .* not exist any more: restore .* rotate ORG --again for each/,
  );
  await json(['webhook-secret', 'rotate', 'Acme', '--again']);
  expect((await run(['doctor'])).status).toBe(0);
});

it('shows no secret a second time: not in lists, not in audit rows, not in errors', async () => {
  const key = await json(['key', 'create', 'Acme']);
  const user = await json(['user', 'create', 'bob', '--org', 'Acme', '--role', 'viewer']);
  const changed = await json(['user', 'password', 'bob']);
  const rotated = await json(['webhook-secret', 'rotate', acme().id]);
  await json(['key', 'revoke', key.apiKey]);
  await run(['key', 'revoke', key.apiKey]);
  const secrets = [
    acme().apiKey.slice(19),
    key.apiKey.slice(19),
    acme().password,
    user.password,
    changed.password,
    acme().webhookSecret.slice(6),
    rotated.webhookSecret.slice(6),
  ];
  expect(new Set(secrets).size).toBe(7);
  const looks = [
    ['org', 'list'],
    ['org', 'show', 'Acme'],
    ['key', 'list', 'Acme'],
    ['user', 'list', 'Acme'],
    ['audit'],
    ['audit', 'Acme'],
    ['doctor'],
    ['key', 'revoke', key.apiKey],
  ];
  const seen: string[] = [];
  for (const look of looks) {
    for (const done of [await run(look), await run([...look, '--json'])]) seen.push(done.stdout, done.stderr);
  }
  expect(seen.join('')).toContain('webhook-secret rotate');
  for (const secret of secrets) expect(seen.join('')).not.toContain(secret);
  expect(seen.join('')).not.toMatch(/scrypt|hash/i);
});
