/** CORS: which pages in a browser may call, what they may send and what they may read. */
import type { HttpRequestMessage } from './message.ts';

export type Origins = (origin: string) => boolean;

const ALLOWED_HEADERS = 'authorization, x-api-key, content-type, idempotency-key, x-request-id';
const EXPOSED_HEADERS =
  'x-request-id, retry-after, ratelimit, ratelimit-policy, idempotent-replayed, x-errand-warnings';
const PREFLIGHT_SECONDS = 600;

export const isLoopbackOrigin: Origins = (origin) =>
  /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(origin);

/** Says in the answer's headers what the page that asks may do. */
export function allowPage(
  answer: Record<string, string>,
  { headers, method }: HttpRequestMessage,
  allows: Origins,
): void {
  const { origin } = headers;
  if (!origin || !allows(origin)) return;
  answer['access-control-allow-origin'] = origin;
  answer['access-control-expose-headers'] = EXPOSED_HEADERS;
  if (method !== 'OPTIONS') return;
  answer['access-control-allow-methods'] = 'GET, HEAD, POST, DELETE';
  answer['access-control-allow-headers'] = ALLOWED_HEADERS;
  answer['access-control-max-age'] = String(PREFLIGHT_SECONDS);
}
