/** Runs every crash point with every seed, then all of them mixed; prints a line for each, and the seed of a failure. */
import { type CrowdingResult, crowdLane } from './crowded-lane.ts';
import type { Counted } from './ends.ts';
import { POINTS, type Point } from './points.ts';
import { PRODUCT } from './product.ts';
import { prove } from './prove.ts';
import { AT_A_POINT, IN_THE_DARK, MIXED, type Setting } from './setting.ts';

export const POWER_CUT = 'power cut';

type Tell = (line: string) => void;
type Asked = {
  points: readonly Point[];
  seeds: readonly number[];
  /** The number of tasks for each point and seed, and in the mixed run; 0 skips the runs. */
  tasks: number;
  mixed: number;
  /** Whether to add runs with power cuts, with as many tasks for each seed. */
  isDark: boolean;
  tell: Tell;
};
/** `seconds` is CPU time. */
export type Sum = Counted & { name: string; points: number; seeds: number; seconds: number };

/** `undefined`: a promise was broken. */
export async function proveAll({ points, seeds, tasks, mixed, isDark, tell }: Asked): Promise<Sum[] | undefined> {
  const sums: Sum[] = [];
  for (const point of tasks > 0 ? points : []) {
    const settings = seeds.map((seed) => ({ points: [point], tasks, seed, rates: AT_A_POINT }));
    const sum = await proveEach(point, settings, tell);
    if (!sum) return undefined;
    sums.push(sum);
  }
  const whole =
    sums.length > 0 ? [addSums(sums, { name: 'each point', points: points.length, seeds: seeds.length })] : [];
  for (const sum of whole) tell(lineOf(sum));
  if (isDark && tasks > 0) {
    const settings = seeds.map((seed) => ({ points: [], tasks, seed, rates: IN_THE_DARK }));
    const dark = await proveEach(POWER_CUT, settings, tell);
    if (!dark) return undefined;
    whole.push(dark);
  }
  if (mixed === 0) return whole;
  const [seed = 1] = seeds;
  const everything = await proveEach('mixed', [{ points: POINTS, tasks: mixed, seed, rates: MIXED }], tell);
  return everything && [...whole, everything];
}

/** Runs a lane that one organization fills until all tasks have ended. `undefined`: a promise was broken. */
export async function proveCrowded(seeds: readonly number[], tell: Tell): Promise<CrowdingResult[] | undefined> {
  const results: CrowdingResult[] = [];
  for (const seed of seeds) {
    try {
      const result = await crowdLane(PRODUCT, { seed });
      const { quietTasks, slowestStartMs, maxHeldSlots, slots, crashes, minutes } = result;
      tell(
        `crowded lane: seed ${seed}, ${minutes} minutes, ${crashes} crashes, at most ${maxHeldSlots} of ${slots} slots ` +
          `held, ${quietTasks} tasks of the other organization started within ${slowestStartMs} ms`,
      );
      results.push(result);
    } catch (error) {
      tell(`crowded lane, seed ${seed}: ${(error as Error).stack}`);
      tell(`Once more: npm run prove:faults -- --seed ${seed} --tasks 0 --mixed 0`);
      return undefined;
    }
  }
  return results;
}

async function proveEach(name: string, settings: readonly Setting[], tell: Tell): Promise<Sum | undefined> {
  const sums: Sum[] = [];
  for (const setting of settings) {
    const sum = await proveOne(name, setting, tell);
    if (!sum) return undefined;
    sums.push(sum);
  }
  const sum = addSums(sums, { name, points: settings[0]?.points.length ?? 0, seeds: settings.length });
  tell(lineOf(sum));
  return sum;
}

async function proveOne(name: string, setting: Setting, tell: Tell): Promise<Sum | undefined> {
  const { tasks, seed, points } = setting;
  const from = process.cpuUsage();
  try {
    const counted = await prove(PRODUCT, setting);
    const { user, system } = process.cpuUsage(from);
    return { ...counted, name, points: points.length, seeds: 1, seconds: (user + system) / 1_000_000 };
  } catch (error) {
    const what = name === 'mixed' ? `--tasks 0 --mixed ${tasks}` : `--point '${name}' --tasks ${tasks} --mixed 0`;
    tell(`${name}, ${tasks} tasks, seed ${seed}: ${(error as Error).stack}`);
    tell(`Once more: npm run prove:faults -- --seed ${seed} ${what}`);
    return undefined;
  }
}

const SUMMED = ['tasks', 'crashes', 'faults', 'suspects', 'cuts', 'faded', 'repeats', 'excused', 'seconds'] as const;

function addSums(sums: readonly Sum[], of: Pick<Sum, 'name' | 'points' | 'seeds'>): Sum {
  const all = {
    ...of,
    tasks: 0,
    crashes: 0,
    faults: 0,
    suspects: 0,
    cuts: 0,
    faded: 0,
    repeats: 0,
    excused: 0,
    seconds: 0,
    lastTakenMs: 0,
  };
  const ended: Record<string, number> = {};
  for (const sum of sums) {
    for (const name of SUMMED) all[name] += sum[name];
    for (const [end, count] of Object.entries(sum.ended)) ended[end] = (ended[end] ?? 0) + count;
  }
  return { ...all, ended };
}

function lineOf({
  name,
  points,
  tasks,
  seeds,
  crashes,
  faults,
  cuts,
  faded,
  repeats,
  excused,
  ended,
  seconds,
}: Sum): string {
  const ends = Object.entries(ended).map(([end, count]) => `${count} ${end}`);
  return (
    `${name}: ${points} points, ${tasks} tasks, ${seeds} seeds, ${crashes} crashes, ${faults} other faults, ` +
    (cuts > 0 ? `${cuts} cuts of the power that undid ${faded} writes, ` : '') +
    `${repeats} repeats of ${excused} allowed, ended: ${ends.join(', ')}; ${seconds.toFixed(1)} s`
  );
}
