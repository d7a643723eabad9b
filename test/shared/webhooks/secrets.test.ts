/** The secret that signs a webhook: during a rotation, and for test events. */

import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { webhookSignature } from '../../../shared/webhooks/signing.ts';
import { testWebhook } from '../../../shared/webhooks/test-webhook.ts';
import { ENDPOINT, recordingPost, useWebhooks } from './setup.ts';

const { its, hinted } = useWebhooks();

describe('a rotation of the secret', () => {
  it('lets both secrets verify for 24 hours, and then only the new one', async () => {
    const [old = ''] = await its.opened.secrets();
    const { secret } = await its.opened.rotate();
    const sendOne = async () => {
      const post = recordingPost();
      await its.opened.send(await its.opened.ended(), post);
      const [{ headers = {}, body = '' } = {}] = post.sent;
      return { headers, body };
    };
    const verifies = (key: string, { headers, body }: Awaited<ReturnType<typeof sendOne>>): boolean => {
      const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const right = new Webhook(key).sign(
        String(headers['webhook-id']),
        new Date(Number(headers['webhook-timestamp']) * 1_000),
        body,
      );
      expect(text).toContain('evt_');
      return headers['webhook-signature']?.split(' ').includes(right) ?? false;
    };
    const during = await sendOne();
    expect([verifies(old, during), verifies(secret, during)]).toEqual([true, true]);
    expect(during.headers['x-service-signature']).toBe(webhookSignature.service(old, during.body));
    expect(during.headers['x-service-signature-next']).toBe(webhookSignature.service(secret, during.body));

    its.opened.clock.pass(24 * 3_600_000);
    const after = await sendOne();
    expect([verifies(old, after), verifies(secret, after)]).toEqual([false, true]);
    expect(after.headers['x-service-signature']).toBe(webhookSignature.service(secret, after.body));
    expect(after.headers).not.toHaveProperty('x-service-signature-next');
  });
});

describe('the test of an endpoint', () => {
  it('is signed like other webhooks and marked by its id, and is not stored', async () => {
    const post = recordingPost(() => ({ status: 404, retryAfter: '5', answer: 'no' }));
    const test = { organization: its.opened.organization, endpoint: ENDPOINT, testId: 'x', body: { a: 'ü' } };
    const attempt = await testWebhook({ ...its.opened, post }, test);
    expect(attempt).toEqual({ at: its.opened.clock.now(), ms: 0, status: 404, answer: 'no' });
    const [{ headers = {}, body = '' } = {}] = post.sent;
    const [secret = ''] = await its.opened.secrets();
    expect([headers['webhook-id'], body]).toEqual(['evt_test_x', '{"a":"ü"}']);
    expect(headers['x-service-signature']).toBe(webhookSignature.service(secret, body));
    expect(await hinted()).toEqual([]);
  });
});
