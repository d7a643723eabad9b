/** The HTTP APIs and the WebSocket API, with their access logs and domains. */
import { ArnFormat, CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat, CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnApiMapping,
  CfnDomainName,
  CfnIntegration,
  CfnRoute,
  HttpApi,
  HttpIntegrationType,
  HttpMethod,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  HttpStage,
  type IStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
  WebSocketApi,
  WebSocketStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Route } from '../../functions/http/route.ts';
import { environment } from '../../shared/core/environment.ts';
import type { Domain, Settings } from '../settings.ts';
import { encryptedWith } from './customer-key.ts';
import type { BundledFunction, Lifecycle } from './function.ts';

/** The access log line of a gateway. CloudWatch adds the time; query and headers are omitted because they may contain credentials. */
export const ACCESS_LINE = {
  id: '$context.requestId',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  ms: '$context.responseLatency',
  functionFault: '$context.integrationErrorMessage',
} as const;

/** Example values of an ordinary call. */
export const DEFAULT_ACCESS_LINE: Record<keyof typeof ACCESS_LINE, string> = {
  id: 'JKJaXmPLvHcESHA=',
  ip: '203.0.113.117',
  route: 'GET /api/v1/tasks/{taskId}',
  status: '200',
  ms: '12',
  functionFault: '-',
};

/** A log group outside /aws/vendedlogs/ would lengthen a resource policy of the account that has a size limit. */
const accessLog = (
  scope: Construct,
  apiId: string,
  { logRetention, removalPolicy, customerKey }: Lifecycle,
): LogGroup =>
  new LogGroup(scope, 'AccessLog', {
    logGroupName: `/aws/vendedlogs/errand/${apiId}`,
    retention: logRetention,
    removalPolicy,
    ...encryptedWith(customerKey),
  });

// Integrates one function with the routes of an HTTP API.

// The CDK's HttpLambdaIntegration adds either one permission for each route, which exceeds the size limit of a
// function's policy, or a pattern of three parts after the API's id, while `$default` has only two.
class FunctionIntegration extends HttpRouteIntegration {
  private readonly lambda: IFunction;

  constructor(lambda: IFunction) {
    super('Function');
    this.lambda = lambda;
  }

  override bind(): HttpRouteIntegrationConfig {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      uri: this.lambda.functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
    };
  }

  permit(api: HttpApi): void {
    const sourceArn = Stack.of(api).formatArn({
      service: 'execute-api',
      resource: api.apiId,
      resourceName: '*',
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    const principal = new ServicePrincipal('apigateway.amazonaws.com');
    this.lambda.addPermission(`${this.lambda.node.scope?.node.id}FromApi`, { principal, sourceArn, scope: api });
  }
}

const gatewayHost = (scope: Construct, apiId: string): string => {
  const { region, urlSuffix } = Stack.of(scope);
  return `${apiId}.execute-api.${region}.${urlSuffix}`;
};

/** A custom domain for a stage of a gateway. The operator creates its DNS record. */
type OwnDomainOptions = {
  domain: Domain;
  apiId: string;
  stage: IStage;
  /** The path of the API under the domain; if absent, the API is at its root. */
  key?: string;
};

class OwnDomain extends Construct {
  constructor(scope: Construct, id: string, { domain: { name, certificateArn }, apiId, stage, key }: OwnDomainOptions) {
    super(scope, id);
    const domainName = new CfnDomainName(this, 'Name', {
      domainName: name,
      domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
    });
    const mapping = new CfnApiMapping(this, 'Mapping', {
      apiId,
      domainName: domainName.ref,
      stage: stage.stageName,
      ...(key === undefined ? {} : { apiMappingKey: key }),
    });
    mapping.node.addDependency(stage);
    new CfnOutput(Stack.of(this), `${scope.node.id}DomainTarget`, {
      description: `Where ${name} has to point to, by a CNAME or an alias record.`,
      value: domainName.attrRegionalDomainName,
    });
  }
}

/** An HTTP API: its own routes and `$default` go to one function, and certain paths to another. */
export type Routes = readonly Pick<Route<never>, 'method' | 'path'>[];
/** Paths of another function, for all methods: this function also rejects wrong methods itself. */
export type SeparateRoutes = { routes: Routes; handler: BundledFunction };

type HttpApiOptions = {
  routes: Routes;
  handler: BundledFunction;
  separate?: SeparateRoutes;
  domain?: Domain | undefined;
  throttle: Settings['throttle'];
  lifecycle: Lifecycle;
};

export class HttpApiWithRoutes extends Construct {
  readonly rootUrl: string;
  readonly apiId: string;
  /** The gateway's own URL and its host name. */
  readonly gatewayUrl: string;
  readonly host: string;

  constructor(
    scope: Construct,
    id: string,
    { routes, handler, separate, domain, throttle, lifecycle }: HttpApiOptions,
  ) {
    super(scope, id);
    const integration = new FunctionIntegration(handler.lambda);
    const api = new HttpApi(this, 'Api', {
      apiName: `${Stack.of(this).stackName}-${id}`,
      createDefaultStage: false,
      // With a domain of its own, calls may not go around it. Behind the distribution the gateway's name is the origin.
      disableExecuteApiEndpoint: domain !== undefined,
      // Our code answers unknown paths and methods, and OPTIONS, in the API's own format.
      defaultIntegration: integration,
    });
    for (const { method, path } of routes) {
      api.addRoutes({ path: path.replace(/:(\w+)/g, '{$1}'), methods: [HttpMethod[method]], integration });
    }
    integration.permit(api);
    if (separate) addSeparateRoutes(api, separate);
    const stage = new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog(this, api.apiId, lifecycle)),
        format: httpFormat,
      },
    });
    if (domain) new OwnDomain(this, 'OwnDomain', { domain, apiId: api.apiId, stage });
    this.rootUrl = domain ? `https://${domain.name}` : api.apiEndpoint;
    this.apiId = api.apiId;
    this.host = gatewayHost(this, api.apiId);
    this.gatewayUrl = `https://${this.host}`;
  }
}

function addSeparateRoutes(api: HttpApi, { routes, handler }: SeparateRoutes): void {
  const integration = new FunctionIntegration(handler.lambda);
  for (const { path } of routes) api.addRoutes({ path, methods: [HttpMethod.ANY], integration });
  integration.permit(api);
}

const httpFormat = AccessLogFormat.custom(JSON.stringify(ACCESS_LINE));

const ROUTES = ['$connect', '$default', '$disconnect'];
const STAGE = 'live';
/** The path in the specification. */
export const SOCKET_PATH = '/ws/tasks';
/** The actions on an open connection, by methods of the gateway's management API. */
type ConnectionActions = { post?: true; look?: true; end?: true };

type Options = {
  handler: BundledFunction;
  domain?: Domain | undefined;
  throttle: Settings['throttle'];
  hasAccessLog: boolean;
  lifecycle: Lifecycle;
};

/**
 * Lets API Gateway write logs of WebSocket APIs, which is one setting of an account and region. Both parts are kept when the
 * stack is deleted, because other stages and stacks may rely on them.
 */
class GatewayLogging extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs')],
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    for (const resource of [role, account]) resource.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}

export class SocketApi extends Construct {
  /** The host without a scheme; the gateway's path is only the stage's name. */
  readonly host: string;
  readonly stagePath = `/${STAGE}`;
  /** The URL at which functions reach the connections. */
  readonly callbackUrl: string;
  /** The base URL of the custom domain, if the stage has one. */
  readonly directUrl: string | undefined;
  readonly apiId: string;
  private readonly api: WebSocketApi;

  constructor(scope: Construct, id: string, { handler, domain, throttle, hasAccessLog, lifecycle }: Options) {
    super(scope, id);
    this.api = new WebSocketApi(this, 'Api', { apiName: `${Stack.of(this).stackName}-${id}` });
    this.apiId = this.api.apiId;
    this.addRoutes(handler);
    // Created in any case: it is kept with a stage, and could not be created again under its name.
    const logGroup = accessLog(this, this.api.apiId, lifecycle);
    const stage = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.api,
      stageName: STAGE,
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      ...(hasAccessLog
        ? { accessLogSettings: { destination: new LogGroupLogDestination(logGroup), format: socketFormat } }
        : {}),
    });
    if (hasAccessLog) stage.node.addDependency(new GatewayLogging(this, 'Logging'));
    this.host = gatewayHost(this, this.api.apiId);
    this.callbackUrl = stage.callbackUrl;
    if (domain) new OwnDomain(this, 'OwnDomain', { domain, apiId: this.api.apiId, stage, key: SOCKET_PATH.slice(1) });
    this.directUrl = domain && `wss://${domain.name}`;
  }

  /** One integration and one permission, as for the HTTP APIs. */
  private addRoutes({ lambda }: BundledFunction): void {
    const { apiId } = this.api;
    const stack = Stack.of(this);
    const invocation = `${lambda.functionArn}/invocations`;
    const integration = new CfnIntegration(this, 'Integration', {
      apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: `arn:${stack.partition}:apigateway:${stack.region}:lambda:path/2015-03-31/functions/${invocation}`,
    });
    for (const routeKey of ROUTES) {
      const target = `integrations/${integration.ref}`;
      new CfnRoute(this, `Route${routeKey.slice(1)}`, { apiId, routeKey, target, authorizationType: 'NONE' });
    }
    const principal = new ServicePrincipal('apigateway.amazonaws.com');
    lambda.addPermission('SocketFromApi', { principal, sourceArn: this.arn('*'), scope: this });
  }

  private arn(resourceName: string): string {
    const resource = this.api.apiId;
    return Stack.of(this).formatArn({
      service: 'execute-api',
      resource,
      resourceName,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  }

  grantConnections(to: BundledFunction, { post, look, end }: ConnectionActions): void {
    const methods = [...(post ? ['POST'] : []), ...(look ? ['GET'] : []), ...(end ? ['DELETE'] : [])];
    to.allow(
      ['execute-api:ManageConnections'],
      methods.map((method) => this.arn(`${STAGE}/${method}/@connections/*`)),
    );
    to.setEnvironment(environment.sockets, this.callbackUrl);
  }
}

/** Messages are not logged, because they may contain a token. */
const socketFormat = AccessLogFormat.custom(
  JSON.stringify({
    time: '$context.requestTime',
    gatewayRequestId: '$context.extendedRequestId',
    requestId: '$context.requestId',
    connection: '$context.connectionId',
    sourceAddress: '$context.identity.sourceIp',
    route: '$context.routeKey',
    event: '$context.eventType',
    status: '$context.status',
    fault: '$context.error.message',
    functionFault: '$context.integrationErrorMessage',
  }),
);
