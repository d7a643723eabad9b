import { expect, it } from 'vitest';
import { retryAfterMs } from '../../../engines/models/failures.ts';

const NOW = Date.UTC(2026, 10, 29, 12);

it.each([
  ['seconds', '20', 20_000],
  ['a date', 'Sun, 29 Nov 2026 12:00:30 GMT', 30_000],
  ['a date that is over', 'Sun, 29 Nov 2026 11:00:00 GMT', 0],
  ['nothing', undefined, 0],
  ['no time at all', 'soon', 0],
  ['less than nothing', '-5', 0],
  ['a year', '31536000', 3_600_000],
])('reads Retry-After as %s', (_, header, ms) => {
  expect(retryAfterMs(header, NOW)).toBe(ms);
});
