/** The functions that the CDK adds to a stage, run as they are deployed: with their code, their AWS CLI and their roles. */
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketTaggingCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type Tag,
  type VersioningConfiguration,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../evidence/rehearsal/listen.ts';
import { pass } from '../../evidence/rehearsal/recorder/exchange.ts';
import { forward } from '../../evidence/rehearsal/recorder/forward.ts';
import { installEmulators } from '../../support/emulators/install.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { emptyBundles } from '../stack.ts';
import { openAccount } from './account.ts';
import { openCloudFormation } from './cloud-formation.ts';
import { bucketName, type Statement, synthesize, type Version } from './version.ts';

type BucketProperties = { Tags: Tag[]; VersioningConfiguration?: VersioningConfiguration };

/** Properties of the custom resource that fills a folder of a bucket. */
type Filling = {
  ServiceToken: string;
  SourceBucketNames: [string];
  SourceObjectKeys: [string];
  DestinationBucketName: string;
  DestinationBucketKeyPrefix: string;
};

/** Properties of the custom resource that empties a bucket before it is deleted. */
type Emptying = { ServiceToken: string; BucketName: string };

const folder = temporaryFolder();
const bundles = emptyBundles(folder.path);
const { python } = await installEmulators();
const account = await openAccount();
const { s3 } = account;
const cloudFormation = await openCloudFormation();

/** The prefixes of the requests by which the filling functions list a bucket. */
const listedPrefixes = new Set<string | null>();
const recorder = await listen(
  createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
    const isForBucket = /^\/[^/]+\/?$/.test(pathname);
    if (isForBucket) listedPrefixes.add(searchParams.get('prefix'));
    await pass(await forward(request, account.url, { gone: new AbortController().signal }), response);
  }),
);

const fillingsOf = async (version: Version): Promise<Filling[]> =>
  (await version.all<Filling>('Custom::CDKBucketDeployment')).map(({ properties }) => properties);

const first = synthesize(join(folder.path, 'first'), bundles);
const [firstFilling] = (await fillingsOf(first)) as [Filling, Filling];
const assets = firstFilling.SourceBucketNames[0];
const consoleBucket = firstFilling.DestinationBucketName;
const awsCli = join(folder.path, 'layer/awscli/aws');

const statementsOfFilling = async (): Promise<Statement[]> => (await first.functionOf(firstFilling)).statements;
const isListing = ({ Action }: Statement): boolean => Action === 's3:ListBucket';

beforeAll(async () => {
  const { layers } = await first.functionOf(firstFilling);
  for (const layer of layers) execFileSync(python, ['-m', 'zipfile', '-e', layer, join(folder.path, 'layer')]);
  await s3.send(new CreateBucketCommand({ Bucket: assets }));
  for (const { id, properties } of await first.all<BucketProperties>('AWS::S3::Bucket')) {
    const Bucket = bucketName(id);
    const { Tags: TagSet, VersioningConfiguration } = properties;
    await s3.send(new CreateBucketCommand({ Bucket }));
    await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
    if (VersioningConfiguration) await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
  }
}, 180_000);

afterAll(async () => {
  recorder.stop();
  cloudFormation.stop();
  await account.close();
  folder.remove();
});

/** Uploads the files as the CDK does before it deploys. */
async function publish(version: Version, { SourceObjectKeys: [Key] }: Filling): Promise<void> {
  const archive = join(folder.path, Key);
  execFileSync(python, ['-m', 'zipfile', '-c', archive, `${version.assetFolder(Key)}/.`]);
  await s3.send(new PutObjectCommand({ Bucket: assets, Key, Body: readFileSync(archive) }));
}

type Filled = { filling: Filling; Status: string; PhysicalResourceId: string; log: string };

/** `earlier`: what the same resource became at the deployment before. */
async function fill(version: Version, filling: Filling, statements: Statement[], earlier?: Filled): Promise<Filled> {
  await publish(version, filling);
  const { code } = await version.functionOf(filling);
  const command = [python, join(import.meta.dirname, 'python-function.py'), code, awsCli];
  const session = await account.assumeRole(statements);
  const past = earlier && { OldResourceProperties: earlier.filling, PhysicalResourceId: earlier.PhysicalResourceId };
  const event = { RequestType: past ? 'Update' : 'Create', ResourceProperties: filling, ...past } as const;
  const answer = await account.enforcingIam(() =>
    cloudFormation.send(event, { command, session, endpoint: recorder.url }),
  );
  return { filling, ...answer };
}

async function deploy(version: Version, earlier: Filled[] = []): Promise<Filled[]> {
  const filled: Filled[] = [];
  for (const [at, filling] of (await fillingsOf(version)).entries()) {
    const { statements } = await version.functionOf(filling);
    const outcome = await fill(version, filling, statements, earlier[at]);
    expect(outcome.Status, outcome.log).toBe('SUCCESS');
    filled.push(outcome);
  }
  return filled;
}

async function filesOfConsole(): Promise<Record<string, string | undefined>> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: consoleBucket }));
  const heads = Contents.map(async ({ Key = '' }) => {
    const { CacheControl } = await s3.send(new HeadObjectCommand({ Bucket: consoleBucket, Key }));
    return [Key, CacheControl];
  });
  return Object.fromEntries(await Promise.all(heads));
}

it('fills the bucket of the console at the first deployment, and adds the files of the next version', {
  timeout: 180_000,
}, async () => {
  const created = await deploy(first);
  const [forEver, forMinutes] = ['public, max-age=31536000, immutable', 'public, max-age=300'];
  expect(await filesOfConsole()).toEqual({ 'assets/main-AAAAAAAA.js': forEver, 'docs/index.html': forMinutes });

  const assetsFolder = join(bundles, 'console/assets');
  renameSync(join(assetsFolder, 'main-AAAAAAAA.js'), join(assetsFolder, 'main-BBBBBBBB.js'));
  writeFileSync(join(bundles, 'docs/new.html'), '<title>New</title>');
  const updated = await deploy(synthesize(join(folder.path, 'second'), bundles), created);
  expect(updated.map(({ PhysicalResourceId }) => PhysicalResourceId)).toEqual(
    created.map(({ PhysicalResourceId }) => PhysicalResourceId),
  );
  expect(await filesOfConsole()).toEqual({
    'assets/main-AAAAAAAA.js': forEver,
    'assets/main-BBBBBBBB.js': forEver,
    'docs/index.html': forMinutes,
    'docs/new.html': forMinutes,
  });

  // moto ignores the condition of the role. AWS refuses a request with another prefix, or with none.
  const conditions = (await statementsOfFilling()).filter(isListing).map(({ Condition }) => Condition);
  expect(conditions).toEqual([{ StringEquals: { 's3:prefix': [...listedPrefixes].toSorted() } }]);
});

it('cannot fill the bucket without the permission to list it', async () => {
  const statements = (await statementsOfFilling()).filter((statement) => !isListing(statement));
  const { Status, log } = await fill(first, firstFilling, statements);
  expect(Status).toBe('FAILED');
  expect(log).toMatch(/AccessDenied.+ListObjectsV2/);
});

it('empties each bucket of an ephemeral stage, with all versions of its objects', async () => {
  const emptyings = await first.all<Emptying>('Custom::S3AutoDeleteObjects');
  const buckets = emptyings.map(({ properties }) => properties.BucketName);
  expect(buckets.toSorted()).toEqual((await first.all('AWS::S3::Bucket')).map(({ id }) => bucketName(id)).toSorted());
  for (const { properties } of emptyings) {
    const Bucket = properties.BucketName;
    for (const Key of ['kept', 'kept', 'deleted']) await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'deleted' }));
    await expect(s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toThrow('not empty');

    const { code, statements } = await first.functionOf(properties);
    const command = [process.execPath, join(import.meta.dirname, 'node-function.ts'), code];
    const session = await account.assumeRole(statements);
    const event = { RequestType: 'Delete', ResourceProperties: properties, PhysicalResourceId: Bucket } as const;
    const { Status, log } = await account.enforcingIam(() =>
      cloudFormation.send(event, { command, session, endpoint: account.url }),
    );
    expect(Status, log).toBe('SUCCESS');
    await s3.send(new DeleteBucketCommand({ Bucket }));
  }
});
