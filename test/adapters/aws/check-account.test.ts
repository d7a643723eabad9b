/** The report on an account before its first deployment. The answers are those that AWS documents. */
import { readFileSync } from 'node:fs';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetAccountCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ACCOUNT_NEEDS } from '../../../adapters/aws/account-requirements.ts';
import { checkAccount } from '../../../adapters/aws/check-account.ts';
import { markdownTable } from '../../evidence/promises/markdown-table.ts';

const region = { region: 'eu-central-1' };
const clients = {
  stacks: new CloudFormationClient(region),
  lambda: new LambdaClient(region),
  ses: new SESv2Client(region),
};
const mocks = { stacks: mockClient(clients.stacks), lambda: mockClient(clients.lambda), ses: mockClient(clients.ses) };

const bootstrapped = (version: string) => ({
  Stacks: [
    {
      StackName: 'CDKToolkit',
      StackStatus: 'CREATE_COMPLETE' as const,
      CreationTime: new Date(0),
      Outputs: [{ OutputKey: 'BootstrapVersion', OutputValue: version }],
    },
  ],
});

beforeEach(() => {
  mocks.stacks.on(DescribeStacksCommand, { StackName: 'CDKToolkit' }).resolves(bootstrapped('27'));
  mocks.lambda.on(GetAccountSettingsCommand).resolves({ AccountLimit: { ConcurrentExecutions: 1_000 } });
  mocks.ses
    .on(GetAccountCommand)
    .resolves({ SendingEnabled: true, ProductionAccessEnabled: true, EnforcementStatus: 'HEALTHY' });
});
afterEach(() => {
  for (const mock of Object.values(mocks)) mock.reset();
});

const model = 'bedrock/global.claude';
const report = async (askModel: (name: string) => Promise<void> = async () => undefined) =>
  Object.fromEntries(
    (await checkAccount({ clients, model, askModel })).map(({ check, state, detail }) => [check, { state, detail }]),
  );

it('finds nothing wrong with an account that is ready, and lists what it cannot check', async () => {
  const found = await report();
  for (const { name, isChecked, remedy } of ACCOUNT_NEEDS) {
    expect(found[name]?.state, name).toBe(isChecked ? 'ok' : 'look');
    if (!isChecked) expect(found[name]?.detail).toContain(remedy);
  }
  expect(found.concurrency?.detail).toBe('1000 at once');
  expect(found.model?.detail).toBe('bedrock/global.claude answers');
});

it('tells a new account what it lacks, each with its remedy', async () => {
  const missing = Object.assign(new Error('Stack with id CDKToolkit does not exist'), { name: 'ValidationError' });
  mocks.stacks.on(DescribeStacksCommand).rejects(missing);
  mocks.lambda.on(GetAccountSettingsCommand).resolves({ AccountLimit: { ConcurrentExecutions: 10 } });
  mocks.ses.on(GetAccountCommand).resolves({ SendingEnabled: true, ProductionAccessEnabled: false });
  const found = await report(async () => {
    throw new Error('Model use case details have not been submitted for this account.\nmore');
  });
  expect(found.bootstrap).toEqual({
    state: 'wrong',
    detail: 'this region has no stack CDKToolkit: npx cdk bootstrap',
  });
  expect(found.concurrency?.state).toBe('look');
  expect(found.concurrency?.detail).toMatch(/^only 10 at once: aws service-quotas request-service-quota-increase /);
  expect(found.mail?.detail).toMatch(/^in the sandbox/);
  expect(found.model?.state).toBe('look');
  expect(found.model?.detail).toMatch(/^bedrock\/global\.claude does not answer \(Model use case [^\n]*\): fill in/);
});

it('rejects a bootstrap that is too old, and says why a check failed', async () => {
  mocks.stacks.on(DescribeStacksCommand).resolves(bootstrapped('5'));
  const denied = Object.assign(new Error('not authorized to perform lambda:GetAccountSettings'), {
    name: 'AccessDeniedException',
  });
  mocks.lambda.on(GetAccountSettingsCommand).rejects(denied);
  const found = await report();
  expect(found.bootstrap).toEqual({ state: 'wrong', detail: 'version 5 is too old: npx cdk bootstrap' });
  expect(found.concurrency).toEqual({
    state: 'wrong',
    detail: 'AccessDeniedException: not authorized to perform lambda:GetAccountSettings',
  });
});

it('is the list of docs/operations/deploy.md', () => {
  const table = markdownTable(
    ['Need', 'What happens without it', 'What to do', 'Checked'],
    ACCOUNT_NEEDS.map(({ name, without, remedy, isChecked }) => [
      name,
      without,
      /^(npx|aws) /.test(remedy) ? `\`${remedy}\`` : remedy,
      isChecked ? 'yes' : 'by hand',
    ]),
  );
  const compact = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
  expect(compact(readFileSync('docs/operations/deploy.md', 'utf8'))).toContain(compact(table));
});
