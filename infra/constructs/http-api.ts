/** An HTTP API with its routes, access log and domain. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpIntegrationType,
  HttpMethod,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Route } from '../../functions/http/route.ts';
import type { Domain, Settings } from '../settings.ts';
import { ACCESS_LINE, accessLog } from './access-log.ts';
import type { BundledFunction, Lifecycle } from './function.ts';
import { gatewayHost, OwnDomain } from './own-domain.ts';

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

/** An HTTP API: its own routes and `$default` go to one function, and certain paths to another. */
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
