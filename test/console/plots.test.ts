import { describe, expect, it } from 'vitest';
import {
  lookAgainInMs,
  outcomeOf,
  type ShownAttempt,
  type ShownDelivery,
} from '../../console/deliveries/shown-delivery.ts';
import { barsOf, niceAbove } from '../../console/results/bar-plot.ts';

describe('the bars of a plot', () => {
  it('stand on the base line and on each other, in proportion', () => {
    const { bars, bottom, marks } = barsOf([
      { name: 'read', values: [30, 0, 10] },
      { name: 'written', values: [10, 0, 30] },
    ]);
    expect(bars.map(({ at, series }) => [at, series])).toEqual([
      [0, 0],
      [0, 1],
      [2, 0],
      [2, 1],
    ]);
    const [read, written] = bars;
    expect((read?.y ?? 0) + (read?.height ?? 0)).toBeCloseTo(bottom);
    expect((written?.y ?? 0) + (written?.height ?? 0)).toBeCloseTo(read?.y ?? 0);
    expect((read?.height ?? 0) / (written?.height ?? 1)).toBeCloseTo(3);
    expect(marks.map(({ value }) => value)).toEqual([0, 10, 20, 30, 40]);
  });

  it('are absent without values, while the scale stays', () => {
    const { bars, marks } = barsOf([{ name: 'tasks', values: [0, 0] }]);
    expect([bars, marks.map(({ value }) => value)]).toEqual([[], [0, 1]]);
  });

  it.each([
    [0, 1],
    [1, 1],
    [3, 4],
    [9, 10],
    [11, 20],
    [81, 100],
    [12_345, 20_000],
  ])('under %i end at %i', (most, nice) => {
    expect(niceAbove(most)).toBe(nice);
  });
});

describe('a delivery', () => {
  const now = Date.parse('2026-11-20T07:00:00.000Z');
  const delivery = (state: ShownDelivery['state'], nextAt: string | null = null): ShownDelivery => ({
    id: 'd',
    address: 'a',
    state,
    nextAt,
    attempts: [],
  });

  it('is polled while it may change soon, and not before that', () => {
    expect(lookAgainInMs([], now)).toBeUndefined();
    expect(lookAgainInMs([delivery('delivered'), delivery('exhausted')], now)).toBeUndefined();
    expect(lookAgainInMs([delivery('sending')], now)).toBe(1_500);
    expect(lookAgainInMs([delivery('pending', '2026-11-20T07:00:05.000Z')], now)).toBe(6_500);
    expect(lookAgainInMs([delivery('pending', '2026-11-20T06:00:00.000Z')], now)).toBe(1_500);
    expect(lookAgainInMs([delivery('pending', '2026-11-20T12:00:00.000Z')], now)).toBeUndefined();
    expect(lookAgainInMs([delivery('pending')], now)).toBeUndefined();
  });

  it('describes the outcome of each attempt', () => {
    const attempt: ShownAttempt = { number: 1, at: null, ms: 3, status: 503, error: null, answer: '' };
    expect(outcomeOf(attempt)).toBe('Answered with 503');
    expect(outcomeOf({ ...attempt, status: null, error: 'timeout' })).toBe('No response within 15 seconds.');
    expect(outcomeOf({ ...attempt, status: null })).toBe('Under way');
  });
});
