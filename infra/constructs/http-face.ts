/** An HTTP API in front of one function: the face's own routes, and `$default` for everything else. */
import { Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Route } from '../../functions/http/route.ts';
import type { Settings } from '../settings.ts';
import type { BundledFunction, Keeping } from './bundled-function.ts';

type Options = {
  routes: readonly Pick<Route<never>, 'method' | 'path'>[];
  answeredBy: BundledFunction;
  throttle: Settings['throttle'];
  keeping: Keeping;
};

export class HttpFace extends Construct {
  readonly rootUrl: string;

  constructor(scope: Construct, id: string, { routes, answeredBy, throttle, keeping }: Options) {
    super(scope, id);
    // One permission for the whole API: one per route would outgrow a function's policy.
    const integration = new HttpLambdaIntegration('Function', answeredBy.lambda, { scopePermissionToRoute: false });
    const api = new HttpApi(this, 'Api', {
      apiName: `${Stack.of(this).stackName}-${id}`,
      createDefaultStage: false,
      // Unknown paths and methods, and OPTIONS, are answered by our own code in the face's own words.
      defaultIntegration: integration,
    });
    for (const { method, path } of routes) {
      api.addRoutes({ path: path.replace(/:(\w+)/g, '{$1}'), methods: [HttpMethod[method]], integration });
    }
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: { destination: new LogGroupLogDestination(this.accessLog(api, keeping)), format },
    });
    this.rootUrl = api.apiEndpoint;
  }

  /** Other names would each lengthen a policy of the account that soon is full. */
  private accessLog(api: HttpApi, { logRetention, removalPolicy }: Keeping): LogGroup {
    const logGroupName = `/aws/vendedlogs/errand/${api.apiId}`;
    return new LogGroup(this, 'AccessLog', { logGroupName, retention: logRetention, removalPolicy });
  }
}

/** No query and no header: they may hold credentials. */
const format = AccessLogFormat.custom(
  JSON.stringify({
    time: '$context.requestTime',
    gatewayRequestId: '$context.requestId',
    sourceAddress: '$context.identity.sourceIp',
    route: '$context.routeKey',
    status: '$context.status',
    ms: '$context.responseLatency',
    functionMs: '$context.integrationLatency',
    bytes: '$context.responseLength',
    fault: '$context.error.message',
    functionFault: '$context.integrationErrorMessage',
  }),
);
