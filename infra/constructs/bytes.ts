/** The bucket of the files' bytes. */
import { type CfnResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type CorsRule, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import { MOST_KEPT_DAYS } from '../../shared/core/stage-limits.ts';
import type { BundledFunction, Keeping } from './bundled-function.ts';

/** `origins`: of pages that put and get in a browser; none is any, because a signed address is all that it takes. */
type Options = { origins: string[]; retentionDays: number; keeping: Keeping };

export class Bytes extends Construct {
  readonly bucketName: string;
  /** Where signed addresses lead. */
  readonly url: string;
  private readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { origins, retentionDays, keeping }: Options) {
    super(scope, id);
    // The rows go first: nobody is to be shown what is not there.
    const expiration = Duration.days(retentionDays + 1);
    // A rule holds for what is there already too, and a file stays for the days of its own day: the reconciler removes it.
    const atLast = Duration.days(MOST_KEPT_DAYS + 1);
    const isEmptied = keeping.removalPolicy === RemovalPolicy.DESTROY;
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [
        { id: 'broken-off-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // Uploads nobody completed. The reconciler removes them after a day; this is what is left if it does not.
        { id: 'uncompleted-uploads', prefix: 'uploads/', expiration: Duration.days(2) },
        // What the reconciler left behind.
        { id: 'old-files', prefix: 'files/', expiration: atLast },
        // Archives of tasks, which nobody else removes.
        { id: 'old-results', prefix: 'results/', expiration },
      ],
      cors: [browserRule(origins)],
      removalPolicy: keeping.removalPolicy,
      autoDeleteObjects: isEmptied,
    });
    if (isEmptied) this.logEmptying(keeping);
    this.bucketName = this.bucket.bucketName;
    this.url = `https://${this.bucket.bucketRegionalDomainName}`;
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
  }

  /** What a task is given, what it leaves, and what one stage of it keeps for the next. */
  grantResults(to: BundledFunction): void {
    to.allow(['s3:GetObject'], [this.bucket.arnForObjects('files/*'), this.bucket.arnForObjects('results/*')]);
    to.allow(['s3:PutObject', 's3:AbortMultipartUpload'], [this.bucket.arnForObjects('results/*')]);
    to.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    to.tell(environment.bucket, this.bucket.bucketName);
  }

  /** An address of an archive holds for whoever has it what its signer may do. */
  grantArchives(to: BundledFunction): void {
    to.allow(['s3:GetObject'], [this.bucket.arnForObjects('results/*')]);
    to.tell(environment.bucket, this.bucket.bucketName);
  }

  grantRemoval(to: BundledFunction): void {
    to.allow(['s3:DeleteObject'], [this.bucket.arnForObjects('*')]);
    to.tell(environment.bucket, this.bucket.bucketName);
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
