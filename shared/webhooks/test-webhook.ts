/** Sends one event that is marked as a test, and tells what came of it. Nothing is kept and nothing is repeated. */
import { currentSecrets } from '../accounts/webhook-secret.ts';
import type { Vault } from '../core/vault.ts';
import type { Limit } from '../limits/limit.ts';
import type { Clock, Post, Table } from '../ports.ts';
import { type DeliveryAttempt, toDeliveryAttempt } from './attempt.ts';
import { postSigned } from './post-signed.ts';

/** Of both APIs together. */
export const TESTS: Limit = { name: 'webhook-tests', minute: 10 };

type TestWebhookPorts = { table: Table; clock: Clock; vault: Vault; post: Post };
type WebhookTest = { organization: string; endpoint: string; testId: string; body: object };

export async function testWebhook(
  ports: TestWebhookPorts,
  { organization, endpoint, testId, body }: WebhookTest,
): Promise<DeliveryAttempt> {
  const secrets = await currentSecrets(ports, organization);
  const parcel = { endpoint, id: `evt_test_${testId}`, body: JSON.stringify(body), secrets };
  const { posted, at, ms } = await postSigned(ports, parcel);
  return toDeliveryAttempt(posted, { at, ms });
}
