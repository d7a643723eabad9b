/** Twelve kinds of receivers and many tasks for each, over the whole plan, on a set clock. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Post, PostResult } from '../../../shared/ports.ts';
import { JITTER, MAX_ATTEMPTS, WAITS_MS } from '../../../shared/tasks/webhook-plan.ts';
import { repetitions } from '../../support/repetitions.ts';
import { OK, status } from './setup.ts';
import { virtualWorld } from './virtual-world.ts';

const TASKS = repetitions({ few: 40, many: 200 });
/** The plan with the most jitter, and an hour for the last attempt. */
const PLAN_MS = WAITS_MS.reduce((sum, wait) => sum + wait * (1 + JITTER), 3_600_000);
const SEED = 20_261_121;

type Kind = {
  /** `earlier` is the number of earlier attempts. */
  answer(earlier: number): PostResult;
  attempts: number;
  ends: 'delivered' | 'exhausted';
  retryAfterMs?: number;
};

const always = (answer: PostResult, attempts = MAX_ATTEMPTS, ends: Kind['ends'] = 'exhausted'): Kind => ({
  answer: () => answer,
  attempts,
  ends,
});

const KINDS: Record<string, Kind> = {
  '200': always(OK, 1, 'delivered'),
  '204': always(status(204), 1, 'delivered'),
  '301': always(status(301)),
  '400': always(status(400)),
  '404': always(status(404)),
  '410': always(status(410), 1),
  '429-with-retry-after': { ...always(status(429, '9')), retryAfterMs: 9_000 },
  '500': always(status(500)),
  '503-with-retry-after': { ...always(status(503, '450')), retryAfterMs: 450_000 },
  'time-out': always({ fault: 'timeout' }),
  reset: always({ fault: 'broken' }),
  // Fails, and accepts after the pause.
  alternating: { answer: (earlier) => (earlier % 2 === 0 ? status(502) : OK), attempts: 2, ends: 'delivered' },
};

type ArrivedAttempt = { at: number; id: string; body: string };

const world = virtualWorld({ seed: SEED });
const arrivalsByHost = new Map<string, ArrivedAttempt[]>();
const ended = new Map<string, Awaited<ReturnType<typeof world.delivery>>>();
/** Each task has a receiver of its own, so that no breaker moves the plan. */
const hostOf = (kind: string, at: number): string => `r${at}.k${Object.keys(KINDS).indexOf(kind)}.customer-a.com`;

beforeAll(async () => {
  const kindOf = new Map<string, Kind>();
  await world.rotate();
  for (const [name, kind] of Object.entries(KINDS)) {
    for (let at = 0; at < TASKS; at++) kindOf.set(hostOf(name, at), kind);
  }
  for (const host of kindOf.keys()) arrivalsByHost.set(host, []);
  const tasks = await Promise.all(
    [...kindOf.keys()].map(async (host) => ({
      host,
      address: await world.ended({ endpoint: `https://${host}/hook` }),
    })),
  );
  const post: Post = async (address, { headers, body }) => {
    const { host } = new URL(address);
    const before = arrivalsByHost.get(host) ?? [];
    arrivalsByHost.set(host, [...before, { at: world.clock.now(), id: headers['webhook-id'] ?? '', body }]);
    return kindOf.get(host)?.answer(before.length) ?? status(500);
  };
  await world.run(post, PLAN_MS);
  for (const { host, address } of tasks) ended.set(host, await world.delivery(address));
}, 120_000);
afterAll(() => world.close());

describe.each(Object.entries(KINDS))('a receiver that answers %s', (name, kind) => {
  const hosts = Array.from({ length: TASKS }, (_, at) => hostOf(name, at));

  it(`is sent each of ${TASKS} events ${kind.attempts} times, and then it is ${kind.ends}`, () => {
    expect(hosts.map((host) => arrivalsByHost.get(host)?.length)).toEqual(hosts.map(() => kind.attempts));
    expect(hosts.map((host) => ended.get(host)?.state)).toEqual(hosts.map(() => kind.ends));
    expect(hosts.map((host) => ended.get(host)?.attempts.length)).toEqual(hosts.map(() => kind.attempts));
  });

  it('gets one id and the same bytes on every attempt', () => {
    for (const host of hosts) {
      const arrivals = arrivalsByHost.get(host) ?? [];
      expect(new Set(arrivals.map(({ id }) => id)).size).toBe(1);
      expect(new Set(arrivals.map(({ body }) => body)).size).toBe(1);
    }
  });

  it('gets each attempt inside its window', () => {
    for (const host of hosts) {
      const times = (arrivalsByHost.get(host) ?? []).map(({ at }) => at);
      for (const [at, wait] of WAITS_MS.slice(0, times.length - 1).entries()) {
        const waited = (times[at + 1] ?? 0) - (times[at] ?? 0);
        const retryAfterMs = kind.retryAfterMs ?? 0;
        const [minWait, maxWait] = [wait * (1 - JITTER), wait * (1 + JITTER)];
        expect(waited, `${host}, wait ${at + 1}`).toBeGreaterThanOrEqual(
          Math.max(minWait, Math.min(retryAfterMs, 2 * minWait)),
        );
        // The delay of a queue is in whole seconds.
        expect(waited, `${host}, wait ${at + 1}`).toBeLessThanOrEqual(
          Math.max(maxWait, Math.min(retryAfterMs, 2 * maxWait)) + 1_000,
        );
      }
    }
  });
});

it('records the planned times next to the actual ones', () => {
  for (const [host, { attempts }] of ended) {
    for (const [at, { nextAt }] of attempts.entries()) {
      const next = arrivalsByHost.get(host)?.[at + 1]?.at;
      expect(nextAt === undefined).toBe(next === undefined);
      if (nextAt === undefined || next === undefined) continue;
      expect(next - nextAt).toBeGreaterThanOrEqual(0);
      expect(next - nextAt).toBeLessThanOrEqual(121_000);
    }
  }
});

it('has no delivery left that is due', () => {
  expect(world.table.dueKeys('TASK')).toEqual([]);
});
