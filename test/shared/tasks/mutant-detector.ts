/** Checks whether any promise notices a mutant. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_FILES, type Engine } from './engine.ts';
import { EXAMPLES } from './examples.ts';
import { loaderOf } from './loader.ts';
import type { Mutant } from './mutants.ts';
import { PROMISES } from './promises.ts';
import { RULE_FILES, type TaskRules } from './task-rules.ts';

const FILES = readdirSync(join(import.meta.dirname, '../../../shared/tasks'));
const PATIENCE_MS = 5_000;

type MutantCheck<T> = { check(tested: T): unknown };

/** Starts with the promise that noticed the last mutant, because the next mutant is often close to it in the source. */
export function mutantDetector<T>(checks: readonly MutantCheck<T>[]) {
  let ordered = checks;
  return async function detects(tested: T): Promise<boolean> {
    for (const promised of ordered) {
      if (await passes(promised, tested)) continue;
      ordered = [promised, ...ordered.filter((candidate) => candidate !== promised)];
      return true;
    }
    return false;
  };
}

/** Returns false when the promise throws or times out. */
async function passes<T>({ check }: MutantCheck<T>, tested: T): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false);
  });
  try {
    return await Promise.race([Promise.resolve(check(tested)).then(() => true), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

export const rulesDetect = mutantDetector<TaskRules>(Object.values(EXAMPLES).flat());
export const engineDetects = mutantDetector<Engine>(Object.values(PROMISES).flat());

/** Mutants of the rules must be noticed by the rules' own examples; only the limits in task.ts may rely on the engine. */
export async function isDetected(mutant: Mutant): Promise<boolean> {
  const load = await loaderOf(FILES, mutant);
  const isRule = RULE_FILES.some((file) => file === mutant.file);
  if (isRule && (await rulesDetect(load<TaskRules>(...RULE_FILES)))) return true;
  return (!isRule || mutant.file === 'task.ts') && engineDetects(load<Engine>(...ENGINE_FILES));
}
