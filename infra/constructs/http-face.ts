/** An HTTP API: the face's own routes and `$default` for everything else go to one function, some paths apart to another. */
import { Fn, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Route } from '../../functions/http/route.ts';
import { ACCESS_LINE } from '../access-log.ts';
import type { Domain } from '../domains.ts';
import type { Settings } from '../settings.ts';
import type { BundledFunction, Keeping } from './bundled-function.ts';
import { FunctionIntegration } from './function-integration.ts';
import { OwnDomain } from './own-domain.ts';

export type Routes = readonly Pick<Route<never>, 'method' | 'path'>[];
/** Their paths, whatever the method: what a function has the path of, it also refuses in its own words. */
export type Apart = { routes: Routes; answeredBy: BundledFunction };

type HttpApiOptions = {
  routes: Routes;
  answeredBy: BundledFunction;
  apart?: Apart;
  domain?: Domain | undefined;
  throttle: Settings['throttle'];
  keeping: Keeping;
};

export class HttpFace extends Construct {
  readonly rootUrl: string;
  readonly apiId: string;
  /** The gateway's own name, which always works. */
  readonly host: string;

  constructor(scope: Construct, id: string, { routes, answeredBy, apart, domain, throttle, keeping }: HttpApiOptions) {
    super(scope, id);
    const integration = new FunctionIntegration(answeredBy.lambda);
    const api = new HttpApi(this, 'Api', {
      apiName: `${Stack.of(this).stackName}-${id}`,
      createDefaultStage: false,
      // Unknown paths and methods, and OPTIONS, are answered by our own code in the face's own words.
      defaultIntegration: integration,
    });
    for (const { method, path } of routes) {
      api.addRoutes({ path: path.replace(/:(\w+)/g, '{$1}'), methods: [HttpMethod[method]], integration });
    }
    integration.permit(api);
    if (apart) addApart(api, apart);
    const stage = new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst },
      accessLogSettings: { destination: new LogGroupLogDestination(this.accessLog(api, keeping)), format },
    });
    if (domain) new OwnDomain(this, 'OwnDomain', { domain, apiId: api.apiId, stage });
    this.rootUrl = domain ? `https://${domain.name}` : api.apiEndpoint;
    this.apiId = api.apiId;
    this.host = Fn.select(2, Fn.split('/', api.apiEndpoint));
  }

  private accessLog({ apiId }: HttpApi, { logRetention, removalPolicy }: Keeping): LogGroup {
    // A log group outside of /aws/vendedlogs/ lengthens a policy of the account that soon is full.
    const logGroupName = `/aws/vendedlogs/errand/${apiId}`;
    return new LogGroup(this, 'AccessLog', { logGroupName, retention: logRetention, removalPolicy });
  }
}

function addApart(api: HttpApi, { routes, answeredBy }: Apart): void {
  const integration = new FunctionIntegration(answeredBy.lambda);
  for (const { path } of routes) api.addRoutes({ path, methods: [HttpMethod.ANY], integration });
  integration.permit(api);
}

const format = AccessLogFormat.custom(JSON.stringify(ACCESS_LINE));
