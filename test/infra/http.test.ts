import { Match } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { apart, apis, resourcesOf, templateOf } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const template = templateOf(folder.path, 'dev');

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const idOf = (type: string, prefix: string): string =>
  Object.keys(resourcesOf(template, type)).find((id) => id.startsWith(prefix)) ?? `no ${prefix}`;

describe.each(Object.entries(apis))('the HTTP API of %s', (id, face) => {
  const apiId = { Ref: idOf('AWS::ApiGatewayV2::Api', `${id}Api`) };
  const arns = [id, ...(apart[id] ? [apart[id].id] : [])].map((name) => ({
    'Fn::GetAtt': [idOf('AWS::Lambda::Function', `${name}Function`), 'Arn'],
  }));

  it('has every route of the API, and $default for all others', () => {
    const keys = Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Route'))
      .filter(({ Properties }) => JSON.stringify(Properties.ApiId) === JSON.stringify(apiId))
      .map(({ Properties }) => Properties.RouteKey);
    const wanted = face.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const others = apart[id]?.face.routes.map(({ path }) => `ANY ${path}`) ?? [];
    expect(keys.sort()).toEqual([...wanted, ...others, '$default'].sort());
  });

  it('sends each route to its function, as payload 2.0', () => {
    const integrations = template.findResources('AWS::ApiGatewayV2::Integration', { Properties: { ApiId: apiId } });
    const uris = Object.values(integrations).map(({ Properties }) => Properties.IntegrationUri);
    expect(uris).toEqual(arns);
    for (const { Properties } of Object.values(integrations)) {
      expect(Properties).toMatchObject({ PayloadFormatVersion: '2.0', IntegrationType: 'AWS_PROXY' });
    }
    const routes = resourcesOf(template, 'AWS::ApiGatewayV2::Route');
    const targetOf = (key: string) =>
      Object.values(routes).find(({ Properties: { ApiId, RouteKey } }) => RouteKey === key && isSame(ApiId, apiId))
        ?.Properties.Target;
    for (const { path } of apart[id]?.face.routes ?? []) {
      expect(targetOf(`ANY ${path}`)).not.toEqual(targetOf('$default'));
    }
  });

  it.each(arns)('may invoke %j by one permission that also covers $default, whose ARN has one part less', (arn) => {
    const permissions = template.findResources('AWS::Lambda::Permission', { Properties: { FunctionName: arn } });
    expect(Object.values(permissions)).toHaveLength(1);
    const { Principal, SourceArn } = Object.values(permissions)[0]?.Properties ?? {};
    expect(Principal).toBe('apigateway.amazonaws.com');
    expect(SourceArn['Fn::Join'][1].slice(-2)).toEqual([apiId, '/*']);
  });

  it('limits the request rate, and logs neither headers nor queries', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      ApiId: apiId,
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1_000 },
      AccessLogSettings: {
        DestinationArn: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${id}AccessLog`), 'Arn'] },
        Format: Match.stringLikeRegexp('context.requestId'),
      },
    });
    const stages = JSON.stringify(resourcesOf(template, 'AWS::ApiGatewayV2::Stage'));
    expect(stages).not.toMatch(/header|query|\.path|authori/i);
  });

  it('leaves CORS to our own code', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      ProtocolType: 'HTTP',
      CorsConfiguration: Match.absent(),
    });
  });
});
