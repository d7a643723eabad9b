/** The bucket of the console's files, filled when the stack is deployed, and its page as the edge serves it. */
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
import {
  CONSOLE_CONFIG,
  CONSOLE_FOLDER,
  type ConsoleConfig,
  consolePolicy,
  escapeHtml,
} from '../../shared/core/console.ts';
import type { Keeping } from './function.ts';

/** The bucket of the console's files, filled when the stack is deployed. Only the edge reads it. */
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
      // The other permissions would contain wildcards.
      role: role.withoutPolicyUpdates(),
      logGroup,
    });
    filled.node.addDependency(role);
    return filled;
  }
}

// The page of the console as the edge answers it: by a function of the edge, because it tells addresses that are known when the stack is.

/** The name the page was asked for under. It stands for the edge's own, which a function of the edge cannot know before. */
const HOST = '{{host}}';

type Places = { filesUrl: string; bytesUrls: string[]; socketsUrl: string | undefined };

/** Other methods than GET go on to the API, which rejects them itself. */
export function consolePage(html: string, { filesUrl, bytesUrls, socketsUrl }: Places): string {
  const wsUrl = socketsUrl ?? `wss://${HOST}`;
  const config: ConsoleConfig = { filesUrl: `${filesUrl}/api/v1`, agentsUrl: `https://${HOST}`, wsUrl };
  const page = html.replace(CONSOLE_CONFIG, () => escapeHtml(JSON.stringify(config)));
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': consolePolicy([filesUrl, ...bytesUrls, wsUrl]),
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  return `var page = ${JSON.stringify(page)};
var headers = ${JSON.stringify(headers)};
function handler(event) {
  var request = event.request;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    request.headers['x-errand-viewer'] = { value: event.viewer.ip };
    return request;
  }
  var named = function (text) { return text.split('${HOST}').join(request.headers.host.value); };
  var told = {};
  for (var name in headers) told[name] = { value: named(headers[name]) };
  return { statusCode: 200, statusDescription: 'OK', headers: told, body: { encoding: 'text', data: named(page) } };
}`;
}
