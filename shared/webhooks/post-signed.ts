/** Signs a body with the currently valid secrets, posts it, and measures the time. */

import type { WebhookSecret } from '../accounts/webhook-secrets.ts';
import type { Clock, Post, PostResult } from '../ports.ts';
import { webhookSignature } from './signing.ts';

type PostPorts = { clock: Clock; post: Post };
type SignedRequest = {
  endpoint: string;
  id: string;
  body: string;
  secrets: readonly WebhookSecret[];
  /** The trace headers of the task. */
  traced?: Record<string, string>;
};

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'errand-webhooks/1' };

export async function postSigned(
  { clock, post }: PostPorts,
  { endpoint, id, body, secrets, traced = {} }: SignedRequest,
  signal?: AbortSignal,
): Promise<{ posted: PostResult; at: number; ms: number }> {
  if (secrets.length === 0) throw new Error('An organization has no webhook secret.');
  const at = clock.now();
  const texts = secrets.map(({ secret }) => secret);
  const headers = { ...HEADERS, ...traced, ...webhookSignature.headers(texts, { id, at, body }) };
  const posted = await post(endpoint, { headers, body }, signal);
  return { posted, at, ms: clock.now() - at };
}
