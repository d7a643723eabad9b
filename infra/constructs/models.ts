/** Permissions and settings of a worker for the stage's models. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { environment } from '../../shared/core/environment.ts';
import type { Settings } from '../settings.ts';
import type { BundledFunction } from './function.ts';

const BEDROCK = 'bedrock/';
/** An inference profile is a model's name behind the part of the world it may run in. */
const PROFILE = /^(global|us|us-gov|eu|apac|jp|au|ca)\./;

export function grantModels(
  to: BundledFunction,
  { models, openai, seeing, modelTable }: Pick<Settings, 'models' | 'openai' | 'seeing' | 'modelTable'>,
): void {
  const names = models.filter((model) => model.startsWith(BEDROCK)).map((model) => model.slice(BEDROCK.length));
  if (names.length > 0)
    to.allow(
      ['bedrock:InvokeModelWithResponseStream'],
      names.flatMap((name) => arnsOf(Stack.of(to), name)),
    );
  // An empty one counts as not set.
  to.tell(environment.modelAddress, openai?.address ?? '');
  to.tell(environment.modelKeySecret, openai?.keySecret ?? '');
  to.tell(environment.seeingModels, seeing.join(','));
  to.tell(environment.modelTable, modelTable);
  if (openai?.keySecret === undefined) return;
  // Secrets Manager ends a secret's ARN with six characters of its own.
  to.allow(['secretsmanager:GetSecretValue'], [secretArn(Stack.of(to), openai.keySecret)]);
}

function arnsOf(stack: Stack, name: string): string[] {
  const arn = (resource: string, account: string, region: string) =>
    stack.formatArn({ service: 'bedrock', resource, resourceName: name.replace(PROFILE, ''), account, region });
  // A profile sends a request to the model in whichever region has room.
  const model = arn('foundation-model', '', '*');
  if (!PROFILE.test(name)) return [model];
  return [stack.formatArn({ service: 'bedrock', resource: 'inference-profile', resourceName: name }), model];
}

const secretArn = (stack: Stack, name: string): string =>
  stack.formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${name}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
