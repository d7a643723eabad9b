import { beforeEach, expect, it } from 'vitest';
import { logIn } from '../../../../shared/accounts/login.ts';
import { setDisabled, setPassword } from '../../../../shared/accounts/users.ts';
import { isProblem } from '../../../../shared/core/problem.ts';
import { semaphore } from '../../../../shared/core/semaphore.ts';
import type { Passwords } from '../../../../shared/ports.ts';
import { elsewhere, organization, password, useLogin } from './setup.ts';

const state = useLogin();
const MINUTE = 60_000;
const from = '192.0.2.1';

let at: ReturnType<typeof state>;
beforeEach(() => {
  at = state();
});

/** Password checks that complete when a test says so, in their order. */
function gatePasswords() {
  const begun: { password: string; end: () => void }[] = [];
  const passwords: Passwords = {
    ...at.passwords,
    async verify(text, hash) {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push({ password: text, end: resolve });
      await promise;
      return at.passwords.verify(text, hash);
    },
  };
  return { begun, ports: { ...at, passwords } };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await turn();
}

const outcome = async (login: Promise<unknown>): Promise<string> => {
  try {
    await login;
    return 'in';
  } catch (error) {
    if (isProblem(error)) return error.code;
    throw error;
  }
};

it('accepts a burst from one address: 120 users, and one user 120 times', async () => {
  const names = Array.from({ length: 120 }, (_, n) => `user${n}@example.org`);
  for (const name of names) await at.user(name);
  const outcomes = await Promise.all(names.map((name) => outcome(logIn(at, { name, password, from }))));
  expect(outcomes).toEqual(Array(120).fill('in'));
  const [name = ''] = names;
  const repeated = await Promise.all(names.map(() => outcome(logIn(at, { name, password, from }))));
  expect(repeated).toEqual(Array(120).fill('in'));
});

it('checks two at once, and takes turns between organizations', async () => {
  await at.user('anna@example.org');
  await at.user('zoe@example.org', 'member', elsewhere);
  const { begun, ports } = gatePasswords();
  const many = Array.from({ length: 6 }, () => logIn(ports, { name: 'anna@example.org', password, from }));
  await until(() => begun.length === 2);
  const otherLogin = logIn(ports, { name: 'zoe@example.org', password: 'the wrong one', from });
  const firstCheck = begun.shift();
  firstCheck?.end();
  await until(() => begun.length === 2);
  begun.shift()?.end();
  await until(() => begun.length === 2);
  expect(begun.map((check) => check.password)).toContain('the wrong one');
  const ending = setInterval(() => begun.shift()?.end(), 0);
  expect(await outcome(otherLogin)).toBe('unauthorized');
  await Promise.all(many);
  clearInterval(ending);
});

it('gives the turn of a disconnected caller to the next one', async () => {
  await at.user('anna@example.org');
  const { begun, ports } = gatePasswords();
  const slots = { ...ports, passwordSlots: semaphore({ capacity: 1 }) };
  const login = (signal?: AbortSignal) => logIn(slots, { name: 'anna@example.org', password, from, signal });
  const first = login();
  await until(() => begun.length === 1);
  const gone = new AbortController();
  const waiting = outcome(login(gone.signal));
  const last = login();
  gone.abort();
  expect(await waiting).toBe('busy');
  begun.shift()?.end();
  await until(() => begun.length === 1);
  begun.shift()?.end();
  await Promise.all([first, last]);
});

it('accepts a user at a known address while the account is locked elsewhere, but not a disabled user', async () => {
  const { id, name } = await at.user();
  await logIn(at, { name, password, from });
  for (let n = 0; n < 20; n++) await outcome(logIn(at, { name, password: 'wrong', from: `198.51.100.${n}` }));
  const anywhere = () => outcome(logIn(at, { name, password, from: '203.0.113.9' }));
  expect(await anywhere()).toBe('rateLimited');
  expect(await outcome(logIn(at, { name, password, from }))).toBe('in');
  await setDisabled(at.table, id, true);
  expect(await outcome(logIn(at, { name, password, from }))).toBe('rateLimited');
  at.clock.pass(15 * MINUTE);
  expect(await outcome(logIn(at, { name, password, from }))).toBe('unauthorized');
});

it('does the same work for an unknown user as for a wrong password, locked or not', async () => {
  const { name } = await at.user();
  const work = async (who: string) => {
    const before = at.passwords.verified.length;
    const outcomes: string[] = [];
    for (let n = 0; n < 7; n++) outcomes.push(await outcome(logIn(at, { name: who, password: 'wrong', from: who })));
    return { outcomes, verified: at.passwords.verified.length - before };
  };
  expect(await work('nobody@example.org')).toEqual(await work(name));
});

it('refuses the old password everywhere after a change', async () => {
  const { id, name } = await at.user();
  await logIn(at, { name, password, from });
  await setPassword(at, id, 'another password');
  expect(await outcome(logIn(at, { name, password, from }))).toBe('unauthorized');
  expect(await outcome(logIn(at, { name, password: 'another password', from }))).toBe('in');
});

it('erases the known addresses of users with their organization', async () => {
  const { id, name } = await at.user();
  await logIn(at, { name, password, from });
  const { rows } = await at.table.rows(`SIGNED-IN#${id}`, '', { limit: 10 });
  expect(rows.map(({ value }) => value)).toEqual([{ organization }]);
});
