import { expect, it } from 'vitest';
import { drift, growthOf, quantile, slopeOf } from './flatness.ts';

const line = (begin: number, each: number, noise = 0) =>
  Array.from({ length: 101 }, (_, at) => ({
    at: at + 1_000,
    value: begin + each * at + (at % 2 === 0 ? noise : -noise),
  }));

it('sees a line that rises through its noise, and none where there is only noise', () => {
  expect(slopeOf(line(100, 0.5, 20))).toBeCloseTo(0.5, 1);
  expect(growthOf(line(100, 0.5, 20))).toBeCloseTo(0.5, 1);
  expect(Math.abs(growthOf(line(100, 0, 20)))).toBeLessThan(0.02);
  expect(growthOf(line(100, -0.2))).toBeCloseTo(-0.2, 5);
});

it('takes quantiles as the value that so many do not pass', () => {
  const values = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect([quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1)]).toEqual([50, 99, 100]);
});

it('holds the last third against the first', () => {
  expect(drift(line(10, 0), 0.5)).toBe(1);
  expect(drift(line(10, 1), 0.5)).toBeGreaterThan(2);
});
