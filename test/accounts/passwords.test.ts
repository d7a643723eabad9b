import { expect, it } from 'vitest';
import { passwords } from '../../engines/passwords/passwords.ts';
import { isProblem } from '../../shared/core/problem.ts';

const quick = () => passwords({ logCost: 10 });
const password = 'correct horse battery';

it('hashes at N = 2^17, r = 8, p = 1, says so beside the hash, and verifies', { timeout: 60_000 }, async () => {
  const { hash, verify } = passwords();
  const kept = await hash(password);
  expect(kept).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verify(password, kept)).toBe(true);
  expect(await verify(`${password}.`, kept)).toBe(false);
});

it('salts: the same password is never kept the same way', async () => {
  const { hash } = quick();
  expect(await hash(password)).not.toBe(await hash(password));
});

it('verifies by the cost that stands beside the hash', async () => {
  const older = await passwords({ logCost: 9 }).hash(password);
  expect(older).toContain('ln=9,');
  expect(await quick().verify(password, older)).toBe(true);
});

it('takes a password in any way of composing it', async () => {
  const { hash, verify } = quick();
  expect(await verify('zoe\u0308 zoe\u0308 zoe\u0308', await hash('zo\u00eb zo\u00eb zo\u00eb'))).toBe(true);
});

it('refuses an unknown user after the same work', async () => {
  const { hash, verify } = passwords({ logCost: 14 });
  const kept = await hash(password);
  const timed = async (text: string | undefined) => {
    const start = performance.now();
    for (let n = 0; n < 3; n++) expect(await verify('wrong password', text)).toBe(false);
    return performance.now() - start;
  };
  const known = await timed(kept);
  expect(await timed(undefined)).toBeGreaterThan(known / 3);
  expect(await verify('', undefined)).toBe(false);
});

it('does one at a time, lets four wait and sends the others away with a time to come back', async () => {
  const { verify } = quick();
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => verify(password, undefined)));
  const sentAway = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(sentAway).toHaveLength(3);
  for (const error of sentAway) {
    expect(isProblem(error, 'rateLimited') && error.retryAfterSeconds).toBe(5);
  }
  expect(await verify(password, undefined)).toBe(false);
});

it('goes on after a piece of work that failed', async () => {
  const { hash, verify } = quick();
  await expect(verify(password, '$scrypt$ln=0,r=8,p=1$AA$AA')).rejects.toThrow();
  expect(await verify(password, await hash(password))).toBe(true);
});

it.each(['', 'plain', '$scrypt$ln=17,r=8$AA$AA', '$2b$12$abc'])('does not take %j for a hash', async (text) => {
  await expect(quick().verify(password, text)).rejects.toThrow('not the hash of a password');
});
