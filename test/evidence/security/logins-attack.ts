/** A burst of correct logins by many users and by one: all finish within a minute, and the product stays responsive. */
import { passwords } from '../../../engines/passwords/passwords.ts';
import { scryptThreads } from '../../../engines/passwords/scrypt-threads.ts';
import { createUser } from '../../../shared/accounts/users.ts';
import { boundMs } from '../../support/machine-speed.ts';
import type { Attacked } from './attack-target.ts';
import type { Outcome, Part } from './part.ts';
import type { Tenant } from './tenants.ts';

const LOGINS = 120;
const WITHIN_MS = 60_000;
const ORGANIZATIONS = 3;
const PASSWORD = 'a password at its full cost';
const HEALTH_EVERY_MS = 20;
const HEALTH_WITHIN_MS = 1_000;

/** Each user has a separate hash, with the product's cost. */
async function users(on: Attacked): Promise<string[]> {
  const ports = { ...on.local, passwords: passwords({ derive: scryptThreads(2) }) };
  const tenants: Tenant[] = [];
  for (let n = 0; n < ORGANIZATIONS; n++) tenants.push(await on.tenants.found());
  const names = Array.from({ length: LOGINS }, (_, n) => `burst${n}@example.org`);
  await Promise.all(
    names.map((name, n) => {
      const organization = tenants[n % ORGANIZATIONS]?.id ?? '';
      return createUser(ports, { organization, name, role: 'member', password: PASSWORD });
    }),
  );
  return names;
}

async function loggedIn(on: Attacked, username: string): Promise<number> {
  const response = await fetch(`${on.roots().agents}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: PASSWORD }),
  });
  await response.text();
  return response.status;
}

/** Polls the health of both APIs; the returned function stops it and resolves to the latencies. */
function watchHealth(on: Attacked): () => Promise<number[]> {
  const took: number[] = [];
  const asked = new Set<Promise<void>>();
  const ask = async (root: string) => {
    const from = performance.now();
    await (await fetch(`${root}/health`)).text();
    took.push(performance.now() - from);
  };
  const timer = setInterval(() => {
    for (const root of Object.values(on.roots())) {
      const one = ask(root).finally(() => asked.delete(one));
      asked.add(one);
    }
  }, HEALTH_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all(asked);
    return took.sort((one, other) => one - other);
  };
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

async function burst(on: Attacked, what: string, names: string[]): Promise<Outcome> {
  const broken: string[] = [];
  const withinMs = boundMs(WITHIN_MS);
  const health = watchHealth(on);
  const from = performance.now();
  await Promise.all(
    names.map(async (name) => {
      const status = await loggedIn(on, name);
      const ms = performance.now() - from;
      if (status !== 200) broken.push(`${name}: ${status} after ${seconds(ms)} s`);
      else if (ms > withinMs) broken.push(`${name}: served after ${seconds(ms)} s`);
    }),
  );
  const ms = performance.now() - from;
  const took = await health();
  const p99 = took[Math.floor(took.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  if (p99 > boundMs(HEALTH_WITHIN_MS)) broken.push(`health took ${Math.round(p99)} ms (p99)`);
  const figures = [`all within ${seconds(ms)} s`, `health p99 ${Math.round(p99)} ms of ${took.length}`];
  return { what, tried: names.length, broken, figures };
}

export const logins: Part = {
  name: 'logins',
  promise: `A burst of ${LOGINS} correct logins is served within a minute, without slowing other calls`,
  isAlone: true,
  async run({ on }) {
    const names = await users(on);
    const [one = ''] = names;
    return [
      await burst(on, `${LOGINS} users log in at once, from one address`, names),
      await burst(on, `one user logs in ${LOGINS} times at once`, Array(LOGINS).fill(one)),
    ];
  },
};
