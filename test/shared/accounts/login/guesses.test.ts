import { beforeEach, describe, expect, it, vi } from 'vitest';
import { rememberAddress } from '../../../../shared/accounts/known-addresses.ts';
import { checkGuess } from '../../../../shared/accounts/password-guesses.ts';
import { isProblem } from '../../../../shared/core/problem.ts';
import { organization, useLogin } from './setup.ts';

const state = useLogin();
const MINUTE = 60_000;
const ACCOUNT = { pk: 'GUESSES#ACCOUNT#anna', sk: 'GUESSES' };

let at: ReturnType<typeof state>;
let checks: number;
beforeEach(() => {
  at = state();
  checks = 0;
});

/** The outcome: 'right', 'wrong', or the seconds to wait. */
async function guess(from: string, account: string | undefined, isRight = false): Promise<unknown> {
  const check = async () => {
    checks++;
    return isRight ? 'right' : 'wrong';
  };
  try {
    return await checkGuess(at, { from, account }, check);
  } catch (error) {
    if (!isProblem(error, 'rateLimited')) throw error;
    return error.retryAfterSeconds;
  }
}

async function guesses(times: number, from: string, account: string | undefined, isRight = false): Promise<unknown[]> {
  const outcomes = [];
  for (let n = 0; n < times; n++) outcomes.push(await guess(from, account, isRight));
  return outcomes;
}

const wrong = (times: number) => Array(times).fill('wrong');

it('allows five wrong guesses for an account from one address, and refuses the sixth unchecked with a retry time', async () => {
  expect(await guesses(5, 'here', 'anna')).toEqual(wrong(5));
  expect(await guess('here', 'anna', true)).toBe(900);
  expect(checks).toBe(5);
  expect(await guess('there', 'anna')).toBe('wrong');
  expect(await guess('here', 'bob')).toBe('wrong');
});

it('counts over a sliding window of 15 minutes', async () => {
  await guess('here', 'anna');
  at.clock.pass(14 * MINUTE);
  await guesses(4, 'here', 'anna');
  expect(await guess('here', 'anna')).toBe(60);
  at.clock.pass(MINUTE);
  expect(await guesses(2, 'here', 'anna')).toEqual(['wrong', 14 * 60]);
});

it('allows twenty wrong guesses for an account from all addresses together', async () => {
  for (let n = 0; n < 20; n++) expect(await guess(`address ${n}`, 'anna')).toBe('wrong');
  expect(await guess('yet another', 'anna', true)).toBe(900);
  at.clock.pass(15 * MINUTE);
  expect(await guess('yet another', 'anna', true)).toBe('right');
});

it('allows thirty wrong logins from an address in 5 minutes, for known and unknown accounts', async () => {
  for (let n = 0; n < 15; n++) expect(await guesses(2, 'here', n % 2 ? `user ${n}` : undefined)).toEqual(wrong(2));
  expect(await guess('here', 'anna', true)).toBe(300);
  expect(await guess('there', 'anna', true)).toBe('right');
  at.clock.pass(5 * MINUTE);
  expect(await guess('here', 'anna', true)).toBe('right');
});

it('never counts a correct password', async () => {
  expect(await guesses(50, 'here', 'anna', true)).toEqual(Array(50).fill('right'));
  expect(await guesses(5, 'here', 'anna')).toEqual(wrong(5));
});

it('does not count a guess for the address that the account limit refused', async () => {
  await guesses(5, 'here', 'anna');
  for (let n = 0; n < 40; n++) expect(await guess('here', 'anna')).toBe(900);
  expect(await guess('here', 'bob')).toBe('wrong');
});

it('does not count a guess that could not be checked', async () => {
  const broken = () => checkGuess(at, { from: 'here', account: 'anna' }, () => Promise.reject(new Error('broken')));
  for (let n = 0; n < 6; n++) await expect(broken()).rejects.toThrow('broken');
  expect(await guess('here', 'anna')).toBe('wrong');
});

it('allows at most five of many concurrent guesses', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => guess('here', 'anna')));
  expect(checks).toBeLessThanOrEqual(5);
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(5);
  for (let n = checks; n < 5; n++) expect(await guess('here', 'anna')).toBe('wrong');
  expect(await guess('here', 'anna')).toBe(900);
});

it('waits for guesses that are being checked instead of refusing a correct one', async () => {
  const outcomes = await Promise.all([
    ...Array.from({ length: 40 }, () => guess('here', 'anna', true)),
    ...Array.from({ length: 40 }, (_, n) => guess('here', `user ${n}`, true)),
  ]);
  expect(outcomes).toEqual(Array(80).fill('right'));
});

it('counts a guess as wrong when the process that checked it ended', async () => {
  const never = new Promise<undefined>(() => undefined);
  for (let n = 0; n < 5; n++) void checkGuess(at, { from: 'here', account: 'anna' }, () => never);
  await vi.waitUntil(async () => (await at.table.get<unknown[]>(ACCOUNT))?.value.length === 5);
  at.clock.pass(30_000);
  expect(await guess('here', 'anna', true)).toBe(870);
});

describe('at an address from which the account has signed in', () => {
  beforeEach(() => rememberAddress(at, { account: 'anna', from: 'office', organization }));

  it('accepts the correct password, whatever was guessed elsewhere', async () => {
    for (let n = 0; n < 20; n++) await guess(`address ${n}`, 'anna');
    expect(await guess('home', 'anna', true)).toBe(900);
    expect(await guess('office', 'anna', true)).toBe('right');
  });

  it('accepts the correct password, whatever was guessed there for other accounts', async () => {
    for (let n = 0; n < 30; n++) await guess('office', `user ${n}`);
    expect(await guess('office', 'bob', true)).toBe(300);
    expect(await guesses(50, 'office', 'anna', true)).toEqual(Array(50).fill('right'));
  });

  it('allows five more guesses there, and gives the same answers as at an unknown address', async () => {
    expect(await guesses(10, 'office', 'anna')).toEqual([...wrong(5), ...Array(5).fill(900)]);
    expect(checks).toBe(10);
    expect(await guess('office', 'anna', true)).toBe(900);
    expect(checks).toBe(10);
    at.clock.pass(15 * MINUTE);
    expect(await guess('office', 'anna', true)).toBe('right');
  });

  it('applies to no other account and no other address', async () => {
    for (let n = 0; n < 20; n++) await guess(`address ${n}`, 'anna');
    for (let n = 0; n < 5; n++) await guess('office', 'bob');
    expect(await guess('office', 'bob', true)).toBe(900);
    expect(await guess('home', 'anna', true)).toBe(900);
  });

  it('forgets the address after 30 days', async () => {
    at.clock.pass(30 * 24 * 60 * MINUTE);
    for (let n = 0; n < 20; n++) await guess(`address ${n}`, 'anna');
    expect(await guess('office', 'anna', true)).toBe(900);
  });

  it('stores no address in clear text', async () => {
    const { rows } = await at.table.rows('SIGNED-IN#anna', '', { limit: 10 });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('office');
  });
});
