/** The WebSocket API, the CDN in front of the agent API, and the right to send to connections. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { resourcesOf, templateOf } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const template = templateOf(folder.path, 'dev');
const [apiId] = Object.entries(resourcesOf(template, 'AWS::ApiGatewayV2::Api')).find(
  ([, { Properties }]) => Properties.ProtocolType === 'WEBSOCKET',
) ?? ['no API'];

describe('the WebSocket API', () => {
  it('sends its three routes to the socket function', () => {
    const routes = Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Route')).filter(
      ({ Properties }) => JSON.stringify(Properties.ApiId) === JSON.stringify({ Ref: apiId }),
    );
    expect(routes.map(({ Properties }) => Properties.RouteKey).sort()).toEqual(['$connect', '$default', '$disconnect']);
    const integrations = template.findResources('AWS::ApiGatewayV2::Integration', {
      Properties: { ApiId: { Ref: apiId } },
    });
    const [integration, ...others] = Object.values(integrations);
    expect(others).toEqual([]);
    expect(JSON.stringify(integration?.Properties.IntegrationUri)).toMatch(/SocketFunction/);
  });

  it('has one rate-limited stage', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      ApiId: { Ref: apiId },
      StageName: 'live',
      DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1_000 },
    });
  });

  it('writes no access log by default, because that needs a setting that a new account lacks', () => {
    const [stage] = Object.values(
      template.findResources('AWS::ApiGatewayV2::Stage', { Properties: { StageName: 'live' } }),
    );
    expect(stage?.Properties).not.toHaveProperty('AccessLogSettings');
    expect(resourcesOf(template, 'AWS::ApiGateway::Account')).toEqual({});
  });

  it('writes one on request, after the setting that lets it, which outlives the stack', () => {
    const logging = templateOf(folder.path, 'logging', undefined, { 'websocket-log': 'on' });
    const [[accountId, account] = ['', undefined]] = Object.entries(resourcesOf(logging, 'AWS::ApiGateway::Account'));
    const properties: Any = account?.Properties;
    const [role] = properties.CloudWatchRoleArn['Fn::GetAtt'];
    expect(account?.DeletionPolicy).toBe('Retain');
    expect(resourcesOf(logging, 'AWS::IAM::Role')[role]?.DeletionPolicy).toBe('Retain');
    const stages = logging.findResources('AWS::ApiGatewayV2::Stage', { Properties: { StageName: 'live' } });
    const [stage]: Any[] = Object.values(stages);
    expect(stage.DependsOn).toEqual(expect.arrayContaining([accountId, role]));
    const { Format } = stage.Properties.AccessLogSettings;
    expect(Format).toContain('$context.connectionId');
    expect(Format).not.toMatch(/request\.body|querystring|\$context\.messageId/);
  });

  it('allows notifying functions only to send, and the socket function also to read and to close connections', () => {
    const policies = Object.values(resourcesOf(template, 'AWS::IAM::Policy')).map(({ Properties }) => Properties);
    type Statement = { Action: string; Resource: unknown };
    const reach = policies.flatMap(({ PolicyDocument, Roles }) => {
      const { Statement } = PolicyDocument as { Statement: Statement[] };
      const own = Statement.filter(({ Action }) => Action === 'execute-api:ManageConnections');
      const text = JSON.stringify(own.map(({ Resource }) => Resource));
      const methods = ['POST', 'GET', 'DELETE'].filter((method) => text.includes(`/live/${method}/@connections/*`));
      return own.length > 0 ? [[JSON.stringify(Roles).replace(/.*"(\w+?)Function.*/, '$1'), methods]] : [];
    });
    expect(Object.fromEntries(reach)).toEqual({
      Agents: ['POST'],
      Reconcile: ['POST'],
      RunTask: ['POST'],
      SendWebhook: ['POST'],
      Socket: ['POST', 'GET', 'DELETE'],
    });
  });
});

describe('the edge', () => {
  const [distribution] = Object.values(resourcesOf(template, 'AWS::CloudFront::Distribution'));
  const config = distribution?.Properties.DistributionConfig as Any;
  const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
  const ALL_BUT_HOST = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

  it('caches no answer, not even an error, and forwards all headers but Host, only over HTTPS', () => {
    const calls = config.CacheBehaviors.filter(
      ({ PathPattern }: Any) => !['/assets/*', '/docs*'].includes(PathPattern),
    );
    for (const behavior of [config.DefaultCacheBehavior, ...calls]) {
      expect(behavior).toMatchObject({
        CachePolicyId: CACHING_DISABLED,
        OriginRequestPolicyId: ALL_BUT_HOST,
        ViewerProtocolPolicy: 'https-only',
        AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      });
    }
    expect(config.CustomErrorResponses.length).toBeGreaterThan(10);
    for (const response of config.CustomErrorResponses) {
      expect(response).toEqual({ ErrorCode: expect.any(Number), ErrorCachingMinTTL: 0 });
    }
  });

  it("forwards /ws/tasks to the WebSocket API, and the caller's address to the other origins", () => {
    const codes = Object.values(resourcesOf(template, 'AWS::CloudFront::Function')).map(
      ({ Properties }) => Properties.FunctionCode as string,
    );
    const run = (code: string) =>
      new Function(`${code}; return handler({ viewer: { ip: '192.0.2.1' }, request: { uri: '/x', headers: {} } });`)();
    const inline = codes.filter((code) => typeof code === 'string');
    expect(inline.map(run)).toEqual([
      { uri: '/x', headers: { 'x-errand-viewer': { value: '192.0.2.1' } } },
      { uri: '/live', headers: {} },
      // Of the documentation, only the paths of folders are rewritten.
      { uri: '/x', headers: {} },
    ]);
  });

  it('identifies itself to the APIs by a secret that is not in the template', () => {
    const apis = config.Origins.filter(({ S3OriginConfig }: Any) => !S3OriginConfig);
    expect([apis.length, config.Origins.length]).toEqual([2, 3]);
    for (const { OriginCustomHeaders, CustomOriginConfig } of apis) {
      const [header] = OriginCustomHeaders;
      expect(header.HeaderName).toBe('x-errand-origin');
      expect(JSON.stringify(header.HeaderValue)).toContain('{{resolve:secretsmanager:');
      expect(CustomOriginConfig).toMatchObject({ OriginProtocolPolicy: 'https-only' });
    }
  });
});
