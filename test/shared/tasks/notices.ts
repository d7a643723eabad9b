/** Checks whether any promise notices a mutant. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_FILES, type Engine } from './engine.ts';
import { EXAMPLES } from './examples.ts';
import { loaderOf } from './loader.ts';
import type { Mutant } from './mutants.ts';
import { PROMISES } from './promises.ts';
import { RULE_FILES, type Rule } from './rule.ts';

const FILES = readdirSync(join(import.meta.dirname, '../../../shared/tasks'));
const PATIENCE_MS = 5_000;

type Promised<T> = { hold(tested: T): unknown };

/** Starts with the promise that noticed the last mutant, because the next mutant is often close to it in the source. */
export function askers<T>(all: readonly Promised<T>[]) {
  let asked = all;
  return async function notices(tested: T): Promise<boolean> {
    for (const promised of asked) {
      if (await holds(promised, tested)) continue;
      asked = [promised, ...asked.filter((other) => other !== promised)];
      return true;
    }
    return false;
  };
}

/** Returns false when the promise throws or times out. */
async function holds<T>({ hold }: Promised<T>, tested: T): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false);
  });
  try {
    return await Promise.race([Promise.resolve(hold(tested)).then(() => true), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

export const ruleNotices = askers<Rule>(Object.values(EXAMPLES).flat());
export const engineNotices = askers<Engine>(Object.values(PROMISES).flat());

/** Mutants of the rules must be noticed by the rules' own examples; only the limits in task.ts may rely on the engine. */
export async function isNoticed(mutant: Mutant): Promise<boolean> {
  const load = await loaderOf(FILES, mutant);
  const isRule = RULE_FILES.some((file) => file === mutant.file);
  if (isRule && (await ruleNotices(load<Rule>(...RULE_FILES)))) return true;
  return (!isRule || mutant.file === 'task.ts') && engineNotices(load<Engine>(...ENGINE_FILES));
}
