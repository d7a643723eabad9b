/** No part of the rule, or of what carries it out, is idle: whatever is taken out or turned round, a promise breaks. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENGINE, ENGINE_FILES, type Engine } from './engine.ts';
import { EXAMPLES } from './examples.ts';
import { IDLE } from './idle-mutants.ts';
import { loaderOf } from './loader.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { PROMISES } from './promises.ts';
import { RULE, RULE_FILES, type Rule } from './rule.ts';

const FILES = readdirSync(join(import.meta.dirname, '../../shared/tasks'));
const PATIENCE_MS = 5_000;

type Promised<T> = { hold(tested: T): unknown };

/** The one that noticed the last mutant is asked first: the next mutant is often its neighbour. */
function askers<T>(all: readonly Promised<T>[]) {
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

/** What is not kept in time is not kept. */
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

const ruleNotices = askers<Rule>(Object.values(EXAMPLES).flat());
const engineNotices = askers<Engine>(Object.values(PROMISES).flat());

/** The rule's own examples must do; the limits beside it are for the engine as well. */
async function isNoticed(mutant: Mutant): Promise<boolean> {
  const load = await loaderOf(FILES, mutant);
  const isRule = RULE_FILES.some((file) => file === mutant.file);
  if (isRule && (await ruleNotices(load<Rule>(...RULE_FILES)))) return true;
  return (!isRule || mutant.file === 'task.ts') && engineNotices(load<Engine>(...ENGINE_FILES));
}

describe('no part is idle:', () => {
  it('the whole of it breaks no promise', async () => {
    expect(await ruleNotices(RULE)).toBe(false);
    expect(await engineNotices(ENGINE)).toBe(false);
  });

  it.each([...RULE_FILES, ...ENGINE_FILES])('%s', { timeout: 60_000 }, async (file) => {
    const unnoticed: string[] = [];
    for (const mutant of mutantsOf(file)) if (!(await isNoticed(mutant))) unnoticed.push(mutant.name);
    expect(unnoticed.toSorted()).toEqual(Object.keys(IDLE[file] ?? {}).toSorted());
  });
});
