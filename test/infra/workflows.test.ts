/** The deployment workflows: names of stages, order of jobs, and no concurrent deployments. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { PRODUCTION_STAGE, stageName } from '../../shared/core/deployment-stage.ts';
import type { Any } from '../support/any.ts';

const workflow = (name: string): Any => parse(readFileSync(`.github/workflows/${name}.yml`, 'utf8'));
const { jobs, env } = workflow('deploy');
const linesOf = (job: string): string[] => jobs[job].steps.flatMap(({ run }: Any) => run ?? []);

/** The stage's name for a branch, evaluated as GitHub does. */
const stageOf = (branch: string): string => stageName(env.STAGE.replace(/\$\{\{ github\.head_ref \}\}$/, () => branch));

it('gives no branch the name of production or of a stage that was deployed by hand', () => {
  const longLived = [PRODUCTION_STAGE, 'staging', 'dev', 'main', 'demo', 'feature-x-0a1b2c'];
  const near = ['Production', 'production-', '/production', 'production/fix', 'production-2', '42-production'];
  for (const branch of [...longLived, ...near]) {
    const stage = stageOf(branch);
    expect(stage, branch).toMatch(/^branch-[a-z0-9-]*[0-9a-f]{6}$/);
    expect(longLived, branch).not.toContain(stage);
  }
});

it('passes only that name to each step for a branch, and production by its own name', () => {
  for (const job of ['branch', 'close'])
    for (const line of linesOf(job).filter((run) => run.includes('stage'))) expect(line).toMatch(/stage[= ]"\$STAGE"$/);
  const lines = linesOf('production').filter((run) => run.includes('stage'));
  expect(lines).toEqual(['$CDK deploy -c stage=production', 'node bin/errand.ts doctor --stage production']);
  // A branch name is never inserted into a command.
  expect(JSON.stringify(Object.keys(jobs).flatMap((job) => (jobs[job].steps ? linesOf(job) : [])))).not.toContain(
    '${{',
  );
});

it('deploys production only after all checks of a change', () => {
  const { on, jobs: checks } = workflow('check');
  expect(jobs.production.needs).toBe('gate');
  expect(jobs.gate).toEqual({ if: jobs.production.if, uses: './.github/workflows/check.yml' });
  expect(on).toHaveProperty('workflow_call');
  expect(checks.check.steps.map(({ run }: Any) => run)).toContain('bash .ci/run');
});

it("keeps a fork's branch apart from production and from our branch of the same name", () => {
  const groups = ['branch', 'close', 'production'].map((job) => jobs[job].concurrency.group);
  expect(groups[0]).toBe(groups[1]);
  expect(groups[0]).toMatch(
    /^deploy-\$\{\{ github\.event\.pull_request\.head\.repo\.full_name \}\}-\$\{\{ github\.head_ref \}\}$/,
  );
  expect(groups[2]).toBe(PRODUCTION_STAGE);
  for (const job of ['branch', 'close'])
    expect(jobs[job].if).toContain('github.event.pull_request.head.repo.full_name == github.repository');
});
