/** Rate limits of an organization, as callers see them. This organization may request three uploads a minute. */
import { expect, it } from 'vitest';
import { askUpload, call } from './call.ts';

const POLICY = /^"minute";q=3;w=60$/;
const LEFT = /^"minute";r=(\d+);t=(\d+)$/;

/** Waits for the next minute if the current one is too short for the test. */
async function inOneMinute(): Promise<void> {
  const msLeft = 60_000 - (Date.now() % 60_000);
  if (msLeft < 10_000) await new Promise((resolve) => setTimeout(resolve, msLeft + 100));
}

it('counts down, refuses with 429 and Retry-After, and does not count refused calls', {
  timeout: 90_000,
}, async () => {
  await inOneMinute();
  for (const left of ['2', '1', '0']) {
    const reply = await askUpload('limited');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('ratelimit-policy')).toMatch(POLICY);
    expect(LEFT.exec(reply.headers.get('ratelimit') ?? '')?.[1]).toBe(left);
  }
  for (const _ of [1, 2]) {
    const refused = await askUpload('limited');
    expect([refused.status, Object.keys(refused.body)]).toEqual([429, ['error']]);
    expect(LEFT.exec(refused.headers.get('ratelimit') ?? '')?.[1]).toBe('0');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  }
});

it('does not affect the other limits of the organization', async () => {
  const reply = await call('files', '/models', { as: 'limited' });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('ratelimit-policy')).toBe('"minute";q=600;w=60');
});

it('sends no limit headers for a route without a limit, and does not count a refused credential', async () => {
  expect((await call('files', '/health')).headers.get('ratelimit')).toBeNull();
  const reply = await call('files', '/models', { headers: { 'x-api-key': 'errand_a_b' } });
  expect([reply.status, reply.headers.get('ratelimit')]).toEqual([401, null]);
});
