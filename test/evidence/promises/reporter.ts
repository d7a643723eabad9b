/** A reporter of vitest: writes the rows of the promises whose tests have all run and passed. */
import { globSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { PROMISES, type Promised } from './promises.ts';
import { noteProofs, type Proof, today } from './proof-table.ts';

/** Files of the same folder that belong to another project. */
const OTHERS = /\.(aws|browser|rehearsal|long|prove|process)\.test\.ts$/;

const fileOf = ({ moduleId }: TestModule): string => relative('.', moduleId).replaceAll('\\', '/');

function proofOf(promised: Promised, modules: readonly TestModule[]): Proof | undefined {
  const { promise, command, project, files } = promised;
  const isAbout = (file: string) => files.some((pattern) => matchesGlob(file, pattern));
  const ran = modules.filter((module) => module.project.name === project && isAbout(fileOf(module)));
  const isSpecial = (file: string) => OTHERS.test(file) && !files.some((pattern) => OTHERS.test(pattern));
  const wanted = globSync(files).filter((file) => !isSpecial(file.replaceAll('\\', '/')));
  if (ran.length === 0 || ran.length < wanted.length || !ran.every((module) => module.ok())) return undefined;
  const tests = ran.flatMap((module) => [...module.children.allTests()]);
  const passed = tests.filter((test) => test.result().state === 'passed');
  // A run that was narrowed by names of tests shows nothing about the others.
  if (passed.length === 0) return undefined;
  const measured = tests.flatMap((test) => (test.meta() as { figure?: string }).figure ?? []);
  const count = `${passed.length.toLocaleString('en-US')} ${passed.length === 1 ? 'test' : 'tests'}, 0 failed`;
  const figure = [...measured, count].join('; ');
  return { promise, command, figure };
}

export const proofReporter = (): Reporter => ({
  onTestRunEnd(modules: readonly TestModule[]): void {
    const proofs = PROMISES.flatMap((promised) => proofOf(promised, modules) ?? []);
    if (proofs.length > 0) noteProofs(proofs, today());
  },
});
