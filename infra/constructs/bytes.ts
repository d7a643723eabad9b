/** The bucket of the files' bytes. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type CorsRule, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import type { BundledFunction } from './bundled-function.ts';

export class Bytes extends Construct {
  readonly bucketName: string;
  private readonly bucket: Bucket;

  constructor(scope: Construct, id: string, o: { removalPolicy: RemovalPolicy; origins: string[] }) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [
        { id: 'broken-off-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // Uploads nobody completed. The reconciler removes them after a day; this is what is left if it does not.
        { id: 'uncompleted-uploads', prefix: 'uploads/', expiration: Duration.days(2) },
      ],
      cors: o.origins.length > 0 ? [browserRule(o.origins)] : [],
      removalPolicy: o.removalPolicy,
      autoDeleteObjects: o.removalPolicy === RemovalPolicy.DESTROY,
    });
    this.bucketName = this.bucket.bucketName;
  }

  grantObjects(to: BundledFunction): void {
    to.allow(['s3:GetObject', 's3:PutObject', 's3:DeleteObject'], [this.bucket.arnForObjects('*')]);
    // Without it S3 answers 403 for what is not there.
    to.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    to.tell(environment.bucket, this.bucket.bucketName);
  }
}

/** A page puts and gets by signed address. */
const browserRule = (origins: string[]): CorsRule => ({
  allowedOrigins: origins,
  allowedMethods: [HttpMethods.PUT, HttpMethods.GET],
  allowedHeaders: ['content-type', 'range'],
  exposedHeaders: ['content-disposition', 'etag'],
  maxAge: 600,
});
