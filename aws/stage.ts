/** Finds a deployed stage by its name: what its stack tells is what its functions have in their environment. */
import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type Environment, environment } from '../shared/core/environment.ts';
import { Problem } from '../shared/core/problem.ts';
import { stageName } from '../shared/core/stage.ts';

const OUTPUTS = {
  TableName: environment.table,
  BucketName: environment.bucket,
  UploadsBucketName: environment.uploadsBucket,
  MasterSecretId: environment.masterSecret,
  Models: environment.models,
  SocketsUrl: environment.sockets,
} as const;

/** Which a stage has that sends mails. */
export type StageMail = { sender: string | undefined; set: string | undefined };

type Outputs = Readonly<Record<keyof typeof OUTPUTS, string | undefined>>;

export const environmentOf = (outputs: Outputs): Environment =>
  Object.fromEntries(Object.entries(OUTPUTS).map(([output, variable]) => [variable, outputs[output as keyof Outputs]]));

type StageOutputValues = { outputs: Outputs; sending: StageMail };

export async function stageOutputs(client: CloudFormationClient, stage: string): Promise<StageOutputValues> {
  const name = stackOf(stage);
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name })).catch((cause) => {
    const reason = cause instanceof Error ? cause.message : 'no answer';
    throw new Problem(
      'badSetting',
      `The stack ${name} cannot be read (${reason}): check the stage, region and credentials.`,
      { cause },
    );
  });
  const told = new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const outputs = Object.fromEntries(Object.keys(OUTPUTS).map((output) => [output, told.get(output)])) as Outputs;
  return { outputs, sending: { sender: told.get('Sender'), set: told.get('MailSet') } };
}

export function stackOf(stage: string): string {
  try {
    return `errand-${stageName(stage)}`;
  } catch (cause) {
    throw new Problem('badSetting', cause instanceof Error ? cause.message : 'The stage has no name.', { cause });
  }
}
