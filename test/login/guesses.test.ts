import { beforeEach, expect, it } from 'vitest';
import { isProblem } from '../../shared/core/problem.ts';
import { guessing } from '../../shared/login/guesses.ts';
import { opened } from './opened.ts';

const state = opened();
const MINUTE = 60_000;

let at: ReturnType<typeof state>;
let asked: number;
beforeEach(() => {
  at = state();
  asked = 0;
});

/** What became of it: 'right', 'wrong', or after how many seconds to come back. */
async function guess(from: string, account: string | undefined, isRight = false): Promise<unknown> {
  const check = async () => {
    asked++;
    return isRight ? 'right' : undefined;
  };
  try {
    return (await guessing(at, { from, account }, check)) ?? 'wrong';
  } catch (error) {
    if (!isProblem(error, 'rateLimited')) throw error;
    return error.retryAfterSeconds;
  }
}

async function guesses(times: number, from: string, account: string | undefined, isRight = false): Promise<unknown[]> {
  const all = [];
  for (let n = 0; n < times; n++) all.push(await guess(from, account, isRight));
  return all;
}

const wrong = (times: number) => Array(times).fill('wrong');

it('lets five be wrong about an account from one address, refuses the sixth unseen, and tells when to come back', async () => {
  expect(await guesses(5, 'here', 'anna')).toEqual(wrong(5));
  expect(await guess('here', 'anna', true)).toBe(900);
  expect(asked).toBe(5);
  expect(await guess('there', 'anna')).toBe('wrong');
  expect(await guess('here', 'bob')).toBe('wrong');
});

it('counts over any 15 minutes, not by the clock on the wall', async () => {
  await guess('here', 'anna');
  at.clock.pass(14 * MINUTE);
  await guesses(4, 'here', 'anna');
  expect(await guess('here', 'anna')).toBe(60);
  at.clock.pass(MINUTE);
  expect(await guesses(2, 'here', 'anna')).toEqual(['wrong', 14 * 60]);
});

it('lets twenty be wrong about an account from everywhere', async () => {
  for (let n = 0; n < 20; n++) expect(await guess(`address ${n}`, 'anna')).toBe('wrong');
  expect(await guess('yet another', 'anna', true)).toBe(900);
  at.clock.pass(15 * MINUTE);
  expect(await guess('yet another', 'anna', true)).toBe('right');
});

it('lets thirty be wrong from an address in 5 minutes, about whomever, or about nobody', async () => {
  for (let n = 0; n < 15; n++) expect(await guesses(2, 'here', n % 2 ? `user ${n}` : undefined)).toEqual(wrong(2));
  expect(await guess('here', 'anna', true)).toBe(300);
  expect(await guess('there', 'anna', true)).toBe('right');
  at.clock.pass(5 * MINUTE);
  expect(await guess('here', 'anna', true)).toBe('right');
});

it('never counts who is right', async () => {
  expect(await guesses(50, 'here', 'anna', true)).toEqual(Array(50).fill('right'));
  expect(await guesses(5, 'here', 'anna')).toEqual(wrong(5));
});

it('does not count for the address what the account refused', async () => {
  await guesses(5, 'here', 'anna');
  for (let n = 0; n < 40; n++) expect(await guess('here', 'anna')).toBe(900);
  expect(await guess('here', 'bob')).toBe('wrong');
});

it('does not count what could not be checked', async () => {
  const broken = () => guessing(at, { from: 'here', account: 'anna' }, () => Promise.reject(new Error('broken')));
  for (let n = 0; n < 6; n++) await expect(broken()).rejects.toThrow('broken');
  expect(await guess('here', 'anna')).toBe('wrong');
});

it('lets no more than five through when many come at once', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => guess('here', 'anna')));
  expect(asked).toBeLessThanOrEqual(5);
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(5);
  for (let n = asked; n < 5; n++) expect(await guess('here', 'anna')).toBe('wrong');
  expect(await guess('here', 'anna')).toBe(900);
});
