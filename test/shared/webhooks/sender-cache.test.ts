/** The caches of a sender, and how long they last. */
import { expect, it } from 'vitest';
import { senderCache } from '../../../shared/webhooks/sender-cache.ts';
import { OK, recordingPost, status, useWebhooks } from './setup.ts';

const { its } = useWebhooks();
const MOMENT_MS = 2_000;

/** One sender over a table that records reads. */
function recordReads() {
  const { opened } = its;
  const reads: string[] = [];
  const table = {
    ...opened.table,
    get: (key: Parameters<typeof opened.table.get>[0]) => {
      reads.push(key.sk === 'WEBHOOK_SECRET' ? 'secret' : key.sk === 'BREAKER' ? 'health' : 'other');
      return opened.table.get(key);
    },
  } as typeof opened.table;
  const ports = { recalled: senderCache({ ...opened, table }) };
  return {
    ports,
    asked: () => reads.splice(0).filter((what) => what !== 'other'),
    send: async (post = recordingPost()) => {
      await opened.send(await opened.ended(), post, ports);
      return post.sent[0]?.headers ?? {};
    },
  };
}

it('reads once what many concurrent deliveries need, and again afterwards', async () => {
  const { send, asked: takeReads } = recordReads();
  await send();
  expect(takeReads().toSorted()).toEqual(['health', 'secret']);
  await send();
  its.opened.clock.pass(MOMENT_MS - 1);
  await send();
  expect(takeReads()).toEqual([]);
  its.opened.clock.pass(MOMENT_MS);
  await send();
  expect(takeReads().toSorted()).toEqual(['health', 'secret']);
});

it('signs with a new secret a moment after the rotation at the latest', async () => {
  const { send } = recordReads();
  await send();
  await its.opened.rotate();
  expect(await send()).not.toHaveProperty('x-service-signature-next');
  its.opened.clock.pass(MOMENT_MS);
  expect(await send()).toHaveProperty('x-service-signature-next');
});

it('reads the breaker for each delivery after the first failure, so that it notices immediately when it opens', async () => {
  const { send, asked: takeReads } = recordReads();
  await send();
  takeReads();
  for (let failures = 1; failures <= 5; failures++) await send(recordingPost(() => status(503)));
  expect(takeReads()).toEqual(Array(4).fill('health'));
});

it('reads the breaker of a busy receiver every 2 s, so that it notices failures of other senders', async () => {
  const { send, asked: takeReads } = recordReads();
  for (let attempt = 0; attempt < 20; attempt++) {
    await send(recordingPost(() => OK));
    its.opened.clock.pass(MOMENT_MS / 4);
  }
  expect(takeReads().filter((what) => what === 'health')).toHaveLength(5);
});
