/** The files of console and documentation, which CloudFront serves. */
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
import { CONSOLE_FOLDER, DOCS_FOLDER } from '../../shared/core/console-page.ts';
import { encryptedWith } from './customer-key.ts';
import type { Lifecycle } from './function.ts';

const FOLDER = CONSOLE_FOLDER.slice(1, -1);
const DOCS = DOCS_FOLDER.slice(1, -1);

/** `folder`: the built console; `docs`: the built documentation. */
type FileOptions = { folder: string; docs: string; lifecycle: Lifecycle };

/** The bucket of the console's and the documentation's files, filled at deployment. Only CloudFront reads it. */
export class StaticFiles extends Construct {
  readonly origin: IOrigin;
  /** A dependency for everything that refers to these files. */
  readonly filled: Construct;

  constructor(scope: Construct, id: string, { folder, docs, lifecycle }: FileOptions) {
    super(scope, id);
    const { removalPolicy } = lifecycle;
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      // Not with the customer's key: everybody may read these files, and CloudFront would need the key.
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy,
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    }) as IBucket;
    this.origin = S3BucketOrigin.withOriginAccessControl(bucket);
    const role = this.fillingRole(bucket);
    const { logRetention: retention, customerKey } = lifecycle;
    const logGroup = new LogGroup(this, 'FillingLog', { retention, removalPolicy, ...encryptedWith(customerKey) });
    role.addToPolicy(allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn));
    const fill = { bucket, role, logGroup };
    // Files of earlier consoles are kept, because an open page may still request them. Their names contain a hash.
    const cacheControl = 'public, max-age=31536000, immutable';
    this.filled = this.fill('Filled', { ...fill, prefix: FOLDER, path: join(folder, FOLDER), cacheControl });
    this.fill('DocsFilled', { ...fill, prefix: DOCS, path: docs, cacheControl: 'public, max-age=300' });
  }

  private fillingRole(bucket: IBucket): Role {
    const role = new Role(this, 'FillingRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    for (const prefix of [FOLDER, DOCS]) role.addToPolicy(allow('s3:PutObject', bucket.arnForObjects(`${prefix}/*`)));
    const listing = allow('s3:ListBucket', bucket.bucketArn);
    // The CDK's function runs `aws s3 sync`, which compares the files with those of the folder.
    listing.addCondition('StringEquals', { 's3:prefix': [`${FOLDER}/`, `${DOCS}/`] });
    role.addToPolicy(listing);
    return role;
  }

  private fill(id: string, { bucket, role, logGroup, prefix, path, cacheControl }: Deployment): BucketDeployment {
    const asset = new Asset(this, id === 'Filled' ? 'Files' : `${id}Files`, { path });
    role.addToPolicy(allow('s3:GetObject', asset.bucket.arnForObjects(asset.s3ObjectKey)));
    const filled = new BucketDeployment(this, id, {
      sources: [Source.bucket(asset.bucket, asset.s3ObjectKey)],
      destinationBucket: bucket,
      destinationKeyPrefix: prefix,
      cacheControl: [CacheControl.fromString(cacheControl)],
      prune: false,
      // The CDK's default permissions would contain wildcards.
      role: role.withoutPolicyUpdates(),
      logGroup,
    });
    filled.node.addDependency(role);
    return filled;
  }
}

type Deployment = {
  bucket: IBucket;
  role: Role;
  logGroup: LogGroup;
  prefix: string;
  path: string;
  cacheControl: string;
};

const allow = (actions: string | string[], resource: string): PolicyStatement =>
  new PolicyStatement({ actions: [actions].flat(), resources: [resource] });
