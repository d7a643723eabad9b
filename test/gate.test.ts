/** The gate (`.ci/run`) runs every suite, proof, scan and side-by-side benchmark of package.json. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

const gate = readFileSync('.ci/run', 'utf8');
const steps = [...gate.matchAll(/^ {2}'(.+)'$/gm)].map(([, step]) => step ?? '');
const scriptOf = (step: string): string | undefined => /^npm (?:run )?([\w:]+)/.exec(step)?.[1];
/** It runs tests of the project `node`, which `npm test` runs too, and prints their measurements. */
const isInNpmTest = (command: string): boolean => command === 'node test/evidence/promises/prove-research.ts';
const proofs = Object.entries(packageJson.scripts).filter(([name]) =>
  /^(test$|test:|prove:|bench:|rehearse$|scan$)/.test(name),
);

it('runs each suite, proof, scan and side-by-side benchmark once', () => {
  const run = steps.map(scriptOf).filter((script) => script !== 'ci');
  const wanted = proofs.filter(([, command]) => !isInNpmTest(command)).map(([name]) => name);
  expect(wanted.length).toBeGreaterThan(10);
  expect(run.toSorted()).toEqual(wanted.toSorted());
});

it('leaves to npm test what its project node runs', () => {
  expect(packageJson.scripts.test).toContain('vitest run --project node');
  const left = proofs.filter(([, command]) => isInNpmTest(command));
  expect(left.map(([name]) => name)).toEqual(['prove:research']);
  const [, folders = ''] =
    /FOLDERS = \[(.+)\]/.exec(readFileSync('test/evidence/promises/prove-research.ts', 'utf8')) ?? [];
  for (const [, path] of folders.matchAll(/'(.+?)'/g)) expect(globSync(`${path}/*.test.ts`), path).not.toEqual([]);
  expect(folders).toContain('test/evidence/frozen-web');
});

it('installs before everything else', () => {
  expect(steps[0]).toBe('npm ci');
});

it('ends with the first step that fails, without standard input', () => {
  const failing = gate
    .replace(/steps=\([\s\S]*?\n\)/, "steps=('cat' 'exit 3' 'echo not reached')")
    .replace(/^cd .*$/m, '');
  const run = () => execFileSync('bash', ['-c', failing], { encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  expect(run).toThrow(expect.objectContaining({ status: 3, stdout: expect.not.stringContaining('==> echo') }));
});
