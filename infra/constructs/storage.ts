/** What is stored: the table of all rows, the master secret, and the two buckets of bytes with their lifecycle rules. */
import { type CfnResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CorsRule,
  HttpMethods,
  type LifecycleRule,
} from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ATTRIBUTES, INDEXES, type IndexLayout } from '../../adapters/aws/dynamo-items.ts';
import { ARRIVALS, READINGS } from '../../shared/core/blobs.ts';
import { environment } from '../../shared/core/environment.ts';
import { MAX_KEPT_DAYS } from '../../shared/core/stage.ts';
import type { BundledFunction, Keeping } from './function.ts';

const ITEM_ACTIONS = ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'];
const TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER };

export class State extends Construct {
  readonly tableName: string;
  private readonly table: Table;

  constructor(scope: Construct, id: string, { removalPolicy }: { removalPolicy: RemovalPolicy }) {
    super(scope, id);
    const isKept = removalPolicy !== RemovalPolicy.DESTROY;
    this.table = new Table(this, 'Table', {
      partitionKey: { name: ATTRIBUTES.pk, type: AttributeType.STRING },
      sortKey: { name: ATTRIBUTES.sk, type: AttributeType.STRING },
      timeToLiveAttribute: ATTRIBUTES.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isKept },
      deletionProtection: isKept,
      removalPolicy,
    });
    this.tableName = this.table.tableName;
    for (const index of Object.values(INDEXES)) this.addIndex(index);
  }

  private addIndex({ name, partition, sort, include }: IndexLayout): void {
    this.table.addGlobalSecondaryIndex({
      indexName: name,
      partitionKey: { name: partition.name, type: TYPES[partition.type] },
      sortKey: { name: sort.name, type: TYPES[sort.type] },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: include,
    });
  }

  /** Every row, and the pages of the listed ones. */
  grantRows(to: BundledFunction): void {
    to.allow(
      ITEM_ACTIONS.map((action) => `dynamodb:${action}`),
      [this.table.tableArn],
    );
    to.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${INDEXES.list.name}`]);
    to.tell(environment.table, this.table.tableName);
  }

  /** A user who logs in, and how often somebody was wrong. */
  grantLogin(to: BundledFunction): void {
    to.allow(['dynamodb:GetItem', 'dynamodb:PutItem'], [this.table.tableArn]);
    to.tell(environment.table, this.table.tableName);
  }

  /** A task's own rows: moved, written beside it, and read. */
  grantTasks(to: BundledFunction): void {
    to.allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:PutItem'], [this.table.tableArn]);
    to.tell(environment.table, this.table.tableName);
  }

  /** The deliveries that wait for a receiver: listed once it answers, and removed when they are sent. */
  grantWaitingDeliveries(to: BundledFunction): void {
    to.allow(['dynamodb:DeleteItem', 'dynamodb:Query'], [this.table.tableArn]);
  }

  /** Connections, their slots, and the tasks that are replayed to them. */
  grantConnections(to: BundledFunction): void {
    this.grantTasks(to);
    to.allow(['dynamodb:DeleteItem'], [this.table.tableArn]);
    to.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${INDEXES.list.name}`]);
  }

  /** Also the usage counters of tasks. */
  grantCounting(to: BundledFunction): void {
    to.allow(['dynamodb:UpdateItem'], [this.table.tableArn]);
  }

  /** The rows whose time has come: found by the index, read again, moved on or removed. */
  grantDue(to: BundledFunction): void {
    const actions = ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query'].map((action) => `dynamodb:${action}`);
    to.allow(actions, [this.table.tableArn]);
    to.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${INDEXES.due.name}`]);
    to.tell(environment.table, this.table.tableName);
  }
}

export class MasterSecret extends Construct {
  readonly secretId: string;
  private readonly secret: Secret;

  constructor(scope: Construct, id: string, { removalPolicy }: { removalPolicy: RemovalPolicy }) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: 'From it come the vault and the keys of the access tokens. Losing it loses what they sealed.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
    });
    this.secretId = this.secret.secretArn;
  }

  grantReading(to: BundledFunction): void {
    to.allow(['secretsmanager:GetSecretValue'], [this.secret.secretArn]);
    to.tell(environment.masterSecret, this.secret.secretArn);
  }
}

/** How bytes expire by the rules of their bucket if the product has not removed them: rows go first, so that no caller is shown a missing file. */
const BROKEN_OFF: LifecycleRule = {
  id: 'broken-off-uploads',
  abortIncompleteMultipartUploadAfter: Duration.days(1),
};

/** A rule holds for what is there already too, and a file stays for the days of its own day: the reconciler removes it then. */
const AT_LAST = Duration.days(MAX_KEPT_DAYS + 1);

function endsOfWritten(retentionDays: number): LifecycleRule[] {
  return [
    BROKEN_OFF,
    // Imports that the reconciler left behind.
    { id: 'old-files', prefix: 'files/', expiration: AT_LAST },
    // Readings of files, which go with their files.
    { id: 'old-readings', prefix: READINGS, expiration: AT_LAST },
    // Archives of tasks, which only this rule removes.
    { id: 'old-results', prefix: 'results/', expiration: Duration.days(retentionDays + 1) },
  ];
}

/**
 * A file is a version, which is up to a day older than its row, and may have been followed by another within the hour. The
 * rules know neither, so each of the two times alone is longer than a file stays: that of the newest than any ever did, that
 * of the others, of which few are files, than one does now. Uploads that were never completed, all versions of what was deleted, and what
 * comes for it within a day are removed by the product; this is for what comes later than that.
 */
function endsOfUploads(retentionDays: number): LifecycleRule[] {
  const after = (days: number) => Duration.days(days + 2);
  const ends = { expiration: after(MAX_KEPT_DAYS), noncurrentVersionExpiration: after(retentionDays) };
  return [BROKEN_OFF, { id: 'old-uploads', ...ends }];
}

// The buckets: uploads by signed URL, with versions, and everything that Errand writes.

/** `origins`: of pages that put and get in a browser; none is any, because a signed address is all that it takes. */
type Options = { origins: string[]; retentionDays: number; keeping: Keeping };

export class Bytes extends Construct {
  readonly bucketName: string;
  readonly uploadsName: string;
  /** Where signed addresses lead. */
  readonly urls: string[];
  private readonly bucket: Bucket;
  private readonly uploads: Bucket;

  constructor(scope: Construct, id: string, { origins, retentionDays, keeping }: Options) {
    super(scope, id);
    const isEmptied = keeping.removalPolicy === RemovalPolicy.DESTROY;
    const alike = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      cors: [browserRule(origins)],
      removalPolicy: keeping.removalPolicy,
      autoDeleteObjects: isEmptied,
    };
    this.bucket = new Bucket(this, 'Bucket', { ...alike, lifecycleRules: endsOfWritten(retentionDays) });
    this.uploads = new Bucket(this, 'Uploads', {
      ...alike,
      versioned: true,
      lifecycleRules: endsOfUploads(retentionDays),
    });
    if (isEmptied) this.logEmptying(keeping);
    this.bucketName = this.bucket.bucketName;
    this.uploadsName = this.uploads.bucketName;
    this.urls = [this.bucket, this.uploads].map((each) => `https://${each.bucketRegionalDomainName}`);
  }

  /** CloudFormation cannot empty a bucket, so the CDK brings a function that does. Its log must go with the stack too. */
  private logEmptying({ logRetention, removalPolicy }: Keeping): void {
    const provider = Stack.of(this).node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
    const emptier = provider.node.findChild('Handler') as CfnResource;
    const { logGroupName } = new LogGroup(this, 'EmptyingLog', { retention: logRetention, removalPolicy });
    emptier.addPropertyOverride('LoggingConfig', { LogGroup: logGroupName });
  }

  grantObjects(to: BundledFunction): void {
    to.allow(
      ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
      [this.bucket.arnForObjects('*')],
    );
    // Without it S3 answers 403 for what is not there.
    to.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    to.tell(environment.bucket, this.bucket.bucketName);
    this.grantVersions(to, ['s3:PutObject', 's3:GetObject', 's3:GetObjectVersion', 's3:DeleteObjectVersion']);
    this.grantMissing(to);
  }

  /** What a task is given, what it leaves, and what one stage of it keeps for the next. */
  grantResults(to: BundledFunction): void {
    to.allow(['s3:GetObject'], [this.bucket.arnForObjects('files/*'), this.bucket.arnForObjects('results/*')]);
    to.allow(['s3:PutObject', 's3:AbortMultipartUpload'], [this.bucket.arnForObjects('results/*')]);
    const ofReadings = ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:DeleteObject'];
    to.allow(ofReadings, [this.bucket.arnForObjects(`${READINGS}*`)]);
    to.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    to.tell(environment.bucket, this.bucket.bucketName);
    this.grantVersions(to, ['s3:GetObjectVersion']);
    this.grantMissing(to);
  }

  /** The signed URL of an archive grants what its signer may do. */
  grantArchives(to: BundledFunction, { andReadings = false } = {}): void {
    to.allow(['s3:GetObject'], [this.bucket.arnForObjects('results/*')]);
    if (andReadings) {
      to.allow(['s3:GetObject'], [this.bucket.arnForObjects(`${READINGS}*`)]);
      // Without it S3 answers 403 for what is not there.
      to.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    }
    to.tell(environment.bucket, this.bucket.bucketName);
  }

  /** The newest version of an upload is asked for its name before it goes: reading is what allows to ask. */
  grantRemoval(to: BundledFunction): void {
    to.allow(['s3:DeleteObject'], [this.bucket.arnForObjects('*')]);
    to.tell(environment.bucket, this.bucket.bucketName);
    this.grantVersions(to, ['s3:GetObject', 's3:DeleteObjectVersion']);
    this.grantMissing(to);
  }

  private grantVersions(to: BundledFunction, actions: string[]): void {
    to.allow(actions, [this.uploads.arnForObjects(`${ARRIVALS}*`)]);
    to.tell(environment.uploadsBucket, this.uploads.bucketName);
  }

  /** That a version is not there S3 may tell by either of the two: only of keys is it written which. */
  private grantMissing(to: BundledFunction): void {
    to.allow(['s3:ListBucket', 's3:ListBucketVersions'], [this.uploads.bucketArn]);
  }
}

/** A page puts and gets by signed address. */
const browserRule = (origins: string[]): CorsRule => ({
  allowedOrigins: origins.length > 0 ? origins : ['*'],
  allowedMethods: [HttpMethods.PUT, HttpMethods.GET],
  allowedHeaders: ['content-type', 'range'],
  exposedHeaders: ['content-disposition', 'etag'],
  maxAge: 600,
});
