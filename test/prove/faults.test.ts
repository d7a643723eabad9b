/** The fault harness in short: every point once, and all of them mixed. The whole of it is `npm run prove:faults`. */
import { describe, expect, it } from 'vitest';
import { POINTS } from './points.ts';
import { PRODUCT } from './product.ts';
import { prove } from './prove.ts';
import { AFTER_AN_OUTAGE, AT_A_POINT, IN_THE_DARK, MIXED } from './setting.ts';
import { inMemory, type OpenTable } from './world.ts';

const TASKS = 60;
const SEED = 1;
const OUTAGE_MS = 3_600_000;
/** The longest that a delivery waits behind an open breaker, and the reconciler's time. */
const MINUTES_AFTER = 90;

describe('no promise to a task breaks', () => {
  it.each(POINTS)('when processes die %s', async (point) => {
    const { tasks, crashes } = await prove(PRODUCT, { points: [point], tasks: TASKS, seed: SEED, rates: AT_A_POINT });
    expect(tasks).toBe(TASKS);
    // They do die there, or this would prove little.
    expect(crashes).toBeGreaterThan(0);
  });

  it('when everything goes wrong at once', async () => {
    const counted = await prove(PRODUCT, { points: POINTS, tasks: 5 * TASKS, seed: SEED, rates: MIXED });
    expect(counted.ended.succeeded).toBeGreaterThan(4 * TASKS);
    expect(counted.repeats).toBeLessThanOrEqual(counted.excused);
  });
});

describe('after an outage of all receivers', () => {
  const setting = { points: POINTS, tasks: 2 * TASKS, rates: AFTER_AN_OUTAGE, awayMs: OUTAGE_MS };

  it.each([1, 2, 3])(
    'every webhook is delivered within its upper bound, whichever process dies meanwhile (seed %i)',
    async (seed) => {
      const { tasks, crashes, ended, lastTakenMs } = await prove(PRODUCT, { ...setting, seed });
      expect(tasks).toBe(2 * TASKS);
      expect(crashes).toBeGreaterThan(0);
      expect(ended.succeeded).toBeGreaterThan(TASKS);
      expect(lastTakenMs).toBeLessThan(MINUTES_AFTER * 60_000);
    },
  );
});

describe('when the power goes', () => {
  // With this seed the power does go.
  const setting = { points: [], tasks: 2 * TASKS, seed: SEED + 1, rates: IN_THE_DARK };

  it('a claim may be undone, and no promise breaks', async () => {
    const { tasks, cuts, faded } = await prove(PRODUCT, setting);
    expect(tasks).toBe(2 * TASKS);
    expect([cuts, faded].every((count) => count > 0)).toBe(true);
  });

  it('nothing else may be undone, or it shows', async () => {
    const open = inMemory();
    const forgetful: OpenTable = (...given) => {
      const table = open(...given);
      return { ...table, replace: (held, next, o) => table.replace(held, next, { ...o, durability: 'relaxed' }) };
    };
    await expect(prove(PRODUCT, setting, forgetful)).rejects.toThrow('This does not hold');
  });
});

it('goes the same way again with the same seed', async () => {
  const setting = { points: POINTS, tasks: TASKS, seed: SEED, rates: MIXED };
  const first = await prove(PRODUCT, setting);
  expect(await prove(PRODUCT, setting)).toEqual(first);
  expect(await prove(PRODUCT, { ...setting, seed: SEED + 1 })).not.toEqual(first);
});
