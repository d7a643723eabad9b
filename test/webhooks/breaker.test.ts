/** A receiver that keeps failing: what goes to it is spaced out, and nothing is dropped. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isUnwell, MOST_AHEAD_MS, OPENS_AT, spaceAfter } from '../../shared/webhooks/breaker.ts';
import { redeliver } from '../../shared/webhooks/redeliver.ts';
import { type Opened, openWebhooks, recorded, status } from './opened.ts';

let opened: Opened;
beforeEach(async () => {
  opened = openWebhooks();
  await opened.rotate();
});
afterEach(() => opened.close());

const failing = () => recorded(() => status(503));

async function failOften(times: number, organization?: string): Promise<void> {
  for (let made = 0; made < times; made++) {
    opened.clock.pass(spaceAfter(made));
    await opened.send(await opened.ended(organization === undefined ? {} : { organization }), failing());
  }
}

const isSent = async (wanted: Parameters<Opened['ended']>[0] = {}): Promise<boolean> => {
  const post = recorded();
  await opened.send(await opened.ended(wanted), post);
  return post.sent.length === 1;
};

it('tells the organization once that a receiver keeps failing, and names it', async () => {
  const told: unknown[] = [];
  const notify = (organization: string, notice: object) => told.push({ organization, ...notice });
  for (let made = 0; made < OPENS_AT + 2; made++) {
    opened.clock.pass(spaceAfter(made));
    await opened.send(await opened.ended(), failing(), { notify });
  }
  const message = expect.stringMatching(/^The webhook receiver https:\/\/\S+ has failed 5 times in a row/);
  expect(told).toEqual([{ organization: opened.organization, level: 'warning', message }]);
});

it('lets the first failures pass', async () => {
  await failOften(OPENS_AT - 1);
  expect(await isSent()).toBe(true);
});

it('puts off what comes too soon after the fifth failure in a row, without using up an attempt', async () => {
  await failOften(OPENS_AT);
  const address = await opened.ended();
  const post = recorded();
  await opened.send(address, post);
  expect(post.sent).toEqual([]);
  const nextAt = opened.clock.now() + spaceAfter(OPENS_AT);
  expect(await opened.delivery(address)).toMatchObject({ state: 'pending', attempts: [], nextAt });
  opened.clock.pass(spaceAfter(OPENS_AT));
  await opened.send(address, post);
  expect(await opened.delivery(address)).toMatchObject({ state: 'delivered', attempts: [{ number: 1 }] });
});

it('gives each that waits a place of its own, and sends all of them', async () => {
  await failOften(OPENS_AT + 2);
  const space = spaceAfter(OPENS_AT + 2);
  const post = recorded();
  const addresses = [];
  for (let at = 0; at < 30; at++) addresses.push(await opened.ended());
  for (const address of addresses) await opened.send(address, post);
  const places = await Promise.all(addresses.map(async (each) => (await opened.delivery(each)).nextAt ?? 0));
  expect(places.map((place) => place - opened.clock.now())).toEqual(places.map((_, at) => (at + 1) * space));
  opened.clock.pass(30 * space);
  for (const address of addresses) await opened.send(address, post);
  expect(post.sent).toHaveLength(30);
});

it('gives no place further ahead than a queue can hold, however many wait', async () => {
  await failOften(OPENS_AT + 5);
  let furthest = 0;
  for (let at = 0; at < 40; at++) {
    const address = await opened.ended();
    await opened.send(address, failing());
    furthest = Math.max(furthest, ((await opened.delivery(address)).nextAt ?? 0) - opened.clock.now());
  }
  expect(furthest).toBeGreaterThan(MOST_AHEAD_MS / 2);
  expect(furthest).toBeLessThanOrEqual(MOST_AHEAD_MS + spaceAfter(OPENS_AT + 5));
});

it('gives two senders that ask at once two places', async () => {
  await failOften(OPENS_AT);
  const addresses = [await opened.ended(), await opened.ended(), await opened.ended()];
  await Promise.all(addresses.map((address) => opened.send(address, failing())));
  const places = await Promise.all(addresses.map(async (each) => (await opened.delivery(each)).nextAt));
  expect(new Set(places).size).toBe(3);
});

it('closes with the first good answer', async () => {
  await failOften(OPENS_AT + 3);
  opened.clock.pass(spaceAfter(OPENS_AT + 3));
  expect(await isSent()).toBe(true);
  expect(await isSent()).toBe(true);
});

it('is forgotten after an hour without a failure', async () => {
  await failOften(OPENS_AT + 3);
  opened.clock.pass(3_600_000);
  await failOften(1);
  expect(await isSent()).toBe(true);
});

it('is of one organization and one origin', async () => {
  await failOften(OPENS_AT + 3);
  const organization = opened.ids.uuid();
  await opened.rotate(organization);
  expect(await isSent({ organization })).toBe(true);
  expect(await isSent({ endpoint: 'https://other.customer-a.com/errand' })).toBe(true);
  expect(await isSent({ endpoint: 'https://hooks.customer-a.com:8443/errand' })).toBe(true);
  expect(await isSent({ endpoint: 'https://hooks.customer-a.com/another/path' })).toBe(false);
});

it('tells the log once that a receiver keeps failing, and nothing of its path', async () => {
  await failOften(OPENS_AT + 3);
  const told = opened.lines.filter((line) => line.includes('keeps failing'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('https://hooks.customer-a.com');
  expect(told[0]).not.toContain('/errand');
});

it('does not hold up what somebody wants sent again', async () => {
  const address = await opened.ended();
  await opened.send(address, recorded());
  await failOften(OPENS_AT + 3);
  const { id } = await opened.delivery(address);
  await redeliver(opened, address, { id });
  const post = recorded();
  await opened.send(address, post);
  expect(post.sent).toHaveLength(1);
});

it('counts what says that the other side is not well, and nothing else', () => {
  for (const code of [429, 500, 502, 503, 504]) expect(isUnwell(status(code)), String(code)).toBe(true);
  for (const code of [200, 204, 301, 400, 404, 410]) expect(isUnwell(status(code)), String(code)).toBe(false);
  for (const fault of ['unresolved', 'unreachable', 'tls', 'timeout', 'broken'] as const) {
    expect(isUnwell({ fault })).toBe(true);
  }
  expect(isUnwell({ fault: 'blocked_target' })).toBe(false);
});

it('spaces by one second, then by twice as much with each failure, at most by 30', () => {
  const spaces = [4, 5, 6, 7, 8, 9, 10, 50].map(spaceAfter);
  expect(spaces).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});
