import { expect, it } from 'vitest';
import { currentSecrets, resealWebhookSecrets, rotateWebhookSecret } from '../../../shared/accounts/webhook-secrets.ts';
import { Problem } from '../../../shared/core/problem.ts';
import { DAY, HOUR, invalid, useAccounts } from './setup.ts';

const state = useAccounts();
const [ownOrganization, otherOrganization] = [
  '01900000-0000-7000-8000-000000000001',
  '01900000-0000-7000-8000-000000000002',
];
const rotate = (organization = ownOrganization) => rotateWebhookSecret(state(), organization);
const secrets = async (organization = ownOrganization) =>
  (await currentSecrets(state(), organization)).map(({ secret }) => secret);

it('is whsec_ followed by 32 random bytes in base64', async () => {
  const { secret, previousUntil } = await rotate();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  expect(previousUntil).toBeUndefined();
  expect(await currentSecrets(state(), ownOrganization)).toEqual([{ secret, since: state().clock.now() }]);
});

it('is valid for another 24 hours after a rotation, listed after the new one, and then no longer', async () => {
  const first = await rotate();
  state().clock.pass(HOUR);
  const second = await rotate();
  const until = state().clock.now() + DAY;
  expect(second.previousUntil).toBe(until);
  expect(await currentSecrets(state(), ownOrganization)).toEqual([
    { secret: second.secret, since: until - DAY },
    { secret: first.secret, since: until - DAY - HOUR, until },
  ]);
  state().clock.pass(DAY - 1);
  expect(await secrets()).toEqual([second.secret, first.secret]);
  state().clock.pass(1);
  expect(await secrets()).toEqual([second.secret]);
});

it('keeps the 24 hours of each secret if it is rotated again meanwhile', async () => {
  const first = (await rotate()).secret;
  const second = (await rotate()).secret;
  state().clock.pass(12 * HOUR);
  const third = (await rotate()).secret;
  expect(await secrets()).toEqual([third, second, first]);
  state().clock.pass(12 * HOUR);
  expect(await secrets()).toEqual([third, second]);
  state().clock.pass(12 * HOUR);
  expect(await secrets()).toEqual([third]);
});

it('refuses a rotation that would shorten the 24 hours of another secret, with the time when it is possible', async () => {
  for (let n = 0; n < 5; n++) {
    await rotate();
    state().clock.pass(HOUR);
  }
  const before = await secrets();
  await expect(rotate()).rejects.toEqual(invalid(/next rotation is possible at 2026-06-02T13:00:00.000Z/));
  expect(await secrets()).toEqual(before);
  state().clock.pass(20 * HOUR);
  await rotate();
});

it('is not lost if it is re-encrypted while the master secret is unavailable or removed', async () => {
  const { secret } = await rotate();
  const { vault, ...ports } = state();
  const away = { ...vault, open: () => Promise.reject(new Problem('busy', 'No answer.')) };
  await expect(resealWebhookSecrets({ ...ports, vault: away }, ownOrganization)).rejects.toMatchObject({
    code: 'busy',
  });
  const gone = { ...vault, open: () => Promise.reject(new Problem('unreadable', 'Gone.')) };
  await resealWebhookSecrets({ ...ports, vault: gone }, ownOrganization);
  expect(await secrets()).toEqual([secret]);
});

it('ignores an older one that cannot be decrypted, but fails if the master secret is temporarily unavailable', async () => {
  await rotate();
  const { secret } = await rotate();
  const { vault, ...ports } = state();
  const openOnly = (code: 'busy' | 'unreadable') => ({
    ...vault,
    open: async (sealed: string, context: string) => {
      const text = await vault.open(sealed, context);
      if (text !== secret) throw new Problem(code, 'No.');
      return text;
    },
  });
  const findSecrets = (code: 'busy' | 'unreadable') =>
    currentSecrets({ ...ports, vault: openOnly(code) }, ownOrganization);
  expect(await findSecrets('unreadable')).toMatchObject([{ secret }]);
  await expect(findSecrets('busy')).rejects.toMatchObject({ code: 'busy' });
});

it('loses neither of two concurrent rotations', async () => {
  const first = (await rotate()).secret;
  const [second, third] = await Promise.all([rotate(), rotate()]);
  expect((await secrets()).toSorted()).toEqual([first, second.secret, third.secret].toSorted());
  expect((await currentSecrets(state(), ownOrganization)).filter(({ until }) => until === undefined)).toHaveLength(1);
});

it('is stored encrypted, and can be decrypted only for its own organization', async () => {
  const { secret } = await rotate();
  const row = await state().table.get<{ kept: { sealed: string }[] }>({
    pk: `O#${ownOrganization}`,
    sk: 'WEBHOOK_SECRET',
  });
  expect(JSON.stringify(row)).not.toContain(secret.slice(6, 20));
  expect(await secrets(otherOrganization)).toEqual([]);
  await state().table.insert({ pk: `O#${otherOrganization}`, sk: 'WEBHOOK_SECRET', value: row?.value });
  await expect(secrets(otherOrganization)).rejects.toMatchObject({ code: 'unreadable' });
});
