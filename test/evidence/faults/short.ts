/** A short run of the fault harness, of a second or two, to test mutants. */
import { POINTS } from './points.ts';
import type { Product } from './product.ts';
import { prove } from './prove.ts';
import { AT_A_POINT, MIXED, type Setting } from './setting.ts';
import { inMemory, type Memory } from './world.ts';

const TASKS = 60;
/** The original succeeds with a larger share of the tasks. */
const MIN_WELL = 0.7;

/** All faults at once; many recurring and cancelled tasks; a model that often fails; receivers that rarely accept. */
const SETTINGS: readonly Setting[] = [
  { points: POINTS, tasks: TASKS, seed: 1, rates: MIXED },
  {
    points: POINTS,
    tasks: TASKS,
    seed: 2,
    rates: { ...AT_A_POINT, crash: 0.05, recurring: 0.3, cancelled: 0.3, redelivered: 0.5, looked: 1 },
  },
  { points: ['after write', 'at the time limit'], tasks: TASKS, seed: 3, rates: { ...MIXED, modelFails: 0.2 } },
  { points: ['after post'], tasks: TASKS, seed: 4, rates: { ...AT_A_POINT, refused: 0.85, redelivered: 0, looked: 1 } },
];

export async function isBroken(product: Product, memory?: Memory): Promise<boolean> {
  for (const setting of SETTINGS) {
    try {
      const { tasks, ended } = await prove(product, setting, memory && inMemory(memory));
      if ((ended.succeeded ?? 0) < MIN_WELL * tasks) return true;
    } catch {
      return true;
    }
  }
  return false;
}
