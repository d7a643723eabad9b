/** CloudFront in front of the agent API and of the files of console and documentation. */
import { join } from 'node:path';
import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  type ErrorResponse,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersReferrerPolicy,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import {
  CONSOLE_CONFIG,
  CONSOLE_FOLDER,
  CONSOLE_PAGE,
  type ConsoleConfig,
  consolePolicy,
  DOCS_FOLDER,
  DOCS_POLICY,
  escapeHtml,
} from '../../shared/core/console.ts';
import { environment } from '../../shared/core/environment.ts';
import type { Domain } from '../settings.ts';
import { type HttpApiWithRoutes, SOCKET_PATH, type SocketApi } from './apis.ts';
import { type CustomerKey, encryptedWith, TO_READ } from './customer-key.ts';
import type { BundledFunction, Lifecycle } from './function.ts';

/** The bucket of the console's and the documentation's files, filled at deployment. Only CloudFront reads it. */
const FOLDER = CONSOLE_FOLDER.slice(1, -1);
const DOCS = DOCS_FOLDER.slice(1, -1);

/** `folder`: the built console; `docs`: the built documentation. */
type FileOptions = { folder: string; docs: string; lifecycle: Lifecycle };

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

// The page of the console, returned by a CloudFront function because it contains URLs that are known only when the
// stack is.

/** A placeholder for the host name of the request. CloudFront's own name is not known when the function is created. */
const HOST = '{{host}}';

type PageUrls = { filesUrl: string; bucketUrls: string[]; socketsUrl: string | undefined };

/** Requests other than GET and HEAD go to the API, which rejects them. */
export function consolePage(html: string, { filesUrl, bucketUrls, socketsUrl }: PageUrls): string {
  const wsUrl = socketsUrl ?? `wss://${HOST}`;
  const config: ConsoleConfig = { filesUrl: `${filesUrl}/api/v1`, agentsUrl: `https://${HOST}`, wsUrl };
  const page = html.replace(CONSOLE_CONFIG, () => escapeHtml(JSON.stringify(config)));
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': consolePolicy([filesUrl, ...bucketUrls, wsUrl]),
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
  var sent = {};
  for (var name in headers) sent[name] = { value: named(headers[name]) };
  return { statusCode: 200, statusDescription: 'OK', headers: sent, body: { encoding: 'text', data: named(page) } };
}`;
}

/** The error responses that CloudFront would otherwise cache for ten seconds. */
const ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** The page, as the code of a CloudFront function, and the files that it refers to. */
type Console = { page: string; files: StaticFiles };
type EdgeOptions = {
  http: HttpApiWithRoutes;
  socket: SocketApi;
  console: Console;
  domain?: Domain | undefined;
  removalPolicy: RemovalPolicy;
  customerKey?: CustomerKey | undefined;
};

export class Edge extends Construct {
  readonly rootUrl: string;
  readonly wsUrl: string;
  private readonly secret: Secret;
  private readonly customerKey: CustomerKey | undefined;

  constructor(
    scope: Construct,
    id: string,
    { http, socket, domain, removalPolicy, customerKey, console: { page, files } }: EdgeOptions,
  ) {
    super(scope, id);
    this.customerKey = customerKey;
    this.secret = new Secret(this, 'OriginSecret', {
      description: 'Tells the calls that come through the distribution from those that go around it.',
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
      removalPolicy,
      ...encryptedWith(customerKey),
    });
    // An account may have 20 of them, and each stage would take two.
    const hasOwnPolicies = removalPolicy !== RemovalPolicy.DESTROY;
    const shared = {
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    };
    const calls = { ...shared, origin: this.origin(http.host) };
    const onPage = this.onRequest('Page', page);
    onPage.function.node.addDependency(files.filled);
    const distribution = new Distribution(this, 'Distribution', {
      comment: 'Errand: the agent API, its WebSocket, and the console',
      ...(domain ? this.domainProps(domain) : {}),
      errorResponses: ERRORS.map((httpStatus): ErrorResponse => ({ httpStatus, ttl: Duration.seconds(0) })),
      defaultBehavior: { ...calls, functionAssociations: [this.onRequest('Viewer', VIEWER)] },
      additionalBehaviors: {
        [SOCKET_PATH]: {
          ...shared,
          origin: this.origin(socket.host),
          functionAssociations: [this.onRequest('ToStage', toStage(socket.stagePath))],
        },
        [CONSOLE_PAGE]: { ...calls, functionAssociations: [onPage] },
        [`${CONSOLE_FOLDER}*`]: {
          origin: files.origin,
          viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
          allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
          // The file names contain a hash of the content.
          cachePolicy: CachePolicy.CACHING_OPTIMIZED,
          responseHeadersPolicy: hasOwnPolicies ? this.fileHeaders() : ResponseHeadersPolicy.SECURITY_HEADERS,
        },
        [`${DOCS_FOLDER.slice(0, -1)}*`]: {
          origin: files.origin,
          viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
          allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
          cachePolicy: CachePolicy.CACHING_OPTIMIZED,
          responseHeadersPolicy: hasOwnPolicies ? this.docsHeaders() : ResponseHeadersPolicy.SECURITY_HEADERS,
          functionAssociations: [this.onRequest('DocsIndex', DOCS_INDEX)],
        },
      },
    });
    const host = domain?.name ?? distribution.distributionDomainName;
    this.rootUrl = `https://${host}`;
    this.wsUrl = `wss://${host}`;
    if (!domain) return;
    new CfnOutput(Stack.of(this), 'AgentsDomainTarget', {
      description: `Where ${domain.name} has to point to, by a CNAME or an alias record.`,
      value: distribution.distributionDomainName,
    });
  }

  private domainProps({ name, certificateArn }: Domain) {
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    return { domainNames: [name], certificate, minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021 };
  }

  private origin(host: string): HttpOrigin {
    const customHeaders = { 'x-errand-origin': this.secret.secretValue.unsafeUnwrap() };
    return new HttpOrigin(host, { protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY, customHeaders });
  }

  private onRequest(id: string, code: string) {
    const runtime = FunctionRuntime.JS_2_0;
    const edge = new EdgeFunction(this, id, { code: FunctionCode.fromInline(code), runtime });
    return { function: edge, eventType: FunctionEventType.VIEWER_REQUEST };
  }

  private fileHeaders(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'OfFiles', {
      comment: "The console's files",
      securityHeadersBehavior: {
        contentTypeOptions: { override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
      },
    });
  }

  private docsHeaders(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'OfDocs', {
      comment: 'The documentation',
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy: DOCS_POLICY, override: true },
        contentTypeOptions: { override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
      },
    });
  }

  /** Lets a function read the origin secret, so that it can trust the source address from CloudFront. */
  grantOrigin(to: BundledFunction): void {
    to.allow(['secretsmanager:GetSecretValue'], [this.secret.secretArn]);
    to.allowKey(this.customerKey, 'secretsmanager', TO_READ);
    to.setEnvironment(environment.originSecret, this.secret.secretArn);
  }
}

/** Overwrites the header if the caller has set it. */
const VIEWER = `function handler(event) {
  event.request.headers['x-errand-viewer'] = { value: event.viewer.ip };
  return event.request;
}`;

/** `/docs` redirects to the folder, and a folder shows its index. */
export const DOCS_INDEX = `function handler(event) {
  var request = event.request;
  if (request.uri === '/docs')
    return { statusCode: 302, statusDescription: 'Found', headers: { location: { value: '/docs/' } } };
  if (request.uri.slice(-1) === '/') request.uri += 'index.html';
  return request;
}`;

/** The gateway accepts no path after its stage. */
const toStage = (path: string): string => `function handler(event) {
  event.request.uri = '${path}';
  return event.request;
}`;
