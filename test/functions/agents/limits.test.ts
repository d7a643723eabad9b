/** The rate limits of the specification: exact for one organization, also under concurrent calls. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Api, openApi, type Who } from './setup.ts';

let api: Api;
beforeEach(() => {
  api = openApi();
});
afterEach(() => api.close());

const AT_ONCE = 50;
const MINUTE_MS = 60_000;
const RANDOM = 'task_01900000-0000-7000-8000-000000000009';
const BODY = { task_type: 'research_agent', input: { query: 'q' } };

type LimitedCall = { method: 'GET' | 'POST'; path: string; json?: object; expectedStatus: number };
const LIMITED: [what: string, asking: LimitedCall, minute: number, hour: number][] = [
  ['POST /tasks', { method: 'POST', path: '/tasks', json: BODY, expectedStatus: 202 }, 10, 100],
  ['GET /tasks', { method: 'GET', path: '/tasks', expectedStatus: 200 }, 50, 1_000],
  ['GET /tasks/{id}', { method: 'GET', path: `/tasks/${RANDOM}`, expectedStatus: 404 }, 25, 500],
  ['POST /tasks/{id}/cancel', { method: 'POST', path: `/tasks/${RANDOM}/cancel`, expectedStatus: 404 }, 25, 500],
  ['GET /tasks/{id}/results', { method: 'GET', path: `/tasks/${RANDOM}/results`, expectedStatus: 404 }, 25, 500],
];

/** How many of this many concurrent calls are permitted. */
async function burst(who: Who, { method, path, json, expectedStatus }: LimitedCall, amount = AT_ONCE): Promise<number> {
  const replies = await Promise.all(
    Array.from({ length: amount }, () => api.call(who, method, path, json ? { json } : {})),
  );
  const refused = replies.filter(({ status }) => status === 429);
  for (const { body, headers } of refused) {
    expect(body.error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { retry_after_seconds: expect.any(Number) },
    });
    expect(Number(headers['retry-after'])).toBe(body.error.details.retry_after_seconds);
  }
  const let_in = replies.filter(({ status }) => status === expectedStatus).length;
  expect(let_in + refused.length).toBe(amount);
  return let_in;
}

describe.each(LIMITED)('%s', (_what, asking, minute, hour) => {
  it(`accepts exactly ${minute} calls a minute and ${hour} an hour, and affects no other organization`, async () => {
    const who = { organization: api.found({}) };
    const other = { organization: api.found({}) };
    let accepted = 0;
    for (let minutes = 0; accepted < hour; minutes++) {
      expect(minutes).toBeLessThan(60);
      const permitted = Math.min(minute, hour - accepted);
      expect(await burst(who, asking, minute + AT_ONCE)).toBe(permitted);
      accepted += permitted;
      api.clock.pass(MINUTE_MS);
    }
    expect(await burst(who, asking)).toBe(0);
    expect(await burst(other, asking, minute)).toBe(minute);
    api.clock.pass(60 * MINUTE_MS - (accepted / minute) * MINUTE_MS);
    expect(await burst(who, asking, minute + AT_ONCE)).toBe(minute);
  });
});

it('sends the remaining calls before the limit is reached', async () => {
  const who = { organization: api.found({}) };
  const headersLeft: string[] = [];
  for (let n = 0; n < 11; n++) {
    const { headers } = await api.call(who, 'POST', '/tasks', { json: BODY });
    expect(headers['ratelimit-policy']).toBe('"minute";q=10;w=60, "hour";q=100;w=3600');
    headersLeft.push(headers.ratelimit ?? '');
  }
  expect(headersLeft[0]).toBe('"minute";r=9;t=60, "hour";r=99;t=3600');
  expect(headersLeft.slice(-2)).toEqual(Array(2).fill('"minute";r=0;t=60, "hour";r=90;t=3600'));
});

it('has a separate counter for each route', async () => {
  const who = { organization: api.found({}) };
  for (const [, asking, minute] of LIMITED) expect(await burst(who, asking, 60)).toBe(minute);
});

it('uses the override of the operator for one organization', async () => {
  const who = { organization: api.found({ 'agent-submits': { minute: 20, hour: 30 } }) };
  const [, submits] = LIMITED[0] ?? [];
  if (!submits) throw new Error('There is none.');
  expect(await burst(who, submits)).toBe(20);
  api.clock.pass(MINUTE_MS);
  expect(await burst(who, submits)).toBe(10);
});

it('counts a call before its body is read, but not a call without permission', async () => {
  const organization = api.found({});
  for (let n = 0; n < 12; n++) await api.call({ organization, role: 'viewer' }, 'POST', '/tasks', { json: BODY });
  for (let n = 0; n < 10; n++) {
    expect((await api.call({ organization }, 'POST', '/tasks', { json: {} })).status).toBe(400);
  }
  expect((await api.call({ organization }, 'POST', '/tasks', { json: BODY })).status).toBe(429);
});
