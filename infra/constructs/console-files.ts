/** The bucket of the console's files, filled when the stack is deployed. Only the edge reads it. */
import { join } from 'node:path';
import { RemovalPolicy } from 'aws-cdk-lib';
import type { IOrigin } from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { CONSOLE_FOLDER } from '../../shared/core/console.ts';
import type { Keeping } from './function.ts';

const FOLDER = CONSOLE_FOLDER.slice(1, -1);

export class ConsoleFiles extends Construct {
  readonly origin: IOrigin;
  /** What refers to a file has to wait until it is there. */
  readonly filled: Construct;

  constructor(scope: Construct, id: string, { folder, keeping }: { folder: string; keeping: Keeping }) {
    super(scope, id);
    const { removalPolicy } = keeping;
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy,
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    }) as IBucket;
    this.origin = S3BucketOrigin.withOriginAccessControl(bucket);
    this.filled = this.fill(bucket, join(folder, FOLDER), keeping);
  }

  /** The files of older consoles stay: a page that is open somewhere may still ask for one. */
  private fill(bucket: IBucket, folder: string, { logRetention, removalPolicy }: Keeping): BucketDeployment {
    const asset = new Asset(this, 'Files', { path: folder });
    const role = new Role(this, 'FillingRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const logGroup = new LogGroup(this, 'FillingLog', { retention: logRetention, removalPolicy });
    const grants: [action: string | string[], resource: string][] = [
      ['s3:GetObject', asset.bucket.arnForObjects(asset.s3ObjectKey)],
      ['s3:PutObject', bucket.arnForObjects(`${FOLDER}/*`)],
      [['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn],
    ];
    for (const [actions, resource] of grants) {
      role.addToPolicy(new PolicyStatement({ actions: [actions].flat(), resources: [resource] }));
    }
    const filled = new BucketDeployment(this, 'Filled', {
      sources: [Source.bucket(asset.bucket, asset.s3ObjectKey)],
      destinationBucket: bucket,
      destinationKeyPrefix: FOLDER,
      cacheControl: [CacheControl.fromString('public, max-age=31536000, immutable')],
      prune: false,
      // What it would be given besides has stars in it.
      role: role.withoutPolicyUpdates(),
      logGroup,
    });
    filled.node.addDependency(role);
    return filled;
  }
}
