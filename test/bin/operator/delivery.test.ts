/** Webhook deliveries in the operator's command line, and `listen` without a running product. */
import { beforeEach, expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { detailsDrafts } from '../../../shared/tasks/details.ts';
import { type TaskAddress, taskDraft, taskKey } from '../../../shared/tasks/rows.ts';
import { newTask } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { storeAttempt } from '../../../shared/webhooks/delivery-log.ts';
import { withAcme } from './errand.ts';

const { acme, json, refuses, run, state } = withAcme();
const ENDPOINT = 'https://hooks.customer-a.com/errand';

let address: TaskAddress;
let event: string;

/** A cancelled task whose webhook was tried once and abandoned. */
beforeEach(async () => {
  const { table, ids, close } = openLocal({ ERRAND_STATE: state() });
  const now = Date.now() - 60_000;
  address = { organization: acme().id, taskId: ids.uuid() };
  event = `evt_${address.taskId}_cancelled`;
  const ports = { table, clock: { now: () => now }, hints: async () => undefined };
  const task = newTask({ face: 'agents', type: 'made', priority: 5, now, hasWebhook: true });
  const about = { endpoint: ENDPOINT, input: {} };
  await table.insert(taskDraft(address, task, now), detailsDrafts(address, about, now + 1e9));
  await moveTask(ports, address, { type: 'cancel', force: true });
  await moveTask(ports, address, { type: 'sendClaim' });
  const attempt = { at: now, ms: 12, status: 410, answer: 'gone' };
  await storeAttempt(table, { ...address, event }, { number: 1, attempt, expiresAt: undefined });
  await moveTask(ports, address, { type: 'sent', tries: 1, outcome: 'refused' });
  close();
});

const list = () => json(['delivery', 'list', address.taskId, '--org', 'Acme']);

it('shows each attempt', async () => {
  expect(await list()).toEqual([
    {
      delivery: event,
      endpoint: ENDPOINT,
      state: 'exhausted',
      attempt: 1,
      at: expect.stringMatching(/Z$/),
      ms: 12,
      outcome: 410,
      next: null,
    },
  ]);
  expect(await json(['delivery', 'list', `task_${address.taskId}`, '--org', 'Acme'])).toHaveLength(1);
});

it('makes a delivery due again for the reconciler, and audits it', async () => {
  const line = ['delivery', 'redeliver', address.taskId, event, '--org', 'Acme'];
  expect(await json(line)).toEqual({ delivery: event, endpoint: ENDPOINT, state: 'pending' });
  expect((await run(line)).stdout).toContain('within two minutes');
  expect(await list()).toMatchObject([{ state: 'pending', attempt: 1 }]);
  const { table, clock, close } = openLocal({ ERRAND_STATE: state() });
  const row = await table.get(taskKey(address));
  expect((row?.dueAt ?? 0) - clock.now()).toBeLessThanOrEqual(60_000);
  close();
  const [entry] = await json(['audit', 'Acme', '--limit', '1']);
  expect(entry).toMatchObject({ act: 'delivery redeliver', subject: `task:${address.taskId}`, detail: event });
});

it.each([
  [() => ['delivery', 'list', 'nonsense', '--org', 'Acme'], /Task not found/],
  [() => ['delivery', 'redeliver', address.taskId, 'evt_1', '--org', 'Acme'], /Delivery not found/],
  [() => ['webhooks', 'listen', '--port', '70000'], /--port is at most 65535/],
  [() => ['webhooks', 'listen', '--port', 'x'], /--port takes a whole number/],
  [() => ['webhooks', 'listen', 'Nobody', '--port', '0'], /There is no organization "Nobody"/],
])('refuses an unknown delivery in one line', async (args, remedy) => {
  await refuses(args(), remedy);
});

it('listens until it is stopped, and prints only the received webhooks with --json', async () => {
  const { stdout } = await run(['webhooks', 'listen', '--port', '0', '--json']);
  expect(JSON.parse(stdout)).toEqual({ port: expect.any(Number), verified: 0, refused: 0 });
});
