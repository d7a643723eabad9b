import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deriveInPool, passwords, withVerificationCache } from '../../../engines/passwords/passwords.ts';
import { scryptThreads } from '../../../engines/passwords/scrypt-threads.ts';
import { setClock } from '../../ports/clock.ts';

const quick = () => passwords({ logCost: 10 });
const password = 'correct horse battery';

it('hashes with N = 2^17, r = 8, p = 1, stores these next to the hash, and verifies', { timeout: 60_000 }, async () => {
  const { hash, verify } = passwords();
  const stored = await hash(password);
  expect(stored).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verify(password, stored)).toBe(true);
  expect(await verify(`${password}.`, stored)).toBe(false);
});

it('salts each hash, so that the same password is never stored the same way', async () => {
  const { hash } = quick();
  expect(await hash(password)).not.toBe(await hash(password));
});

it('verifies with the cost that is stored next to the hash', async () => {
  const older = await passwords({ logCost: 9 }).hash(password);
  expect(older).toContain('ln=9,');
  expect(await quick().verify(password, older)).toBe(true);
});

it('accepts a password in any Unicode normalization form', async () => {
  const { hash, verify } = quick();
  expect(await verify('zoe\u0308 zoe\u0308 zoe\u0308', await hash('zo\u00eb zo\u00eb zo\u00eb'))).toBe(true);
});

it('refuses an unknown user after the same amount of work', async () => {
  const { hash, verify } = passwords({ logCost: 14 });
  const stored = await hash(password);
  const timeOf = async (text: string | undefined) => {
    const start = performance.now();
    for (let n = 0; n < 3; n++) expect(await verify('wrong password', text)).toBe(false);
    return performance.now() - start;
  };
  const knownMs = await timeOf(stored);
  expect(await timeOf(undefined)).toBeGreaterThan(knownMs / 3);
  expect(await verify('', undefined)).toBe(false);
});

it('continues after a failed job', async () => {
  const { hash, verify } = quick();
  await expect(verify(password, '$scrypt$ln=0,r=8,p=1$AA$AA')).rejects.toThrow();
  expect(await verify(password, await hash(password))).toBe(true);
});

it.each(['', 'plain', '$scrypt$ln=17,r=8$AA$AA', '$2b$12$abc'])('does not accept %j as a hash', async (text) => {
  await expect(quick().verify(password, text)).rejects.toThrow('not the hash of a password');
});

// The first test with threads: those of others end later.
it('ends a thread that is idle, and starts another one for the next password', async () => {
  const ends = vi.spyOn(Worker.prototype, 'terminate');
  onTestFinished(() => ends.mockRestore());
  const { hash, verify } = passwords({ logCost: 10, derive: scryptThreads(1, { idleMs: 0 }) });
  const stored = await hash(password);
  await vi.waitFor(() => expect(ends).toHaveBeenCalledOnce());
  expect(await verify(password, stored)).toBe(true);
});

it('computes the same hash in threads, up to the configured number in parallel', async () => {
  const inThreads = passwords({ logCost: 10, derive: scryptThreads(2) });
  const { hash, verify } = quick();
  const stored = await inThreads.hash(password);
  expect(await verify(password, stored)).toBe(true);
  const storedElsewhere = await hash(password);
  expect(await Promise.all(Array.from({ length: 6 }, () => inThreads.verify(password, storedElsewhere)))).toEqual(
    Array(6).fill(true),
  );
  expect(await inThreads.verify(`${password}.`, storedElsewhere)).toBe(false);
});

it('takes no message of the watcher of npm run dev for a hash', async () => {
  vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { hash, verify } = passwords({ logCost: 10, derive: scryptThreads(1) });
  expect(await verify(password, await hash(password))).toBe(true);
});

it('replaces a failed thread', async () => {
  const { hash, verify } = passwords({ logCost: 10, derive: scryptThreads(1) });
  await expect(verify(password, '$scrypt$ln=0,r=8,p=1$AA$AA')).rejects.toThrow();
  expect(await verify(password, await hash(password))).toBe(true);
});

describe('a password that was right a moment ago', () => {
  function remembering() {
    const clock = setClock();
    let derived = 0;
    const { hash, verify } = withVerificationCache(
      passwords({
        logCost: 10,
        derive: (request) => {
          derived++;
          return deriveInPool(request);
        },
      }),
      clock,
    );
    return { clock, hash, verify, derived: () => derived };
  }

  it('is accepted without hashing for a minute', async () => {
    const { clock, hash, verify, derived } = remembering();
    const stored = await hash(password);
    for (let n = 0; n < 5; n++) expect(await verify(password, stored)).toBe(true);
    expect(derived()).toBe(2);
    clock.pass(60_000);
    expect(await verify(password, stored)).toBe(true);
    expect(derived()).toBe(3);
  });

  it('does not let another password in, and wrong passwords are not cached', async () => {
    const { hash, verify, derived } = remembering();
    const stored = await hash(password);
    await verify(password, stored);
    for (let n = 0; n < 3; n++) expect(await verify(`${password}.`, stored)).toBe(false);
    for (let n = 0; n < 3; n++) expect(await verify(password, undefined)).toBe(false);
    expect(derived()).toBe(8);
  });

  it('is not accepted for the hash of another password, or for a new hash of the same one', async () => {
    const { hash, verify, derived } = remembering();
    const [storedFirst, storedOther] = [await hash(password), await hash('another password')];
    await verify(password, storedFirst);
    expect(await verify(password, storedOther)).toBe(false);
    expect(await verify(password, await hash(password))).toBe(true);
    expect(derived()).toBe(6);
  });
});
