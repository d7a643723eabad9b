/** Mutation test: every mutant of the task rules and the engine breaks a promise, except the listed equivalent ones. */
import { describe, expect, it } from 'vitest';
import { ENGINE, ENGINE_FILES } from './engine.ts';
import { IDLE } from './idle-mutants.ts';
import { engineDetects, isDetected, rulesDetect } from './mutant-detector.ts';
import { mutantsOf } from './mutants.ts';
import { RULE_FILES, TASK_RULES } from './task-rules.ts';

describe('every mutant is noticed:', () => {
  it('the original breaks no promise', async () => {
    expect(await rulesDetect(TASK_RULES)).toBe(false);
    expect(await engineDetects(ENGINE)).toBe(false);
  });

  it.each([...RULE_FILES, ...ENGINE_FILES])('%s', { timeout: 60_000 }, async (file) => {
    const unnoticed: string[] = [];
    for (const mutant of mutantsOf(file)) if (!(await isDetected(mutant))) unnoticed.push(mutant.name);
    expect(unnoticed.toSorted()).toEqual(Object.keys(IDLE[file] ?? {}).toSorted());
  });
});
