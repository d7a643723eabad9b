/** What one sender remembers between its deliveries, and for how long. */
import { expect, it } from 'vitest';
import { healthOf } from '../../shared/webhooks/breaker.ts';
import { recalled } from '../../shared/webhooks/recalled.ts';
import { ENDPOINT, OK, openedWebhooks, recorded, status } from './opened.ts';

const { its } = openedWebhooks();
const MOMENT_MS = 2_000;

/** One sender over a table whose reads are noted. */
function watched() {
  const { opened } = its;
  const asked: string[] = [];
  const table = {
    ...opened.table,
    get: (key: Parameters<typeof opened.table.get>[0]) => {
      asked.push(key.sk === 'WEBHOOK_SECRET' ? 'secret' : key.pk.endsWith('#BREAKERS') ? 'health' : 'other');
      return opened.table.get(key);
    },
  } as typeof opened.table;
  const ports = { recalled: recalled({ ...opened, table }) };
  return {
    ports,
    asked: () => asked.splice(0).filter((what) => what !== 'other'),
    send: async (post = recorded()) => {
      await opened.send(await opened.ended(), post, ports);
      return post.sent[0]?.headers ?? {};
    },
  };
}

it('asks once for what many deliveries of a moment need, and again after it', async () => {
  const { send, asked } = watched();
  await send();
  expect(asked().toSorted()).toEqual(['health', 'secret']);
  await send();
  its.opened.clock.pass(MOMENT_MS - 1);
  await send();
  expect(asked()).toEqual([]);
  its.opened.clock.pass(MOMENT_MS);
  await send();
  expect(asked().toSorted()).toEqual(['health', 'secret']);
});

it('signs with a new secret a moment after the rotation at the latest', async () => {
  const { send } = watched();
  await send();
  await its.opened.rotate();
  expect(await send()).not.toHaveProperty('x-service-signature-next');
  its.opened.clock.pass(MOMENT_MS);
  expect(await send()).toHaveProperty('x-service-signature-next');
});

it('looks at a receiver each time from its first bad answer on, so that it is spaced out as soon as all others do', async () => {
  const { send, asked } = watched();
  const receiver = { organization: its.opened.organization, origin: new URL(ENDPOINT).origin };
  await send();
  asked();
  for (let failures = 1; failures <= 5; failures++) {
    await send(recorded(() => status(503)));
    expect((await healthOf(its.opened.table, receiver))?.value.failures).toBe(failures);
  }
  expect(asked()).toEqual(Array(4).fill('health'));
  expect(await send(recorded(() => OK))).toBeDefined();
  const put = recorded();
  await send(put);
  expect(put.sent).toEqual([]);
});
