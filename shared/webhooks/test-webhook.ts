/** Sends a test event and returns the outcome. Nothing is stored or retried. */

import { currentSecrets } from '../accounts/webhook-secrets.ts';
import type { Vault } from '../core/vault.ts';
import type { Limit } from '../limits/rate-limit.ts';
import type { Clock, Post, Table } from '../ports.ts';
import { type DeliveryAttempt, toDeliveryAttempt } from './delivery-log.ts';
import { postSigned } from './post-signed.ts';

export async function testWebhook(
  ports: TestWebhookPorts,
  { organization, endpoint, testId, body }: WebhookTest,
): Promise<DeliveryAttempt> {
  const secrets = await currentSecrets(ports, organization);
  const request = { endpoint, id: `evt_test_${testId}`, body: JSON.stringify(body), secrets };
  const { posted, at, ms } = await postSigned(ports, request);
  return toDeliveryAttempt(posted, { at, ms });
}

type TestWebhookPorts = { table: Table; clock: Clock; vault: Vault; post: Post };

type WebhookTest = { organization: string; endpoint: string; testId: string; body: object };

/** For both APIs together. */
export const TESTS: Limit = { name: 'webhook-tests', minute: 10 };
