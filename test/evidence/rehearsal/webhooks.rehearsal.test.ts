/** A receiver whose address turns private after the task was accepted: worker and sender refuse it, record why, and stop. */
import { expect, it, vi } from 'vitest';
import { tableFrom } from '../../../adapters/aws/context.ts';
import { detailsKey, type TaskDetails } from '../../../shared/tasks/details.ts';
import { AWAITING } from '../../../shared/tasks/task.ts';
import { call, target } from '../../functions/over-http/call.ts';
import { hintOf, leave, rowOf, send } from './beside.ts';

/** A host of its own: deliveries of other tests fail at their host, which opens its circuit breaker. */
const PUBLIC = 'https://no-such-host.errand-rehearsal.org/hook';
const PRIVATE = 'https://169.254.169.254/hook';
const AT_ONCE = { timeout: 20_000, interval: 100 };

type Attempt = { attempt: number; error: string | null; nextAttemptAt: string | null };
type Delivery = { deliveryId: string; state: string; attempts: Attempt[] };

const waitForDelivery = async (taskId: string): Promise<Delivery> => {
  const { body } = await call('files', `/tasks/${taskId}/deliveries`, { as: 'webhooks' });
  const [delivery] = body.deliveries as Delivery[];
  if (!delivery) throw new Error('not yet');
  return delivery;
};

it('is refused at its next attempt, and no further attempt follows', { timeout: 60_000 }, async () => {
  const config = { type: 'webhook', config: { endpoint: PUBLIC } };
  const json = { namespace: 'n', delivery: config, input: { type: 'chat', prompt: 'p' } };
  const taskId = String((await call('files', '/tasks', { as: 'webhooks', json })).body.taskId);
  await vi.waitFor(async () => expect((await waitForDelivery(taskId)).attempts[0]?.error).toBe('unresolved'), AT_ONCE);

  const table = tableFrom(process.env);
  const row = await table.get<TaskDetails>(detailsKey({ organization: target.organizations.webhooks.id, taskId }));
  if (!row) throw new Error('The task has its surroundings.');
  const { pk: _pk, sk: _sk, version: _version, ...rest } = row;
  expect(await table.replace(row, { ...rest, value: { ...row.value, endpoint: PRIVATE } })).toBeDefined();

  const refused = await vi.waitFor(async () => {
    const found = await waitForDelivery(taskId);
    expect(found.attempts.at(-1)?.error).toBe('blocked_target');
    expect(found.state).toBe('exhausted');
    return found;
  }, AT_ONCE);
  expect(refused.attempts.at(-1)?.nextAttemptAt).toBeNull();

  const path = `/tasks/${taskId}/deliveries/${refused.deliveryId}/redeliver`;
  expect((await call('files', path, { as: 'webhooks', method: 'POST' })).status).toBe(202);
  await vi.waitFor(async () => {
    const { state, attempts } = await waitForDelivery(taskId);
    expect([state, attempts.length]).toEqual(['exhausted', refused.attempts.length + 1]);
  }, AT_ONCE);
});

it('is refused by the worker that ends the task, too', { timeout: 60_000 }, async () => {
  const address = await leave({ hook: AWAITING }, {}, PRIVATE);
  await send('normal', hintOf(address));
  await vi.waitFor(async () => {
    expect((await rowOf(address)).value.hook).toMatchObject({ state: 'exhausted', tries: 1 });
  }, AT_ONCE);
  const { body } = await call('files', `/tasks/${address.taskId}/deliveries`, { as: 'engine' });
  expect(body.deliveries).toMatchObject([{ attempts: [{ attempt: 1, error: 'blocked_target' }] }]);
});
