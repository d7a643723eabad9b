import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checked, errandApp, statedApp } from '../../infra/app.ts';
import { endOfCommit } from '../../infra/settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EVERY_SETTING } from './every-setting.ts';
import { emptyBundles, templateOf } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Bundles of other packages are long and irrelevant here. */
const contentOf = (file: string): string =>
  file.endsWith('.zip') ? createHash('sha256').update(readFileSync(file)).digest('hex') : readFileSync(file, 'utf8');

const filesIn = (outdir: string): Record<string, string> =>
  Object.fromEntries(
    (readdirSync(outdir, { recursive: true }) as string[])
      .sort()
      .filter((name) => statSync(join(outdir, name)).isFile())
      .map((name) => [name, contentOf(join(outdir, name))]),
  );

describe('synth', () => {
  const bundles = emptyBundles(folder.path);
  const synthesize = (outdir: string) => {
    // As the CDK's command line runs it: with the rule sets, and with the date of its commit.
    checked(errandApp({ bundles, outdir: join(folder.path, outdir), ends: endOfCommit('.') })).synth();
    return filesIn(join(folder.path, outdir));
  };

  it('writes the same files twice, byte for byte, and no path of this machine', () => {
    const files = synthesize('once');
    expect(Object.keys(files)).toContain('errand-dev.template.json');
    expect(synthesize('twice')).toEqual(files);
    const told = Object.entries(files).filter(([, text]) => text.includes(folder.path) || text.includes(process.cwd()));
    expect(told.map(([name]) => name)).toEqual([]);
  }, 120_000);

  it('reads the stage from the context and gives each its own stack', () => {
    const { stacks } = errandApp({ bundles, context: { stage: 'fix-42' }, outdir: join(folder.path, 'fix') }).synth();
    expect(stacks.map(({ stackName, environment }) => [stackName, environment.name])).toEqual([
      ['errand-fix-42', 'aws://unknown-account/unknown-region'],
    ]);
  });

  it.each(['', '-a', '../x', '42', 'Production', 'a b', 'a'.repeat(256)])(
    'rejects the stage %.20j with one line that names it',
    (stage) => {
      const attempt = () => errandApp({ bundles, context: { stage }, outdir: join(folder.path, 'refused') });
      expect(attempt).toThrow(`The stage is ${JSON.stringify(stage.slice(0, 80))}: `);
      expect(attempt).not.toThrow(/\n/);
    },
  );

  it('gives a branch a stack that differs from those of branches with similar names', () => {
    const stackOf = (stage: string) =>
      errandApp({ bundles, context: { stage }, outdir: join(folder.path, 'branches') }).synth().stacks[0]?.stackName;
    const names = ['feature/My-Branch', 'feature/my-branch', 'feature-my_branch'].map(stackOf);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^errand-feature-my-branch-[0-9a-f]{6}$/);
  });

  it.each(['modles', 'Stage', 'sender_address', 'alarmsEmail'])('rejects the setting %s, which is unknown', (name) => {
    const context = { stage: 'dev', [name]: 'x' };
    const attempt = () => errandApp({ bundles, context, outdir: join(folder.path, 'refused') });
    expect(attempt).toThrow(
      `There is no setting "${name}": there are agents-certificate, agents-domain, alarms-email,`,
    );
    expect(attempt).not.toThrow(/\n/);
  });

  it('tags resources with the stage, and with the day an ephemeral stage ends', () => {
    const tagsOf = (stage: string) =>
      errandApp({ bundles, context: { stage, expires: '2026-12-31' }, outdir: join(folder.path, 'tagged') }).synth()
        .stacks[0]?.tags;
    expect(tagsOf('fix-42')).toEqual({
      'errand:stage': 'fix-42',
      'errand:kept': 'false',
      'errand:expires': '2026-12-31',
    });
    expect(tagsOf('production')).toEqual({ 'errand:stage': 'production', 'errand:kept': 'true' });
  });

  describe('the last day of a stage', () => {
    const on = (today: string, { ends, ...context }: { stage: string; ends?: string; expires?: string }) =>
      statedApp({ context, ends, today, outdir: join(folder.path, 'on-a-day') }).settings.expires;

    it('is not set when the commit is older than a fortnight, because the stage would be deleted at once', () => {
      const old = { stage: 'old', ends: '2026-11-15' };
      expect(on('2026-11-15', old)).toBe('2026-11-15');
      expect(on('2026-11-16', old)).toBeUndefined();
      expect(on('2026-11-16', { ...old, expires: '2026-11-30' })).toBe('2026-11-30');
    });

    it('is rejected when it has passed or is not a date', () => {
      const at = (expires: string) => () => on('2026-11-16', { stage: 'old', ends: '2026-11-20', expires });
      expect(at('2020-01-01')).toThrow(/^expires is "2020-01-01", which is past: give 2026-11-16 or a later day\.$/);
      for (const none of ['tomorrow', '2020'])
        expect(at(none)).toThrow(`expires is ${JSON.stringify(none)}: give a day such as`);
    });

    it('is not required for production, which has none', () => {
      expect(on('2026-11-16', { stage: 'production', ends: '2026-11-20' })).toBeUndefined();
    });
  });

  it.each([
    [{ expires: '2020-01-01' }, /^errand: expires is "2020-01-01", which is past: [^\n]+\n$/],
    [
      { 'kms-key': EVERY_SETTING['kms-key'] },
      /^errand: kms-key is of eu-central-1, and the stage of us-east-1: [^\n]+\n$/,
    ],
  ])(
    'checks %j, with the day and the region, before the CDK app bundles anything',
    (setting, line) => {
      const CDK_CONTEXT_JSON = JSON.stringify({ stage: 'old', ...setting });
      const CDK_DEFAULT_REGION = 'us-east-1';
      const env = { ...process.env, CDK_CONTEXT_JSON, CDK_DEFAULT_REGION, CDK_OUTDIR: join(folder.path, 'program') };
      const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/app.ts'], { env, encoding: 'utf8' });
      // The bundler prints its output.
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(line);
    },
    60_000,
  );

  it('protects only the production stack from deletion', () => {
    const isProtected = (stage: string) =>
      errandApp({ bundles, context: { stage }, outdir: join(folder.path, stage) }).synth().stacks[0]
        ?.terminationProtection;
    expect([isProtected('production'), isProtected('branch')]).toEqual([true, false]);
  });

  it('outputs the URLs, the table, the buckets and the name of the secret', () => {
    const outputs = templateOf(folder.path, 'dev', bundles).findOutputs('*');
    expect(Object.keys(outputs).sort()).toEqual([
      'AgentsRootUrl',
      'AgentsWsUrl',
      'BucketName',
      'ConsoleUrl',
      'FilesAndTasksBaseUrl',
      'MasterSecretId',
      'Models',
      'SocketsUrl',
      'TableName',
      'UploadsBucketName',
    ]);
    for (const [name, { Description }] of Object.entries(outputs)) expect(Description, name).toMatch(/^\w.+\.$/);
    const base = outputs.FilesAndTasksBaseUrl?.Value['Fn::Join'][1];
    expect(base).toEqual([{ 'Fn::GetAtt': [expect.stringMatching(/^FilesAndTasksApi/), 'ApiEndpoint'] }, '/api/v1']);
    const domain = { 'Fn::GetAtt': [expect.stringMatching(/^EdgeDistribution/), 'DomainName'] };
    expect(outputs.AgentsRootUrl?.Value['Fn::Join'][1]).toEqual(['https://', domain]);
    expect(outputs.AgentsWsUrl?.Value['Fn::Join'][1]).toEqual(['wss://', domain]);
  });
});
