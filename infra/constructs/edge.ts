/** CloudFront in front of the agent API and of the files of console and documentation. */
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
  OriginProtocolPolicy,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { CONSOLE_FOLDER, CONSOLE_PAGE, DOCS_FOLDER, DOCS_POLICY } from '../../shared/core/console-page.ts';
import { environment } from '../../shared/core/environment.ts';
import type { Domain } from '../settings.ts';
import { type CustomerKey, encryptedWith, TO_READ } from './customer-key.ts';
import type { BundledFunction } from './function.ts';
import type { HttpApiWithRoutes } from './http-api.ts';
import { SOCKET_PATH, type SocketApi } from './socket-api.ts';
import type { StaticFiles } from './static-files.ts';

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
