/** The circuit breaker of a receiver: when it opens, what happens while it is open, and when it resets. */
import { expect, it } from 'vitest';
import type { Post } from '../../../shared/ports.ts';
import { circuitBreaker } from '../../../shared/webhooks/circuit-breaker.ts';
import { redeliver } from '../../../shared/webhooks/deliveries.ts';
import { BREAKER_LIMITS } from '../../../shared/webhooks/receiver-health.ts';
import { senderCache } from '../../../shared/webhooks/sender-cache.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { OK, recordingPost, status, useWebhooks } from './setup.ts';

const { its } = useWebhooks();

const failing = () => recordingPost(() => status(503));
const fail = async (more: Parameters<typeof its.opened.send>[2] = {}) =>
  its.opened.send(await its.opened.ended(), failing(), more);

async function failOften(times: number, more: Parameters<typeof its.opened.send>[2] = {}): Promise<void> {
  for (let attempt = 0; attempt < times; attempt++) await fail(more);
}

async function open(more: Parameters<typeof its.opened.send>[2] = {}): Promise<void> {
  await failOften(BREAKER_LIMITS.opensAt, more);
  its.opened.clock.pass(BREAKER_LIMITS.opensAfterMs);
  await fail(more);
}

const isSent = async (options: Parameters<typeof its.opened.ended>[0] = {}): Promise<boolean> => {
  const post = recordingPost();
  await its.opened.send(await its.opened.ended(options), post);
  return post.sent.length === 1;
};

it('stays closed for a receiver that fails 10 % at random under eight senders that share its state', async () => {
  const { opened } = its;
  const random = seededRandom(1);
  const recall = { recalled: senderCache(opened) };
  const post: Post = async () => {
    // Other senders send meanwhile.
    await new Promise(setImmediate);
    return random() < 0.1 ? status(503) : OK;
  };
  for (let batch = 0; batch < 60; batch++) {
    const addresses = await Promise.all(Array.from({ length: 8 }, () => opened.ended()));
    await Promise.all(addresses.map((address) => opened.send(address, post, recall)));
    for (const address of addresses) expect((await opened.delivery(address)).attempts).toHaveLength(1);
    opened.clock.pass(200);
  }
});

it('notifies the organization and logs once that a receiver keeps failing, without its URL path', async () => {
  const notices: unknown[] = [];
  const notify = (organization: string, notice: object) => notices.push({ organization, ...notice });
  await open({ notify });
  its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
  await failOften(3, { notify });
  const message = expect.stringMatching(/^The webhook receiver https:\/\/\S+ has failed 5 times in a row/);
  expect(notices).toEqual([{ organization: its.opened.organization, level: 'warning', message }]);
  const lines = its.opened.lines.filter((line) => line.includes('keeps failing'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('https://hooks.customer-a.com');
  expect(lines[0]).not.toContain('/errand');
});

it('does not open before five failures in a row, nor while they lie close together', async () => {
  await failOften(BREAKER_LIMITS.opensAt - 2);
  its.opened.clock.pass(BREAKER_LIMITS.opensAfterMs);
  await fail();
  expect(await isSent()).toBe(true);
  await failOften(2 * BREAKER_LIMITS.opensAt);
  its.opened.clock.pass(BREAKER_LIMITS.opensAfterMs - 1);
  await fail();
  expect(await isSent()).toBe(true);
});

it('restarts its count after a success, and after a long time', async () => {
  await failOften(BREAKER_LIMITS.opensAt - 1);
  its.opened.clock.pass(BREAKER_LIMITS.opensAfterMs);
  expect(await isSent()).toBe(true);
  await failOften(BREAKER_LIMITS.opensAt - 1);
  its.opened.clock.pass(BREAKER_LIMITS.windowMs);
  await fail();
  expect(await isSent()).toBe(true);
});

it('opens after five failures in a row over some seconds, and then deliveries wait without using up an attempt', async () => {
  await open();
  const address = await its.opened.ended();
  const post = recordingPost();
  await its.opened.send(address, post);
  expect(post.sent).toEqual([]);
  const { state, attempts, nextAt = 0 } = await its.opened.delivery(address);
  expect([state, attempts]).toEqual(['pending', []]);
  const waits = nextAt - its.opened.clock.now();
  expect(waits).toBeGreaterThanOrEqual(BREAKER_LIMITS.maxWaitMs / 2);
  expect(waits).toBeLessThanOrEqual(BREAKER_LIMITS.maxWaitMs);
});

it('attempts a delivery that has waited for the maximum time even while open, so that its retry plan continues', async () => {
  await open();
  const address = await its.opened.ended();
  await its.opened.send(address, failing());
  const { nextAt = 0 } = await its.opened.delivery(address);
  // Another sender probes meanwhile.
  for (let _probes = 0; its.opened.clock.now() + BREAKER_LIMITS.probeEveryMs < nextAt; _probes++) {
    its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
    await fail();
  }
  its.opened.clock.pass(nextAt - its.opened.clock.now());
  await its.opened.send(address, failing());
  expect(await its.opened.delivery(address)).toMatchObject({
    state: 'pending',
    attempts: [{ number: 1, status: 503 }],
  });
});

it('lets one delivery through every 30 s, however many arrive at once', async () => {
  await open();
  const post = failing();
  for (let probes = 0; probes <= 3; probes++) {
    const addresses = await Promise.all(Array.from({ length: 4 }, () => its.opened.ended()));
    await Promise.all(addresses.map((address) => its.opened.send(address, post)));
    expect(post.sent).toHaveLength(probes);
    its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
  }
});

it('closes with the first successful answer', async () => {
  await open();
  its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
  expect(await isSent()).toBe(true);
  expect(await isSent()).toBe(true);
});

it('closes with the success of a slow attempt that began before it opened', async () => {
  const address = await its.opened.ended();
  await its.opened.send(address, async () => {
    await open();
    expect(await isSent()).toBe(false);
    return OK;
  });
  expect(await isSent()).toBe(true);
});

it('does not close because our own rules refuse the URL', async () => {
  await open();
  its.opened.clock.pass(BREAKER_LIMITS.probeEveryMs);
  const blocked = recordingPost(() => ({ fault: 'blocked_target' }));
  await its.opened.send(await its.opened.ended(), blocked);
  expect(blocked.sent).toHaveLength(1);
  expect(await isSent()).toBe(false);
});

it('applies to one organization and one origin', async () => {
  await open();
  const organization = its.opened.ids.uuid();
  await its.opened.rotate(organization);
  expect(await isSent({ organization })).toBe(true);
  expect(await isSent({ endpoint: 'https://other.customer-a.com/errand' })).toBe(true);
  expect(await isSent({ endpoint: 'https://hooks.customer-a.com:8443/errand' })).toBe(true);
  expect(await isSent({ endpoint: 'https://hooks.customer-a.com/another/path' })).toBe(false);
});

it('does not hold up a redelivery', async () => {
  const address = await its.opened.ended();
  await its.opened.send(address, recordingPost());
  await open();
  const { id } = await its.opened.delivery(address);
  await redeliver(its.opened, address, { id });
  const post = recordingPost();
  await its.opened.send(address, post);
  expect(post.sent).toHaveLength(1);
});

it('needs no write and no row for a healthy receiver', async () => {
  const { opened } = its;
  const writes: string[] = [];
  const noteWrite =
    (name: 'insert' | 'replace' | 'remove') =>
    async (row: { sk: string }, ...otherArgs: never[]) => {
      writes.push(row.sk);
      return (opened.table[name] as (...args: unknown[]) => Promise<never>)(row, ...otherArgs);
    };
  const table = {
    ...opened.table,
    insert: noteWrite('insert'),
    replace: noteWrite('replace'),
    remove: noteWrite('remove'),
  };
  await opened.send(await opened.ended(), recordingPost(), { table: table as typeof opened.table });
  expect(writes).toEqual(['TASK', 'TASK']);
});

it('counts only failures of the receiver', () => {
  for (const code of [429, 500, 502, 503, 504]) expect(circuitBreaker.isUnwell(status(code)), String(code)).toBe(true);
  for (const code of [200, 204, 301, 400, 404, 410])
    expect(circuitBreaker.isUnwell(status(code)), String(code)).toBe(false);
  for (const fault of ['unresolved', 'unreachable', 'tls', 'timeout', 'broken'] as const) {
    expect(circuitBreaker.isUnwell({ fault })).toBe(true);
  }
  expect(circuitBreaker.isUnwell({ fault: 'blocked_target' })).toBe(false);
});
