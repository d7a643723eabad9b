/** A scanner that did not run, or that saw nothing, is an error and no pass. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { checkov, lint, type Scanned } from './scanners.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const scanned = (stage: string): Scanned => ({ stage, file: `/work/${stage}/template.json` });
const TEMPLATES = [scanned('production'), scanned('branch')];
const FAULTY = scanned('faulty');

/** A `python` that prints a report and ends with an exit code, whatever it is to run. */
function python(report: unknown, code = 0): string {
  const program = join(folder.path, `python-${Math.random()}`);
  writeFileSync(`${program}.json`, typeof report === 'string' ? report : JSON.stringify(report));
  writeFileSync(program, `#!/bin/sh\ncat '${program}.json'\nexit ${code}\n`);
  chmodSync(program, 0o755);
  return program;
}

const match = (stage: string, Id: string, Path: unknown[]) => ({
  Filename: `/work/${stage}/template.json`,
  Rule: { Id },
  Location: { Path },
  Message: 'Wrong',
});
const error = match('faulty', 'E3012', ['Resources', 'Faulty']);

it('reads the findings of cfn-lint, without those of the faulty template', async () => {
  const finding = match('branch', 'W1', ['Resources', 'Main0123ABCD', 'Type']);
  expect(await lint(python([finding, error], 6), TEMPLATES, FAULTY)).toEqual([
    { stage: 'branch', check: 'W1', resource: 'Main', says: 'Wrong' },
  ]);
});

it('does not believe a cfn-lint that finds nothing in the faulty template', async () => {
  await expect(lint(python([]), TEMPLATES, FAULTY)).rejects.toThrow('did not find the error');
});

it.each([
  ['an odd exit code', [error], 1],
  ['no report', 'Traceback', 2],
])('does not believe a cfn-lint with %s', async (_, report, code) => {
  await expect(lint(python(report, code), TEMPLATES, FAULTY)).rejects.toThrow(`did not run (exit code ${code})`);
});

const check = (stage: string) => ({
  file_path: `/${stage}/template.json`,
  check_id: 'CKV_1',
  check_name: 'Ensure it',
  resource: 'AWS::S3::Bucket.Main0123ABCD',
});
const report = (passed: string[], parsing_errors = 0) => ({
  results: { passed_checks: passed.map(check), failed_checks: [check('branch')] },
  summary: { parsing_errors },
});

it('reads the failed checks of checkov', async () => {
  expect(await checkov(python(report(['production', 'branch']), 1), TEMPLATES)).toEqual([
    { stage: 'branch', check: 'CKV_1', resource: 'Main', says: 'Ensure it' },
  ]);
});

it('does not believe a checkov that passed nothing in a template, or could not read one', async () => {
  await expect(checkov(python(report(['branch'])), TEMPLATES)).rejects.toThrow('passed no check of production');
  await expect(checkov(python(report(['branch', 'production'], 1)), TEMPLATES)).rejects.toThrow('not read 1');
  await expect(checkov(python({ passed: 0 }), TEMPLATES)).rejects.toThrow('passed no check of production, branch');
});

it('does not believe a checkov that crashed', async () => {
  await expect(checkov(python('', 2), TEMPLATES)).rejects.toThrow('checkov did not run (exit code 2)');
});
