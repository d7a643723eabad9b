/** The CloudFront distribution of the agent API, its WebSocket, the console and the documentation. */
import { CfnOutput, Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
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
import { CONSOLE_FOLDER, CONSOLE_PAGE, DOCS_FOLDER, DOCS_POLICY } from '../../shared/core/console.ts';
import { environment } from '../../shared/core/environment.ts';
import type { Domain } from '../settings.ts';
import type { ConsoleFiles } from './console-files.ts';
import type { BundledFunction } from './function.ts';
import type { HttpFace } from './http-api.ts';
import { SOCKET_PATH, type SocketFace } from './websocket-api.ts';

/** All that CloudFront would otherwise keep for ten seconds. */
const ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** The page, as code of a function of the edge, and the files it refers to. */
type Console = { page: string; files: ConsoleFiles };
type Options = {
  http: HttpFace;
  socket: SocketFace;
  console: Console;
  domain?: Domain | undefined;
  removalPolicy: RemovalPolicy;
};

export class Edge extends Construct {
  readonly rootUrl: string;
  readonly wsUrl: string;
  private readonly secret: Secret;

  constructor(
    scope: Construct,
    id: string,
    { http, socket, domain, removalPolicy, console: { page, files } }: Options,
  ) {
    super(scope, id);
    this.secret = new Secret(this, 'OriginSecret', {
      description: 'Tells the calls that come through the distribution from those that go around it.',
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
      removalPolicy,
    });
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
      ...(domain ? this.named(domain) : {}),
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
          // Their names say what is in them.
          cachePolicy: CachePolicy.CACHING_OPTIMIZED,
          responseHeadersPolicy: this.ofFiles(),
        },
        [`${DOCS_FOLDER.slice(0, -1)}*`]: {
          origin: files.origin,
          viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
          allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
          cachePolicy: CachePolicy.CACHING_OPTIMIZED,
          responseHeadersPolicy: this.ofDocs(),
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

  private named({ name, certificateArn }: Domain) {
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

  private ofFiles(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'OfFiles', {
      comment: "The console's files",
      securityHeadersBehavior: {
        contentTypeOptions: { override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
      },
    });
  }

  private ofDocs(): ResponseHeadersPolicy {
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

  /** For functions that must know the source address of a call. */
  grantOrigin(to: BundledFunction): void {
    to.allow(['secretsmanager:GetSecretValue'], [this.secret.secretArn]);
    to.tell(environment.originSecret, this.secret.secretArn);
  }
}

/** What a caller says of itself there is overwritten. */
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

/** The gateway takes no path behind its stage. */
const toStage = (path: string): string => `function handler(event) {
  event.request.uri = '${path}';
  return event.request;
}`;
