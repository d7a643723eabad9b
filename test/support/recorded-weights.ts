/** Weights of what is shipped, against test/support/recorded-weights.json: a drift is reported, one above 5 % fails. */
import { expect } from 'vitest';
import recorded from './recorded-weights.json' with { type: 'json' };

const SLACK = 0.05;

/** Bytes of the client; of a function, thousandths of a bare function that reads one item with the SDK. */
export function expectRecordedWeight(name: string, weight: number): void {
  const weightBefore = (recorded as Record<string, number>)[name] ?? 0;
  const drift = weight / weightBefore - 1;
  const report = `${name} weighs ${weight}, recorded are ${weightBefore}: record it in test/support/recorded-weights.json, with what it buys in the commit.`;
  if (weight !== weightBefore) console.warn(report);
  expect(Math.abs(drift), report).toBeLessThanOrEqual(SLACK);
}
