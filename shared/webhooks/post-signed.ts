/** Signs a body with the secrets that hold now, posts it, and measures. */
import type { WebhookSecret } from '../accounts/webhook-secret.ts';
import type { Clock, Post, Posted } from '../ports.ts';
import { signatureHeaders } from './sign-webhook.ts';

type PostPorts = { clock: Clock; post: Post };
type SignedRequest = {
  endpoint: string;
  id: string;
  body: string;
  secrets: readonly WebhookSecret[];
  /** The receiver's part of somebody's trace. */
  traced?: Record<string, string>;
};

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'errand-webhooks/1' };

export async function postSigned(
  { clock, post }: PostPorts,
  { endpoint, id, body, secrets, traced = {} }: SignedRequest,
  signal?: AbortSignal,
): Promise<{ posted: Posted; at: number; ms: number }> {
  if (secrets.length === 0) throw new Error('An organization has no webhook secret.');
  const at = clock.now();
  const texts = secrets.map(({ secret }) => secret);
  const headers = { ...HEADERS, ...traced, ...signatureHeaders(texts, { id, at, body }) };
  const posted = await post(endpoint, { headers, body }, signal);
  return { posted, at, ms: clock.now() - at };
}
