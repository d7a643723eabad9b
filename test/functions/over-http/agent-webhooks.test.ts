/** Webhooks of the background-agent API, with a receiver whose name does not resolve. */
import { describe, expect, it } from 'vitest';
import type { Any } from '../../support/any.ts';
import { ask, errorOf, SOON, submitTask } from './agent-calls.ts';

describe('webhooks', () => {
  const ENDPOINT = 'https://no-such-host.errand-webhooks.org/hook';

  it('list delivery attempts and can be redelivered', async () => {
    const id = await submitTask({ webhook_url: ENDPOINT });
    const deliveries = async (): Promise<Any> => (await ask(`/tasks/${id}/deliveries`)).body.deliveries;
    await expect.poll(async () => (await deliveries())[0]?.attempts.length ?? 0, SOON).toBeGreaterThan(0);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ delivery_id: expect.stringMatching(/^evt_/), webhook_url: ENDPOINT });
    expect(delivery.attempts[0]).toMatchObject({ attempt: 1, status: null, error: 'unresolved', answer: '' });
    const again = await ask(`/tasks/${id}/deliveries/${delivery.delivery_id}/redeliver`, { method: 'POST' });
    expect([again.status, again.body.delivery_id]).toEqual([202, delivery.delivery_id]);
  });

  it('can be tested ten times a minute', async () => {
    const reply = await ask('/webhooks/test', { json: { webhook_url: ENDPOINT } });
    expect([reply.status, reply.body]).toEqual([200, expect.objectContaining({ status: null, error: 'unresolved' })]);
    expect(reply.headers.get('ratelimit-policy')).toBe('"minute";q=10;w=60');
    const refused = await ask('/webhooks/test', { json: { webhook_url: 'http://10.0.0.1/' } });
    expect([refused.status, errorOf(refused).details.invalid_fields]).toEqual([400, ['webhook_url']]);
  });
});
