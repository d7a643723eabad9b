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
  DOCS_FOLDER,
  escapeHtml,
} from '../../shared/core/console.ts';
import type { Keeping } from './function.ts';

/** The bucket of the files of the console and the documentation, filled when the stack is deployed. Only the edge reads it. */
const FOLDER = CONSOLE_FOLDER.slice(1, -1);
const DOCS = DOCS_FOLDER.slice(1, -1);

/** `folder`: the built console; `docs`: the built documentation. */
type Options = { folder: string; docs: string; keeping: Keeping };

export class ConsoleFiles extends Construct {
  readonly origin: IOrigin;
  /** What refers to a file has to wait until it is there. */
  readonly filled: Construct;

  constructor(scope: Construct, id: string, { folder, docs, keeping }: Options) {
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
    const role = this.fillingRole(bucket);
    const { logRetention } = keeping;
    const logGroup = new LogGroup(this, 'FillingLog', { retention: logRetention, removalPolicy });
    role.addToPolicy(allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn));
    const fill = { bucket, role, logGroup };
    // The files of older consoles stay: a page that is open somewhere may still ask for one. Their names hold a hash.
    const cacheControl = 'public, max-age=31536000, immutable';
    this.filled = this.fill('Filled', { ...fill, prefix: FOLDER, path: join(folder, FOLDER), cacheControl });
    this.fill('DocsFilled', { ...fill, prefix: DOCS, path: docs, cacheControl: 'public, max-age=300' });
  }

  private fillingRole(bucket: IBucket): Role {
    const role = new Role(this, 'FillingRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    for (const prefix of [FOLDER, DOCS]) role.addToPolicy(allow('s3:PutObject', bucket.arnForObjects(`${prefix}/*`)));
    return role;
  }

  private fill(id: string, { bucket, role, logGroup, prefix, path, cacheControl }: Filling): BucketDeployment {
    const asset = new Asset(this, id === 'Filled' ? 'Files' : `${id}Files`, { path });
    role.addToPolicy(allow('s3:GetObject', asset.bucket.arnForObjects(asset.s3ObjectKey)));
    const filled = new BucketDeployment(this, id, {
      sources: [Source.bucket(asset.bucket, asset.s3ObjectKey)],
      destinationBucket: bucket,
      destinationKeyPrefix: prefix,
      cacheControl: [CacheControl.fromString(cacheControl)],
      prune: false,
      // The other permissions would contain wildcards.
      role: role.withoutPolicyUpdates(),
      logGroup,
    });
    filled.node.addDependency(role);
    return filled;
  }
}

type Filling = { bucket: IBucket; role: Role; logGroup: LogGroup; prefix: string; path: string; cacheControl: string };

const allow = (actions: string | string[], resource: string): PolicyStatement =>
  new PolicyStatement({ actions: [actions].flat(), resources: [resource] });

// The page of the console, returned by a CloudFront function because it contains URLs that are known only when the
// stack is.

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
