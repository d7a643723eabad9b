/** Deployed stages in emulators: as much of them as the operator's command line reads. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect } from 'vitest';
import { createTable } from '../../ports/table/dynamo.ts';

/** The name routes it to the emulator with versions. */
export const uploadsOf = (stage: string): string => `errand-uploads-${stage}`;

export async function createStage(stage: string, dynamo = new DynamoDBClient({})): Promise<void> {
  const s3 = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
  await createTable(dynamo, stage);
  for (const Bucket of [`errand-${stage}`, uploadsOf(stage)]) await s3.send(new CreateBucketCommand({ Bucket }));
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  await s3.send(new PutBucketVersioningCommand({ Bucket: uploadsOf(stage), VersioningConfiguration }));
  const secret = new CreateSecretCommand({ Name: stage, SecretString: stage.padEnd(64, 'a') });
  const { ARN = '' } = await new SecretsManagerClient({}).send(secret);
  const outputs = {
    TableName: stage,
    BucketName: `errand-${stage}`,
    UploadsBucketName: uploadsOf(stage),
    MasterSecretId: ARN,
    Models: 'offline/extractive',
    SocketsUrl: 'https://sockets.example.com/live',
  };
  const template = {
    Resources: { Queue: { Type: 'AWS::SQS::Queue' } },
    Outputs: Object.fromEntries(Object.entries(outputs).map(([name, Value]) => [name, { Value }])),
  };
  const stack = { StackName: `errand-${stage}`, TemplateBody: JSON.stringify(template) };
  await new CloudFormationClient({}).send(new CreateStackCommand(stack));
}

export function errand(...words: string[]) {
  const script = join(import.meta.dirname, '../../../bin/errand.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words, '--json'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}
