/** Tests that a journey's cost is the sum of its parts, and that a bound fails when the cost exceeds it. */
import { expect, it } from 'vitest';
import { BOUNDS } from '../costs/bounds.ts';
import { JOURNEYS, ratioOf } from '../costs/journeys.ts';
import { PRICES } from '../costs/prices.ts';
import type { Call, Recording } from './recorder/recording.ts';

const PARTS = JOURNEYS.flatMap(({ parts }) => parts.map(([, scene]) => scene));

/** A recording in which each scene is one request that wrote `units` write units. */
function recordingOf(units: number): Recording {
  const call = (scene: string): Call => ({
    ...{ function: 'f', route: 'r', request: scene, service: 'dynamodb', operation: 'PutItem' },
    ...{ needs: [], units, indexUnits: 0, at: 0, until: 1 },
  });
  return {
    functions: [{ name: 'f', memoryMegabytes: 1_024, statements: [] }],
    requests: [],
    invocations: [],
    scenes: PARTS.map((name) => ({ name, requests: [name] })),
    calls: [...new Set(PARTS)].map(call),
  };
}

it('a journey is the sum of its parts, each multiplied by its count', () => {
  const [a] = JOURNEYS;
  if (!a) throw new Error('There is no journey.');
  const [none, one] = [ratioOf(a, recordingOf(0)), ratioOf(a, recordingOf(1))];
  // Two of the five requests are the same scene.
  expect((one - none) * (a.held?.floor ?? 0)).toBeCloseTo(5 * 0.625);
});

it('an upload pays for its share of the sweep, a day later', () => {
  const [, , c] = JOURNEYS;
  if (!c) throw new Error('There is no such journey.');
  const { later: _later, ...alone } = c;
  const [without, with_] = [alone, c].map((journey) => ratioOf(journey, recordingOf(1)));
  expect(((with_ ?? 0) - (without ?? 0)) * (c.held?.floor ?? 0)).toBeCloseTo(0.125 + 0.005);
});

it.each(JOURNEYS.filter(({ held }) => held))('the bound of $name holds, and fails for a higher cost', (journey) => {
  const bound = BOUNDS.find(({ what }) => what.endsWith(journey.name));
  if (!bound || !journey.held) throw new Error('Nothing bounds it.');
  expect(bound.most).toBe(journey.held.most);
  expect(bound.most).toBeGreaterThanOrEqual(journey.held.aim);
  expect(bound.found(recordingOf(0))).toBeLessThanOrEqual(bound.most);
  const dollars = journey.held.most * journey.held.floor;
  const tooMany = Math.ceil(dollars / PRICES['DynamoDB, on demand: a write unit']);
  expect(bound.found(recordingOf(tooMany))).toBeGreaterThan(bound.most);
});
