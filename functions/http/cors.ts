/** CORS: which pages in a browser may call, what they may send and what they may read. */
import type { Incoming } from './message.ts';

export type Origins = (origin: string) => boolean;

const ALLOWED_HEADERS = 'authorization, x-api-key, content-type, idempotency-key, x-request-id';
const EXPOSED_HEADERS = 'x-request-id, retry-after, ratelimit, ratelimit-policy, idempotent-replayed';
const PREFLIGHT_SECONDS = 600;

export const isLoopbackOrigin: Origins = (origin) =>
  /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(origin);

export function corsHeaders({ headers, method }: Incoming, allows: Origins): Record<string, string> {
  const origin = headers.origin;
  if (!origin || !allows(origin)) return { vary: 'origin' };
  const preflight = {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
  return {
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
    ...(method === 'OPTIONS' ? preflight : {}),
  };
}
