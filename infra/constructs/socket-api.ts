/** The WebSocket API with its access log and domain. */

import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat, CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnIntegration,
  CfnRoute,
  LogGroupLogDestination,
  WebSocketApi,
  WebSocketStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import type { Domain, Settings } from '../settings.ts';
import { accessLog } from './access-log.ts';
import type { BundledFunction, Lifecycle } from './function.ts';
import { gatewayHost, OwnDomain } from './own-domain.ts';

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
