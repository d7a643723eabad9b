import { Match, type Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';
import { ATTRIBUTES, INDEXES, type IndexLayout } from '../../adapters/aws/dynamo-items.ts';
import { MAX_KEPT_DAYS } from '../../shared/core/stage-limits.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { deniesPlainHttp, resourcesOf, templateOf, templateWith } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const ephemeral = templateOf(folder.path, 'branch');
const kept = templateOf(folder.path, 'production');

describe('the table', () => {
  const indexes: IndexLayout[] = Object.values(INDEXES);

  it('has the keys and indexes of the layout, and nothing else', () => {
    ephemeral.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: ATTRIBUTES.pk, KeyType: 'HASH' },
        { AttributeName: ATTRIBUTES.sk, KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: indexes.map(({ name, partition, sort, include }) => ({
        IndexName: name,
        KeySchema: [
          { AttributeName: partition.name, KeyType: 'HASH' },
          { AttributeName: sort.name, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: include },
      })),
      AttributeDefinitions: Match.arrayWith(
        indexes.map(({ sort }) => ({ AttributeName: sort.name, AttributeType: sort.type })),
      ),
    });
  });

  it('is billed by use, encrypted, and deletes expired rows', () => {
    ephemeral.hasResourceProperties('AWS::DynamoDB::Table', {
      BillingMode: 'PAY_PER_REQUEST',
      // DynamoDB encrypts with a key of its own.
      SSESpecification: Match.absent(),
      TimeToLiveSpecification: { AttributeName: ATTRIBUTES.timeToLive, Enabled: true },
    });
  });

  it.each([
    ['backed up and protected where it is kept', kept, true],
    ['neither in an ephemeral stage', ephemeral, false],
  ])('is %s', (_, template, is) => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: is },
      DeletionProtectionEnabled: is,
    });
  });
});

describe('the buckets', () => {
  it('is closed to the public and encrypted', () => {
    ephemeral.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: Match.objectLike({}),
    });
  });

  it('refuses plain HTTP', () => {
    const PolicyDocument = { Statement: Match.arrayWith([Match.objectLike(deniesPlainHttp('s3:*'))]) };
    ephemeral.hasResourceProperties('AWS::S3::BucketPolicy', { PolicyDocument });
  });

  it('deletes parts of aborted uploads, files past retention, and archives', () => {
    ephemeral.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: [
          Match.objectLike({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' }),
          Match.objectLike({ Prefix: 'files/', ExpirationInDays: 366, Status: 'Enabled' }),
          Match.objectLike({ Prefix: 'readings/', ExpirationInDays: 366, Status: 'Enabled' }),
          Match.objectLike({ Prefix: 'results/', ExpirationInDays: 31, Status: 'Enabled' }),
        ],
      },
    });
  });

  it('keeps archives for the retention of the stage, and files for the maximum retention', () => {
    for (const retentionDays of [7, 365])
      templateWith(folder.path, { retentionDays }).hasResourceProperties('AWS::S3::Bucket', {
        LifecycleConfiguration: {
          Rules: Match.arrayWith([
            // The reconciler removes a file when its row expires; no lifecycle rule may do so earlier.
            Match.objectLike({ Prefix: 'files/', ExpirationInDays: MAX_KEPT_DAYS + 1 }),
            Match.objectLike({ Prefix: 'results/', ExpirationInDays: retentionDays + 1 }),
          ]),
        },
      });
  });

  it('keeps all versions of an upload longer than a file, and then deletes them', () => {
    const template = templateWith(folder.path, { retentionDays: 7 });
    template.hasResourceProperties('AWS::S3::Bucket', {
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: {
        Rules: [
          Match.objectLike({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }),
          Match.objectLike({
            ExpirationInDays: MAX_KEPT_DAYS + 2,
            NoncurrentVersionExpiration: { NoncurrentDays: 9 },
            Status: 'Enabled',
          }),
        ],
      },
    });
  });

  it("allows presigned PUT and GET from the console's page and the stage's origins", () => {
    const allowsOrigins = (template: Template, AllowedOrigins: string[]) =>
      template.hasResourceProperties('AWS::S3::Bucket', {
        CorsConfiguration: { CorsRules: [Match.objectLike({ AllowedOrigins, AllowedMethods: ['PUT', 'GET'] })] },
      });
    const origins = ['https://pages.acme.org'];
    const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/0a1b';
    const domains = { agents: { name: 'agents.acme.org', certificateArn } };
    allowsOrigins(templateWith(folder.path, { origins, domains }), [...origins, 'https://agents.acme.org']);
    // AWS assigns the name when it creates the bucket.
    allowsOrigins(ephemeral, ['*']);
  });
});

describe('the master secret', () => {
  it('is created by the stack, from 64 random characters', () => {
    const secrets = Object.values(resourcesOf(ephemeral, 'AWS::SecretsManager::Secret'));
    expect(secrets.map(({ Properties }) => Properties.GenerateSecretString)).toEqual([
      { PasswordLength: 64, ExcludePunctuation: true },
      // Settings that the CDN and the login share.
      { PasswordLength: 40, ExcludePunctuation: true },
    ]);
    expect(secrets[0]?.Properties).not.toHaveProperty('SecretString');
  });
});

describe('the data when its stack is deleted', () => {
  const KEEPERS = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup'];
  const policies = (template: Template) =>
    KEEPERS.flatMap((type) => Object.values(resourcesOf(template, type)).map(({ DeletionPolicy }) => DeletionPolicy));

  it('stays in production, where nothing can empty the bucket', () => {
    expect(new Set(policies(kept))).toEqual(new Set(['Retain']));
    expect(resourcesOf(kept, 'Custom::S3AutoDeleteObjects')).toEqual({});
    expect(JSON.stringify(kept)).not.toContain('auto-delete');
  });

  it('is deleted with an ephemeral stage, objects included', () => {
    expect(new Set(policies(ephemeral))).toEqual(new Set(['Delete']));
    for (const bucket of Object.keys(resourcesOf(ephemeral, 'AWS::S3::Bucket'))) {
      ephemeral.hasResourceProperties('Custom::S3AutoDeleteObjects', { BucketName: { Ref: bucket } });
    }
  });
});
