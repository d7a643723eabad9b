/** `cdk bootstrap` and `cdk deploy`, as docs/operations/deploy.md names them, up to the change set. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  CloudFormationClient,
  DescribeChangeSetCommand,
  DescribeStacksCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connection } from '../../evidence/rehearsal/stack/connection.ts';
import { resolve } from '../../evidence/rehearsal/stack/resolve.ts';
import { ACCOUNT, imaginedResource, REGION, type Template } from '../../evidence/rehearsal/stack/template.ts';
import { end } from '../../support/emulators/emulator.ts';
import { startMoto } from '../../support/emulators/start.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../../..');
const folder = temporaryFolder();
const assembly = join(folder.path, 'cdk.out');
const moto = await startMoto();
const { port } = new URL(moto.url);
const stacks = new CloudFormationClient(connection(moto.url));
const s3 = new S3Client(connection(moto.url));

/** Nothing of the caller's environment, so that no command can reach an account. */
const environment = {
  PATH: process.env.PATH,
  HOME: folder.path,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: REGION,
  // From this name the CDK makes the URL of the template, and moto takes no other for that of an object.
  AWS_ENDPOINT_URL: `http://localhost:${port}`,
  // The name of a bucket would be put before any other host.
  AWS_ENDPOINT_URL_S3: moto.url,
};

async function cdk(...words: string[]): Promise<void> {
  const program = join(root, 'node_modules/aws-cdk/bin/cdk');
  await promisify(execFile)(process.execPath, [program, ...words], { cwd: root, env: environment });
}

beforeAll(async () => {
  await cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`);
  await cdk('deploy', '-c', 'stage=first', '--output', assembly, '--no-execute', '--require-approval', 'never');
}, 300_000);

afterAll(async () => {
  await end(moto);
  folder.remove();
});

/** The text with the account and the region in place of their parameters. */
const resolved = (text: string): Promise<string> =>
  resolve({ 'Fn::Sub': text }, async (id) => imaginedResource(id)) as Promise<string>;

const textOf = (file: string): Promise<string> => resolved(readFileSync(join(assembly, file), 'utf8'));

async function physicalIds(StackName: string, type: string): Promise<string[]> {
  const { StackResourceSummaries = [] } = await stacks.send(new ListStackResourcesCommand({ StackName }));
  const ofType = StackResourceSummaries.filter(({ ResourceType }) => ResourceType === type);
  return ofType.map(({ PhysicalResourceId = '' }) => PhysicalResourceId);
}

it('bootstraps the roles that the stage is deployed with', async () => {
  const assemblyTexts = (await textOf('manifest.json')) + (await textOf('errand-first.assets.json'));
  const roles = [...assemblyTexts.matchAll(/:role\/([\w-]+)/g)].map(([, name]) => name);
  expect(roles).not.toEqual([]);
  expect(await physicalIds('CDKToolkit', 'AWS::IAM::Role')).toEqual(expect.arrayContaining(roles));
});

it('uploads the template and all assets to the bucket of the bootstrap', async () => {
  type Manifest = {
    files: Record<string, { destinations: Record<string, { bucketName: string; objectKey: string }> }>;
  };
  const { files }: Manifest = JSON.parse(await textOf('errand-first.assets.json'));
  const [bucket] = await physicalIds('CDKToolkit', 'AWS::S3::Bucket');
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  const destinations = Object.values(files).flatMap(({ destinations }) => Object.values(destinations));
  expect(new Set(destinations.map(({ bucketName }) => bucketName))).toEqual(new Set([bucket]));
  expect(Contents.map(({ Key }) => Key).toSorted()).toEqual(destinations.map(({ objectKey }) => objectKey).toSorted());
});

it('makes a change set of all resources of the template, and executes nothing', async () => {
  const { Resources }: Template = JSON.parse(readFileSync(join(assembly, 'errand-first.template.json'), 'utf8'));
  const names = { StackName: 'errand-first', ChangeSetName: 'cdk-deploy-change-set' };
  const { Status, Changes = [] } = await stacks.send(new DescribeChangeSetCommand(names));
  expect(Status).toBe('CREATE_COMPLETE');
  expect(Changes.map(({ ResourceChange }) => ResourceChange?.LogicalResourceId).toSorted()).toEqual(
    Object.keys(Resources).toSorted(),
  );
  const { Stacks: [stage] = [] } = await stacks.send(new DescribeStacksCommand({ StackName: names.StackName }));
  expect(stage?.StackStatus).toBe('REVIEW_IN_PROGRESS');
});
