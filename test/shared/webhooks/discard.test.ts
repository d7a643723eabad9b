/** Tasks whose endpoint is the service's own, to which nothing is sent. */
import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../shared/reconcile/reconcile.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { redeliver } from '../../../shared/webhooks/deliveries.ts';
import { isDiscardUrl } from '../../../shared/webhooks/discard.ts';
import { immediateDelivery } from '../../../shared/webhooks/immediate-delivery.ts';
import { sendWebhook } from '../../../shared/webhooks/send.ts';
import { worker } from '../tasks/setup.ts';
import { recordingPost, useWebhooks } from './setup.ts';

const { its, hinted } = useWebhooks();
const answers: Stage = { name: 'answering', run: async () => ({ text: 'Grüße' }) };
const DISCARD = 'https://files.acme.org/api/v1/webhooks/discard';
const DISCARDED = { endpoint: DISCARD, about: { discards: true } } as const;

describe('the event of a task that discards it', () => {
  it('counts as delivered when the task ends, without a request, a hint or an attempt', async () => {
    const { address } = await its.opened.accept(DISCARDED);
    const post = recordingPost();
    const immediate = immediateDelivery(its.opened.sender(post), new AbortController().signal);
    await worker({ ...its.opened, immediateDelivery: immediate }, [answers]).run(address);
    await immediate.settled();
    expect(await its.opened.delivery(address)).toEqual({
      id: `evt_${address.taskId}_succeeded`,
      endpoint: DISCARD,
      state: 'delivered',
      attempts: [],
    });
    expect([post.sent, await hinted()]).toEqual([[], []]);
  });

  it('is not sent by a redelivery, a stray hint or the reconciler either', async () => {
    const address = await its.opened.ended(DISCARDED);
    const { id } = await its.opened.delivery(address);
    expect(await redeliver(its.opened, address, { id })).toMatchObject({ state: 'delivered', attempts: [] });
    const post = recordingPost();
    await sendWebhook(its.opened.sender(post), address, new AbortController().signal);
    its.opened.clock.pass(3_600_000);
    await reconcile({ ...its.opened, sayEnding: async () => 'gone' as const });
    expect([post.sent, await hinted()]).toEqual([[], []]);
  });
});

describe('the discarding address', () => {
  const hosts = ['api.acme.org', 'Errand.acme.org:8443'];
  const serviceUrls = ['https://files.acme.org', 'https://agents.acme.org', 'http://127.0.0.1:4000'];

  it.each([
    DISCARD,
    'https://agents.acme.org/api/v1/webhooks/discard',
    'http://127.0.0.1:4000/api/v1/webhooks/discard',
    'https://api.acme.org/api/v1/webhooks/discard',
    'https://API.acme.org:443/api/v1/webhooks/discard',
    'https://errand.acme.org:8443/api/v1/webhooks/discard',
  ])('is %s, where the service is reached or configured', (endpoint) => {
    expect(isDiscardUrl(endpoint, { hosts, serviceUrls })).toBe(true);
  });

  it.each([
    'https://hooks.customer-a.com/api/v1/webhooks/discard',
    'http://api.acme.org/api/v1/webhooks/discard',
    'http://files.acme.org/api/v1/webhooks/discard',
    'https://files.acme.org:444/api/v1/webhooks/discard',
    'https://user@files.acme.org/api/v1/webhooks/discard',
    'https://files.acme.org/api/v1/webhooks/discard/more',
    'https://files.acme.org/webhooks/discard',
    'https://files.acme.org.evil.com/api/v1/webhooks/discard',
    'discard',
  ])('is not %s', (endpoint) => {
    expect(isDiscardUrl(endpoint, { hosts, serviceUrls })).toBe(false);
  });
});
