/**
 * The buckets: uploads by signed URL, with versions, and everything that Errand writes. Lifecycle rules remove blobs that
 * the product has not removed; rows are removed first, so that no caller is shown a missing file.
 */
import { type CfnResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CorsRule,
  HttpMethods,
  type LifecycleRule,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ARRIVALS, READINGS } from '../../shared/core/blobs.ts';
import { environment } from '../../shared/core/environment.ts';
import { MAX_KEPT_DAYS } from '../../shared/core/stage-limits.ts';
import { type CustomerKey, encryptedWith, TO_READ, TO_WRITE } from './customer-key.ts';
import type { BundledFunction, Lifecycle } from './function.ts';

const BROKEN_OFF: LifecycleRule = {
  id: 'broken-off-uploads',
  abortIncompleteMultipartUploadAfter: Duration.days(1),
};

/**
 * A rule also applies to existing objects, and a file keeps the retention of its own upload day; so the reconciler
 * removes files on time, and this rule later.
 */
const AT_LAST = Duration.days(MAX_KEPT_DAYS + 1);

function endsOfWritten(retentionDays: number): LifecycleRule[] {
  return [
    BROKEN_OFF,
    // Imported files that the reconciler has not removed.
    { id: 'old-files', prefix: 'files/', expiration: AT_LAST },
    // Readings of files, which go with their files.
    { id: 'old-readings', prefix: READINGS, expiration: AT_LAST },
    // Archives of tasks, which only this rule removes.
    { id: 'old-results', prefix: 'results/', expiration: Duration.days(retentionDays + 1) },
  ];
}

/**
 * A file is an object version that is up to a day older than its row, and a newer version may follow within the hour.
 * The rules know neither, so each of the two periods exceeds the lifetime of files: for newest versions the longest
 * retention ever, for other versions, few of which are files, the present one. The product itself removes uploads that
 * were never completed, all versions of deleted files, and whatever is uploaded to them within a day; the rules remove
 * what comes later.
 */
function endsOfUploads(retentionDays: number): LifecycleRule[] {
  const after = (days: number) => Duration.days(days + 2);
  const ends = { expiration: after(MAX_KEPT_DAYS), noncurrentVersionExpiration: after(retentionDays) };
  return [BROKEN_OFF, { id: 'old-uploads', ...ends }];
}

/**
 * `origins`: the origins of pages that transfer files in a browser. None means any, because a signed URL is the only
 * permission needed.
 */
type Options = { origins: string[]; retentionDays: number; lifecycle: Lifecycle };

export class Buckets extends Construct {
  readonly bucketName: string;
  readonly uploadsName: string;
  /** The base URLs of signed URLs. */
  readonly urls: string[];
  private readonly bucket: Bucket;
  private readonly uploads: Bucket;
  private readonly customerKey: CustomerKey | undefined;

  constructor(scope: Construct, id: string, { origins, retentionDays, lifecycle }: Options) {
    super(scope, id);
    const { customerKey } = lifecycle;
    this.customerKey = customerKey;
    const isEmptied = lifecycle.removalPolicy === RemovalPolicy.DESTROY;
    const alike = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      // With a key of the bucket, S3 does not ask KMS for each object.
      ...(customerKey
        ? { encryption: BucketEncryption.KMS, encryptionKey: customerKey.key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      enforceSSL: true,
      cors: [browserRule(origins)],
      removalPolicy: lifecycle.removalPolicy,
      autoDeleteObjects: isEmptied,
    };
    this.bucket = new Bucket(this, 'Bucket', { ...alike, lifecycleRules: endsOfWritten(retentionDays) });
    this.uploads = new Bucket(this, 'Uploads', {
      ...alike,
      versioned: true,
      lifecycleRules: endsOfUploads(retentionDays),
    });
    if (isEmptied) this.logEmptying(lifecycle);
    this.bucketName = this.bucket.bucketName;
    this.uploadsName = this.uploads.bucketName;
    this.urls = [this.bucket, this.uploads].map((bucket) => `https://${bucket.bucketRegionalDomainName}`);
  }

  /** CloudFormation cannot empty a bucket, so the CDK adds a function that does. Its log must be removed with the stack too. */
  private logEmptying({ logRetention: retention, removalPolicy, customerKey }: Lifecycle): void {
    const provider = Stack.of(this).node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
    const emptier = provider.node.findChild('Handler') as CfnResource;
    const log = { retention, removalPolicy, ...encryptedWith(customerKey) };
    const { logGroupName } = new LogGroup(this, 'EmptyingLog', log);
    emptier.addPropertyOverride('LoggingConfig', { LogGroup: logGroupName });
  }

  grantObjects(to: BundledFunction): void {
    to.allow(
      ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
      [this.bucket.arnForObjects('*')],
    );
    // Without this permission S3 responds 403 instead of 404 for a missing object.
    to.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    to.setEnvironment(environment.bucket, this.bucket.bucketName);
    to.allowKey(this.customerKey, 's3', TO_WRITE);
    this.grantVersions(to, ['s3:PutObject', 's3:GetObject', 's3:GetObjectVersion', 's3:DeleteObjectVersion']);
    this.grantMissing(to);
  }

  /** The files and results of tasks, and the data that a stage keeps for the next. */
  grantResults(to: BundledFunction): void {
    to.allow(['s3:GetObject'], [this.bucket.arnForObjects('files/*'), this.bucket.arnForObjects('results/*')]);
    to.allow(['s3:PutObject', 's3:AbortMultipartUpload'], [this.bucket.arnForObjects('results/*')]);
    const ofReadings = ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:DeleteObject'];
    to.allow(ofReadings, [this.bucket.arnForObjects(`${READINGS}*`)]);
    to.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    to.setEnvironment(environment.bucket, this.bucket.bucketName);
    to.allowKey(this.customerKey, 's3', TO_WRITE);
    this.grantVersions(to, ['s3:GetObjectVersion']);
    this.grantMissing(to);
  }

  /** A signed URL has the permissions of its signer, so the signer of archives must be able to read them. */
  grantArchives(to: BundledFunction, { readsThem = false } = {}): void {
    to.allow(['s3:GetObject'], [this.bucket.arnForObjects('results/*')]);
    // Without this permission S3 responds 403 instead of 404 for a missing object.
    if (readsThem) to.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    to.allowKey(this.customerKey, 's3', TO_READ);
    to.setEnvironment(environment.bucket, this.bucket.bucketName);
  }

  /** Removal first asks for the id of the newest version, which requires permission to read, but no key: S3 decrypts nothing. */
  grantRemoval(to: BundledFunction): void {
    to.allow(['s3:DeleteObject'], [this.bucket.arnForObjects('*')]);
    to.setEnvironment(environment.bucket, this.bucket.bucketName);
    this.grantVersions(to, ['s3:GetObject', 's3:DeleteObjectVersion']);
    this.grantMissing(to);
  }

  private grantVersions(to: BundledFunction, actions: string[]): void {
    to.allow(actions, [this.uploads.arnForObjects(`${ARRIVALS}*`)]);
    to.setEnvironment(environment.uploadsBucket, this.uploads.bucketName);
  }

  /**
   * Lets S3 report a missing version as missing instead of 403. The documentation names the permission for keys only,
   * so both are granted.
   */
  private grantMissing(to: BundledFunction): void {
    to.allow(['s3:ListBucket', 's3:ListBucketVersions'], [this.uploads.bucketArn]);
  }
}

/** CORS for pages that upload and download with signed URLs. */
const browserRule = (origins: string[]): CorsRule => ({
  allowedOrigins: origins.length > 0 ? origins : ['*'],
  allowedMethods: [HttpMethods.PUT, HttpMethods.GET],
  allowedHeaders: ['content-type', 'range'],
  exposedHeaders: ['content-disposition', 'etag'],
  maxAge: 600,
});
