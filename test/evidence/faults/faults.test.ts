/** Short run of the fault injection: each crash point once, and all of them mixed. `npm run prove:faults` runs all of it. */
import { describe, expect, it } from 'vitest';
import { LOST } from './ends.ts';
import { POINTS } from './points.ts';
import { PRODUCT } from './product.ts';
import { prove } from './prove.ts';
import { AFTER_AN_OUTAGE, AT_A_POINT, CRASHING, IN_THE_DARK, MIXED } from './setting.ts';
import { inMemory, type OpenTable } from './world.ts';

const TASKS = 60;
const SEED = 1;
const OUTAGE_MS = 3_600_000;
/** The longest backoff behind an open circuit breaker, plus the reconciler's interval. */
const MINUTES_AFTER = 90;

describe('no promise to a task breaks', () => {
  it.each(POINTS)('when processes die %s', async (point) => {
    const { tasks, crashes } = await prove(PRODUCT, { points: [point], tasks: TASKS, seed: SEED, rates: AT_A_POINT });
    expect(tasks).toBe(TASKS);
    // Without crashes the test would prove little.
    expect(crashes).toBeGreaterThan(0);
  });

  it('when everything goes wrong at once', async () => {
    const counted = await prove(PRODUCT, { points: POINTS, tasks: 5 * TASKS, seed: SEED, rates: MIXED });
    expect(counted.ended.succeeded).toBeGreaterThan(4 * TASKS);
    expect(counted.repeats).toBeLessThanOrEqual(counted.excused);
  });
});

describe('when workers crash over and over', () => {
  const setting = { points: ['before model', 'after model'] as const, tasks: 2 * TASKS, seed: SEED, rates: CRASHING };

  it('no task fails for it while none is alone in a process that crashes or freezes', async () => {
    const { suspects, ended } = await prove(PRODUCT, { ...setting, sparesAlone: true });
    expect(suspects).toBeGreaterThan(TASKS / 2);
    expect(ended).not.toHaveProperty(`failed: ${LOST}`);
    expect(ended.succeeded).toBeGreaterThan(TASKS);
  });

  it('a task fails only when it was alone in its last process', async () => {
    const { ended } = await prove(PRODUCT, setting);
    expect(ended[`failed: ${LOST}`]).toBeGreaterThan(0);
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

describe('when the power is cut', () => {
  // With this seed the power is cut.
  const setting = { points: [], tasks: 2 * TASKS, seed: SEED + 1, rates: IN_THE_DARK };

  it('a claim may be undone, and no promise breaks', async () => {
    const { tasks, cuts, faded, ended } = await prove(PRODUCT, setting);
    expect(tasks).toBe(2 * TASKS);
    expect(ended).not.toHaveProperty(`failed: ${LOST}`);
    expect([cuts, faded].every((count) => count > 0)).toBe(true);
  });

  it('the harness notices when any other write is undone', async () => {
    const open = inMemory();
    const forgetful: OpenTable = (...given) => {
      const table = open(...given);
      return { ...table, replace: (held, next, o) => table.replace(held, next, { ...o, durability: 'relaxed' }) };
    };
    await expect(prove(PRODUCT, setting, forgetful)).rejects.toThrow('This does not hold');
  });
});

it('is deterministic for a seed', async () => {
  const setting = { points: POINTS, tasks: TASKS, seed: SEED, rates: MIXED };
  const first = await prove(PRODUCT, setting);
  expect(await prove(PRODUCT, setting)).toEqual(first);
  expect(await prove(PRODUCT, { ...setting, seed: SEED + 1 })).not.toEqual(first);
});
