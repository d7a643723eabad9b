/** When a webhook is retried: by the plan, within its window, and by the receiver's `Retry-After`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JITTER, MAX_ATTEMPTS, WAITS_MS } from '../../../shared/tasks/webhook-plan.ts';
import { sentOutcome } from '../../../shared/webhooks/attempt-outcome.ts';
import { OK, status } from './setup.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const again = (failed: number, random: number, posted: Parameters<typeof sentOutcome>[0] = status(500)): number => {
  const outcome = sentOutcome(posted, { failed, now: NOW, random: () => random });
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome.retryAt - NOW;
};
const outcome = (posted: Parameters<typeof sentOutcome>[0], failed = 1) =>
  sentOutcome(posted, { failed, now: NOW, random: () => 0.5 });

const HOUR = 3_600_000;

it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h between its ten attempts', () => {
  const hours = [5 / 3_600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24];
  expect(WAITS_MS.map((ms) => ms / HOUR)).toEqual(hours);
  expect(outcome(status(500), MAX_ATTEMPTS)).toBe('refused');
});

it('applies jitter of at most a fifth of each wait, and uses most of that range', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: WAITS_MS.length }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failed, random) => {
        const wait = WAITS_MS[failed - 1] ?? 0;
        const waited = again(failed, random);
        expect(waited).toBeGreaterThanOrEqual(wait * (1 - JITTER));
        expect(waited).toBeLessThanOrEqual(wait * (1 + JITTER));
      },
    ),
  );
  for (let failed = 1; failed <= WAITS_MS.length; failed++) {
    expect(again(failed, 1) - again(failed, 0)).toBeGreaterThan(0.3 * (WAITS_MS[failed - 1] ?? 0));
  }
});

it('stays within the window even if the reconciler is two minutes late', () => {
  expect(again(3, 1)).toBe(1.2 * 1_800_000 - 120_000);
  expect(again(2, 1)).toBe(1.2 * 300_000);
});

describe('Retry-After', () => {
  const planned = again(2, 0.5);

  it.each([
    ['1', planned],
    ['400', 400_000],
    ['100000', 2 * planned],
    ['-5', planned],
    ['soon', planned],
    ['', planned],
    ['999999999999', planned],
    [new Date(NOW + 450_000).toUTCString(), 450_000],
    [new Date(NOW - 450_000).toUTCString(), planned],
    [new Date(NOW + 100 * HOUR).toUTCString(), 2 * planned],
  ])('of %j is clamped between once and twice the planned wait', (header, waited) => {
    for (const code of [429, 503]) expect(again(2, 0.5, status(code, header))).toBe(waited);
  });
});

describe('an answer', () => {
  it.each([200, 201, 202, 204, 299])('%i is a success', (code) => expect(outcome(status(code))).toBe('delivered'));

  it.each([199, 300, 301, 302, 307, 308, 400, 401, 404, 408, 413, 422, 429, 500, 503])(
    '%i leads to another attempt',
    (code) => expect(outcome(status(code))).toEqual({ retryAt: NOW + 5_000 }),
  );

  it('410 ends the delivery, and so does our own refusal of the URL', () => {
    expect(outcome(status(410))).toBe('refused');
    expect(outcome({ fault: 'blocked_target' })).toBe('refused');
  });

  it.each(['unresolved', 'unreachable', 'tls', 'timeout', 'broken'] as const)(
    'that is missing (%s) leads to another attempt',
    (fault) => expect(outcome({ fault })).toEqual({ retryAt: NOW + 5_000 }),
  );

  it('that is successful needs no retry plan', () => expect(outcome(OK, 10)).toBe('delivered'));
});
