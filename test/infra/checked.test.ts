/** Published rule sets over our stack: no open finding, and no suppression without a finding. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, expect, it, vi } from 'vitest';
import { ACKNOWLEDGED, checked, errandApp } from '../../infra/app.ts';
import { settingsOf } from '../../infra/settings.ts';
import { ErrandStack } from '../../infra/stack.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EVERY_SETTING } from './every-setting.ts';
import { emptyBundles } from './stack.ts';

/** The synth copies the console's files, and two rule sets check the template. */
vi.setConfig({ testTimeout: 120_000 });

const folder = temporaryFolder();
afterAll(() => folder.remove());
const bundles = emptyBundles(folder.path);

type Report = {
  pluginReports: {
    conclusion: string;
    violations?: { ruleName: string; violatingConstructs: { constructPath: string }[] }[];
  }[];
};

const REPORT = 'validation-report.json';

/** Runs a synth that fails on findings. */
function reportOf(app: App): string[] {
  const { outdir } = app;
  let stopped = false;
  try {
    checked(app).synth();
  } catch {
    stopped = true;
  }
  const { pluginReports } = JSON.parse(readFileSync(join(outdir, REPORT), 'utf8')) as Report;
  expect(stopped).toBe(pluginReports.length > 0);
  return pluginReports.flatMap(({ violations = [] }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    ),
  );
}

const errand = (stage: string, outdir = stage, given: Record<string, string> = {}): App =>
  errandApp({ bundles, outdir: join(folder.path, outdir), context: { stage, ...given } });

it.each(['production', 'branch'])('reports no finding in the stack of %s', (stage) => {
  expect(reportOf(errand(stage))).toEqual([]);
});

it.each(['production', 'branch'])('reports no finding in the stack of %s with every setting set', (stage) => {
  expect(reportOf(errand(stage, `${stage}-set`, EVERY_SETTING))).toEqual([]);
});

it('sets every setting that exists', () => {
  const settings = ['stage', ...Object.keys(EVERY_SETTING)].toSorted();
  expect(() => errand('branch', 'unknown', { unknown: 'x' })).toThrow(`: there are ${settings.join(', ')}.`);
});

it('reports an open bucket, and an unacknowledged wildcard', () => {
  const app = errand('branch', 'stray');
  const stack = app.node.findChild('errand-branch') as ErrandStack;
  new Bucket(stack, 'Stray');
  const role = stack.node.findChild('SocketFunction').node.findChild('Role') as Role;
  role.addToPolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: ['*'] }));
  const found = reportOf(app);
  expect(found.some((line) => line.includes('/Stray/'))).toBe(true);
  expect(found.some((line) => line.startsWith('AwsSolutions-IAM5') && line.includes('SocketFunction'))).toBe(true);
});

it('acknowledges each rule with a reason, and only rules that the stack breaks', () => {
  for (const { rule, why } of ACKNOWLEDGED) expect(why.length, rule).toBeGreaterThan(20);
  const settings = settingsOf('dev');
  const app = new App({ outdir: join(folder.path, 'bare') });
  new ErrandStack(app, `errand-${settings.stage}`, { settings, bundles });
  const found = reportOf(app).map((line) => line.split(' ', 1)[0]);
  const needless = ACKNOWLEDGED.filter(({ when }) => when?.(settings) ?? true).flatMap(({ rule, of }) =>
    (of?.(settings) ?? ['']).filter(
      (finding) => !found.some((line) => line?.startsWith(rule) && line.includes(start(finding))),
    ),
  );
  expect(needless).toEqual([]);
});

/** A finding begins with the resource's name, up to the first space. */
const start = (finding: string): string => (finding === '' ? '' : `[${finding.split(' ', 1)[0]}`);
