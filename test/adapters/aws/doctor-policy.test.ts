/** The doctor's policy in docs/operations/deploy.md allows exactly the calls that the doctor makes. */
import { readFileSync } from 'node:fs';
import { DescribeStacksCommand, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { stageOutputs } from '../../../adapters/aws/deployed-stage.ts';
import { checkStage } from '../../../adapters/aws/doctor.ts';
import { bedrockModels } from '../../../adapters/aws/model.ts';
import { secretsManager } from '../../../adapters/aws/secrets.ts';
import { setClock } from '../../ports/clock.ts';
import type { Any } from '../../support/any.ts';
import { clients, mocks, queue } from './doctor-clients.ts';

mocks.cloudformation.on(DescribeStacksCommand).resolves({ Stacks: [] });
mocks.cloudformation.on(ListStackResourcesCommand).resolves({ StackResourceSummaries: [queue('Q')] });
// Requested for the address first, then for its domain.
mocks.ses.on(GetEmailIdentityCommand).rejects(Object.assign(new Error('none'), { name: 'NotFoundException' }));

const secretsClient = new SecretsManagerClient({ region: 'eu-central-1' });
const secretsMock = mockClient(secretsClient);
for (const VersionStage of ['AWSCURRENT', 'AWSPREVIOUS']) {
  secretsMock
    .on(GetSecretValueCommand, { VersionStage })
    .resolves({ VersionId: VersionStage, SecretString: 'a'.repeat(64) });
}

/** Operations whose action in IAM has another name. */
const ACTIONS: Record<string, string> = { 's3:HeadBucket': 's3:ListBucket', 'bedrock:converse': 'bedrock:InvokeModel' };

/** The calls of the parts of `stage-state.ts`. */
async function asked(): Promise<string[]> {
  const modelCalls: string[] = [];
  const askModel = async (model: string) => {
    const fetchTo = () => async (url: Any) => {
      modelCalls.push(`bedrock:${new URL(url).pathname.split('/').at(-1)}`);
      return new Response('{}');
    };
    const credentials = async () => ({ accessKeyId: 'a', secretAccessKey: 'b' });
    const named = await bedrockModels({ region: async () => 'eu-central-1', credentials, fetchTo })(model.slice(8));
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say yes.' }] }];
    await Promise.resolve(named.doGenerate({ prompt })).catch(() => undefined);
  };
  await secretsManager({ client: () => secretsClient, id: 's', clock: setClock() }).master();
  await stageOutputs(clients.stacks, 'dev');
  const outputs = { TableName: 't', BucketName: 'b', Models: 'bedrock/eu.claude,openai/ours,offline/extractive' };
  const sending = { sender: 'news@host.org', configurationSet: 'set' };
  await checkStage(clients, { stackName: 'errand-dev', outputs, sending, askModel });
  const sent = Object.entries({ ...mocks, secretsmanager: secretsMock }).flatMap(([service, mock]) =>
    mock.calls().map(({ args: [command] }: Any) => `${service}:${command.constructor.name.replace(/Command$/, '')}`),
  );
  return [...new Set([...sent, ...modelCalls].map((call) => ACTIONS[call] ?? call))].toSorted();
}

const [, text = ''] =
  /```json\n(\{\n {2}"Version"[\s\S]*?)\n```/.exec(readFileSync('docs/operations/deploy.md', 'utf8')) ?? [];
const statements: Any[] = JSON.parse(text).Statement;

it('allows the calls of the doctor, and nothing else', async () => {
  expect(statements.flatMap(({ Action }) => Action).toSorted()).toEqual(await asked());
  for (const { Effect, Action, Resource } of statements) {
    expect(Effect).toBe('Allow');
    // SES accepts only `*` as the resource of this action.
    if (Action !== 'ses:GetAccount') expect([Resource].flat()).not.toContain('*');
  }
});

it('does not let the role of the branches read a secret of a permanent stage', () => {
  const secrets = statements.find(({ Action }) => Action === 'secretsmanager:GetSecretValue');
  expect(secrets?.Condition).toEqual({ StringEquals: { 'aws:ResourceTag/errand:kept': 'false' } });
});
