/** What is left of a rate limit, in the words of IETF draft-ietf-httpapi-ratelimit-headers-11. */
import { Problem } from '../../shared/core/problem.ts';
import type { Window } from '../../shared/limits/rate-limit.ts';

export function setLimitHeaders(headers: Record<string, string>, windows: readonly Window[]): void {
  headers['ratelimit-policy'] = windows.map((w) => `"${w.name}";q=${w.most};w=${w.seconds}`).join(', ');
  headers.ratelimit = windows.map((w) => `"${w.name}";r=${w.left};t=${w.resetSeconds}`).join(', ');
}

export function rateLimited(windows: Window[]): Problem {
  const spent = windows.filter((window) => window.left === 0);
  const seconds = Math.max(1, ...spent.map((window) => window.resetSeconds));
  const names = spent.map((window) => `${window.most} a ${window.name}`).join(' and ');
  return new Problem('rateLimited', `The limit of ${names} is reached; try again in ${seconds} s.`, {
    details: { retry_after_seconds: seconds },
    retryAfterSeconds: seconds,
  });
}
