/** The WebSocket API: all its routes go to one function, which may reach the open connections. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnIntegration,
  CfnRoute,
  LogGroupLogDestination,
  WebSocketApi,
  WebSocketStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import type { Domain, Settings } from '../settings.ts';
import type { BundledFunction, Keeping } from './function.ts';
import { OwnDomain } from './http-api.ts';

const ROUTES = ['$connect', '$default', '$disconnect'];
const STAGE = 'live';
/** Where the specification has it. */
export const SOCKET_PATH = '/ws/tasks';
/** What may be done to an open connection, by the method of the gateway's own API. */
type Reach = { post?: true; look?: true; end?: true };

type Options = {
  answeredBy: BundledFunction;
  domain?: Domain | undefined;
  throttle: Settings['throttle'];
  keeping: Keeping;
};

export class SocketFace extends Construct {
  /** Without a scheme; the stage is the whole path that the gateway takes. */
  readonly host: string;
  readonly stagePath = `/${STAGE}`;
  /** Where functions reach the connections. */
  readonly callbackUrl: string;
  /** What callers put before the path, if the stage has a name of its own for it. */
  readonly directUrl: string | undefined;
  private readonly api: WebSocketApi;

  constructor(scope: Construct, id: string, { answeredBy, domain, throttle, keeping }: Options) {
    super(scope, id);
    this.api = new WebSocketApi(this, 'Api', { apiName: `${Stack.of(this).stackName}-${id}` });
    this.addRoutes(answeredBy);
    const stage = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.api,
      stageName: STAGE,
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: { destination: new LogGroupLogDestination(this.accessLog(keeping)), format },
    });
    const { region, urlSuffix } = Stack.of(this);
    this.host = `${this.api.apiId}.execute-api.${region}.${urlSuffix}`;
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

  grantConnections(to: BundledFunction, { post, look, end }: Reach): void {
    const methods = [...(post ? ['POST'] : []), ...(look ? ['GET'] : []), ...(end ? ['DELETE'] : [])];
    to.allow(
      ['execute-api:ManageConnections'],
      methods.map((method) => this.arn(`${STAGE}/${method}/@connections/*`)),
    );
    to.tell(environment.sockets, this.callbackUrl);
  }

  private accessLog({ logRetention, removalPolicy }: Keeping): LogGroup {
    const logGroupName = `/aws/vendedlogs/errand/${this.api.apiId}`;
    return new LogGroup(this, 'AccessLog', { logGroupName, retention: logRetention, removalPolicy });
  }
}

/** No message: it may hold a token. */
const format = AccessLogFormat.custom(
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
