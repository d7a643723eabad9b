/** The operator's command line on a deployed stage, whose stack, table and secret are in emulators. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateConfigurationSetCommand, CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../ports/table/dynamo.ts';

const stage = `s${Date.now()}`;
const bucket = `errand-${stage}`;
/** Its name routes it to the emulator with versions. */
const uploads = `errand-uploads-${stage}`;
/** Has the same resources, and no list of models. */
const lacking = `${stage}-lacking`;
/** With a mail sender, verified in the first stage and not in the second. */
const mailing = `${stage}-mailing`;
const strange = `${stage}-strange`;
const KNOWN = `known@${stage}.errand-tests.org`;
const UNKNOWN = `unknown@${stage}.errand-tests.org`;

const s3 = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });

/** As much of the real stack as the command line reads: its name and its outputs. */
const templateOf = (outputs: Record<string, string>) => ({
  Resources: { Queue: { Type: 'AWS::SQS::Queue' } },
  Outputs: Object.fromEntries(
    Object.entries({
      TableName: stage,
      BucketName: bucket,
      UploadsBucketName: uploads,
      SocketsUrl: 'https://sockets.example.com/live',
      ...outputs,
    }).map(([name, Value]) => [name, { Value }]),
  ),
});

beforeAll(async () => {
  await createTable(new DynamoDBClient({}), stage);
  for (const Bucket of [bucket, uploads]) await s3.send(new CreateBucketCommand({ Bucket }));
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  await s3.send(new PutBucketVersioningCommand({ Bucket: uploads, VersioningConfiguration }));
  const secrets = new SecretsManagerClient({});
  const { ARN = '' } = await secrets.send(new CreateSecretCommand({ Name: stage, SecretString: 'a'.repeat(64) }));
  const stacks = new CloudFormationClient({});
  const create = (name: string, outputs: Record<string, string>) =>
    stacks.send(
      new CreateStackCommand({ StackName: `errand-${name}`, TemplateBody: JSON.stringify(templateOf(outputs)) }),
    );
  await create(stage, { MasterSecretId: ARN, Models: 'offline/extractive' });
  await create(lacking, { MasterSecretId: ARN });
  const ses = new SESv2Client({});
  await ses.send(new CreateEmailIdentityCommand({ EmailIdentity: KNOWN }));
  await ses.send(new CreateConfigurationSetCommand({ ConfigurationSetName: stage }));
  for (const [name, Sender] of [
    [mailing, KNOWN],
    [strange, UNKNOWN],
  ] as const)
    await create(name, { MasterSecretId: ARN, Models: 'offline/extractive', Sender, MailSet: stage });
});

function errand(...words: string[]) {
  const script = join(import.meta.dirname, '../../../bin/errand.ts');
  return spawnSync(process.execPath, [script, ...words], { encoding: 'utf8', env: process.env });
}

it('creates an organization, lists it and audits who created it', () => {
  const made = errand('org', 'create', 'Acme', '--stage', stage, '--json');
  expect(made.stderr).toBe('');
  expect(made.status).toBe(0);
  const { id, apiKey, webhookSecret } = JSON.parse(made.stdout);
  expect(apiKey).toMatch(/^errand_/);
  expect(webhookSecret).toMatch(/^whsec_/);
  expect(errand('org', 'show', 'Acme', '--stage', stage).stdout).toContain(id);
  expect(errand('webhook-secret', 'rotate', 'Acme', '--stage', stage).status).toBe(0);
  const audit = errand('audit', 'Acme', '--stage', stage).stdout;
  expect(audit).toContain('org create');
  expect(audit).not.toContain(apiKey);
});

it('erases an organization with its rows and its blobs, and no other', async () => {
  const createOrganization = (name: string) =>
    JSON.parse(errand('org', 'create', name, '--stage', stage, '--json').stdout).id;
  const [gone, stays] = [createOrganization('Gone'), createOrganization('Stays')];
  const keys = [gone, stays].flatMap((id) => ['files', 'results'].map((folder) => `${folder}/${id}/a/b`));
  for (const Key of keys) await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' }));
  const hours = ['arrivals/2026-11-22T14/', 'arrivals/2026-11-22T15/'];
  const arrivals = [gone, gone, stays].flatMap((id) => hours.map((hour) => `${hour}${id}/a`));
  for (const Key of arrivals) await s3.send(new PutObjectCommand({ Bucket: uploads, Key, Body: 'x' }));
  const hidden = `arrivals/${gone}/hidden`;
  await s3.send(new PutObjectCommand({ Bucket: uploads, Key: hidden, Body: 'x' }));
  await s3.send(new DeleteObjectCommand({ Bucket: uploads, Key: hidden }));
  const { status, stdout, stderr } = errand('org', 'erase', 'Gone', '--confirm', gone, '--stage', stage, '--json');
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ id: gone, blobs: 5, rowsLeft: 0, blobsLeft: 0 });
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  expect(Contents.map(({ Key }) => Key)).toEqual(keys.filter((key) => key.includes(stays)).toSorted());
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: uploads }));
  expect([...Versions, ...DeleteMarkers].map(({ Key }) => Key)).toEqual(hours.map((hour) => `${hour}${stays}/a`));
  const { Items = [] } = await new DynamoDBClient({}).send(new ScanCommand({ TableName: stage }));
  const about = (id: string) => Items.filter((item) => JSON.stringify(item).includes(id));
  expect(about(gone).map(({ pk }) => pk?.S)).toEqual(['AUDIT']);
  expect(about(stays).length).toBeGreaterThan(3);
});

it('finds no problem in the stage', () => {
  expect(errand('doctor', '--stage', stage)).toMatchObject({ status: 0, stdout: expect.stringContaining(stage) });
});

it('reports in one line that a stage does not exist', () => {
  const { status, stdout, stderr } = errand('org', 'list', '--stage', 'nowhere');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^errand: The stack errand-nowhere cannot be read [^\n]+: check the stage[^\n]+\n$/);
});

it('examines the stage, and exits as failed if something is missing', () => {
  const { status, stdout } = errand('doctor', '--stage', lacking, '--json');
  const states = Object.fromEntries(
    JSON.parse(stdout).map(({ check, state }: { check: string; state: string }) => [check, state]),
  );
  expect(states).toMatchObject({ 'master secret': 'ok', stack: 'ok', table: 'ok', bucket: 'ok', outputs: 'wrong' });
  expect(states['uploads bucket']).toBe('ok');
  expect(Object.keys(states).filter((name) => name.startsWith('queue '))).toHaveLength(1);
  expect(status).toBe(1);
});

// moto neither verifies senders nor has account settings; examine-mail.test.ts covers verified senders and the sandbox.
it('examines the sender: whether SES has verified it, and which checks of SES failed', () => {
  const foundOf = (name: string) => {
    const { status, stdout } = errand('doctor', '--stage', name, '--json');
    const report: { check: string; state: string; detail: string }[] = JSON.parse(stdout);
    return { status, of: (check: string) => report.find((each) => each.check === check) };
  };
  const mails = foundOf(mailing);
  const waits = expect.stringContaining(`${KNOWN} is not verified for sending`);
  expect(mails.of(`sender ${KNOWN}`)).toMatchObject({ state: 'wrong', detail: waits });
  expect(mails.of('mail set')).toMatchObject({ state: 'ok', detail: stage });
  expect(mails.of('mail account')).toMatchObject({ state: 'wrong' });
  const { of, status } = foundOf(strange);
  expect(of(`sender ${UNKNOWN}`)).toMatchObject({
    state: 'wrong',
    detail: expect.stringMatching(/^neither .+: verify/),
  });
  expect([mails.status, status]).toEqual([1, 1]);
});
