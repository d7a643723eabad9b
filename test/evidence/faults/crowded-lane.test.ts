/** Short test of fairness in a crowded lane. `npm run prove:faults` runs it until all tasks have ended. */
import { expect, it } from 'vitest';
import { LANES } from '../../../shared/core/lane.ts';
import { proves } from '../../support/proves.ts';
import { crowdLane } from './crowded-lane.ts';
import { PRODUCT } from './product.ts';

it.each(LANES)(
  'starts an instant task within 5 s while another organization has 1,000 tasks of 10 minutes, lane %s',
  async (lane) => {
    const result = await crowdLane(PRODUCT, { lane, seed: 1, minutes: 15 });
    expect(result.quietTasks).toBeGreaterThan(100);
    expect(result.slowestStartMs).toBeLessThanOrEqual(5_000);
    expect(result.maxHeldSlots).toBeLessThanOrEqual(result.slots * 0.75);
    // All seats that the organization may have are used.
    expect(result.medianHeldSlots).toBe(result.maxHeldSlots);
    expect(result.crowdEnded).toBeGreaterThan(0);
  },
);

it('is deterministic for a seed', async ({ task }) => {
  const first = await crowdLane(PRODUCT, { seed: 2, minutes: 12 });
  expect(await crowdLane(PRODUCT, { seed: 2, minutes: 12 })).toEqual(first);
  const { slowestStartMs, maxHeldSlots, slots } = first;
  proves(task, `slowest start ${slowestStartMs} ms, ${maxHeldSlots} of ${slots} slots held`);
});
