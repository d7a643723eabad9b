import { beforeEach, expect, it } from 'vitest';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { callerAddress } from '../../../functions/http/caller-address.ts';
import { credentialLimit } from '../../../functions/http/credential-limit.ts';
import { dispatcher } from '../../../functions/http/dispatch.ts';
import { badCredentialsConfig } from '../../../shared/core/config.ts';
import { openTasks } from '../../shared/tasks/setup.ts';
import { apiContextOf } from './api-context.ts';

const MAX = 30;
const WINDOW_SECONDS = 300;
const SECRET = 'the secret of the origin';

let at: ReturnType<typeof openTasks>;
let looked: string[];
let process: ReturnType<typeof start>;
beforeEach(() => {
  at = openTasks();
  looked = [];
  process = start();
  return () => at.close();
});

/** One process of the service over the shared state. */
function start() {
  const addressOf = callerAddress(async () => SECRET);
  const context = {
    ...apiContextOf(at),
    limitCredentials: credentialLimit({ ...at, addressOf, max: MAX, isOwnToken: async (text) => text === 'signed' }),
    keyOwner: async (key: string) => {
      looked.push(key);
      return key.startsWith('good') || key === 'signed'
        ? { organization: 'org', role: 'member' as const, by: 'key:1' }
        : undefined;
    },
  };
  const dispatch = dispatcher(filesAndTasks, context);
  return (key: string | undefined, from = '192.0.2.1', headers: Record<string, string> = {}) =>
    dispatch({
      method: 'GET',
      path: '/api/v1/files',
      query: new URLSearchParams(),
      headers: { ...headers, ...(key === undefined ? {} : { 'x-api-key': key }) },
      body: new Uint8Array(),
      sourceAddress: from,
      hosts: [],
    });
}

type Answered = Awaited<ReturnType<typeof process>>;
const statuses = async (times: number, call: () => Promise<Answered>): Promise<number[]> => {
  const collected = [];
  for (let n = 0; n < times; n++) collected.push((await call()).status);
  return collected;
};
const repeated = (times: number, status: number) => Array(times).fill(status);

it('refuses an address after its limit of bad credentials, without a lookup and with Retry-After', async () => {
  expect(await statuses(MAX, () => process('bad'))).toEqual(repeated(MAX, 401));
  looked = [];
  const refused = await process('bad');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(WINDOW_SECONDS);
  expect((await process('good unknown')).status).toBe(429);
  expect(looked).toEqual([]);
  expect((await process('bad', '192.0.2.2')).status).toBe(401);
  at.clock.pass(WINDOW_SECONDS * 1_000);
  expect((await process('bad')).status).toBe(401);
  expect((await process('good')).status).toBe(200);
});

it('counts a missing credential like a bad one', async () => {
  expect(await statuses(MAX, () => process(undefined))).toEqual(repeated(MAX, 401));
  expect((await process(undefined)).status).toBe(429);
});

it('never counts a valid credential, and keeps accepting one that was valid a moment ago', async () => {
  expect(await statuses(5 * MAX, () => process('good'))).toEqual(repeated(5 * MAX, 200));
  await statuses(MAX, () => process('bad'));
  expect((await process('bad')).status).toBe(429);
  expect((await process('good')).status).toBe(200);
});

it('accepts an access token that was issued a moment ago, even from an address that is over its limit', async () => {
  await statuses(MAX, () => process('bad'));
  expect((await process(undefined, '192.0.2.1', { authorization: 'Bearer forged' })).status).toBe(429);
  expect((await process(undefined, '192.0.2.1', { authorization: 'Bearer signed' })).status).toBe(200);
});

it('refuses a credential that has just become invalid', async () => {
  await process('good');
  await statuses(MAX + 1, () => process('bad'));
  expect((await process('good', '192.0.2.1', { authorization: 'Bearer bad' })).status).toBe(429);
});

it('counts across all processes', async () => {
  const otherProcess = start();
  await statuses(MAX, () => process('bad'));
  // A process publishes its counts in steps of ten.
  expect(await statuses(10, () => otherProcess('bad'))).toEqual(repeated(10, 401));
  expect((await otherProcess('bad')).status).toBe(429);
});

it('writes nothing to the table for a few mistakes, and a bounded number of times for a flood', async () => {
  let writes = 0;
  const { spend } = at.table;
  at.table.spend = (key, o) => {
    writes++;
    return spend(key, o);
  };
  process = start();
  await statuses(9, () => process('bad'));
  expect(writes).toBe(0);
  await statuses(1_000, () => process('bad'));
  expect(writes).toBe(MAX / 10);
});

it('uses the address that the edge saw if the call came through the edge', async () => {
  const through = (viewer: string, secret = SECRET) => ({ 'x-errand-viewer': viewer, 'x-errand-origin': secret });
  await statuses(MAX, () => process('bad', '203.0.113.1', through('192.0.2.1')));
  expect((await process('bad', '203.0.113.1', through('192.0.2.1'))).status).toBe(429);
  expect((await process('bad', '203.0.113.1', through('192.0.2.2'))).status).toBe(401);
  // A client that bypasses the CDN cannot claim another address.
  await statuses(MAX, () => process('bad', '203.0.113.2', through('192.0.2.3', 'guessed')));
  expect((await process('bad', '203.0.113.2', through('192.0.2.4', 'guessed'))).status).toBe(429);
  expect((await process('bad', '203.0.113.1', through('192.0.2.3'))).status).toBe(401);
});

it('does not refuse routes that need no credential', async () => {
  const dispatch = dispatcher(filesAndTasks, {
    ...apiContextOf(at),
    limitCredentials: () => Promise.reject(new Error('It is not asked.')),
  });
  const health = { method: 'GET', path: '/health', query: new URLSearchParams(), headers: {}, body: new Uint8Array() };
  expect((await dispatch({ ...health, sourceAddress: '192.0.2.1', hosts: [] })).status).toBe(200);
});

it('is 300 in five minutes unless the operator sets another limit', () => {
  expect(badCredentialsConfig({})).toEqual({ max: 300 });
  expect(badCredentialsConfig({ ERRAND_UNAUTHORIZED_CALLS: '50' })).toEqual({ max: 50 });
  expect(() => badCredentialsConfig({ ERRAND_UNAUTHORIZED_CALLS: '0' })).toThrow('ERRAND_UNAUTHORIZED_CALLS is "0"');
});
