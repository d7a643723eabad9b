/** Rules about entry points. */
import { agents } from '../../../functions/agents/api.ts';
import { login } from '../../../functions/agents/login.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import type { Any } from '../../support/any.ts';
import { breaches, every, first, of, type Rule, refOf, type Template, text } from './rule.ts';

const FACES = [
  { id: 'FilesAndTasks', routes: filesAndTasks.routes, apart: [] },
  { id: 'Agents', routes: agents.routes, apart: login.routes },
];
const wanted = ({ routes, apart }: (typeof FACES)[number]): string[] => [
  ...routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
  ...apart.map(({ path }) => `ANY ${path}`),
  '$default',
];
const httpApi = (template: Template, id: string): string =>
  of(template, 'AWS::ApiGatewayV2::Api').find(([name]) => name.startsWith(`${id}Api`))?.[0] ?? '';

export const DOORS: Rule[] = [
  {
    says: 'the HTTP APIs have the routes of the route tables, $default, and no other',
    faults: (template) =>
      FACES.flatMap((face) => {
        const api = httpApi(template, face.id);
        const routes = of(template, 'AWS::ApiGatewayV2::Route').filter(
          ([, { Properties: p }]) => refOf(p.ApiId) === api,
        );
        const keys = routes.map(([, { Properties }]) => Properties.RouteKey);
        return text(keys.toSorted()) === text(wanted(face).toSorted()) ? [] : [face.id];
      }),
    spoil: (template) => (first(template, 'AWS::ApiGatewayV2::Route').RouteKey = 'GET /else'),
  },
  every('every API is throttled', 'AWS::ApiGatewayV2::Stage', {
    isRight: (p) => p.DefaultRouteSettings?.ThrottlingRateLimit > 0 && p.DefaultRouteSettings.ThrottlingBurstLimit > 0,
    spoil: (p) => delete p.DefaultRouteSettings,
  }),
  {
    says: 'every HTTP API keeps an access log, the WebSocket on request, without what may hold a credential',
    faults: (template, { hasWebSocketLog = false }) =>
      breaches(of(template, 'AWS::ApiGatewayV2::Stage'), ({ AccessLogSettings: log, StageName }) =>
        StageName === 'live' && !hasWebSocketLog
          ? log
          : !log?.DestinationArn || /header|query|\.path\b|authori|body/i.test(log.Format),
      ),
    spoil: (template) => {
      const [, http] =
        of(template, 'AWS::ApiGatewayV2::Stage').find(([, p]) => p.Properties.StageName !== 'live') ?? [];
      if (http) http.Properties.AccessLogSettings.Format += '$context.authorizer.claims';
    },
  },
  every(
    "the edge keeps the console's files, and no answer of the API, not even an error",
    'AWS::CloudFront::Distribution',
    {
      isRight: ({ DistributionConfig: c }) =>
        [c.DefaultCacheBehavior, ...c.CacheBehaviors].every(
          (b: Any) =>
            b.CachePolicyId === '4135ea2d-6df8-44a3-9df3-4b5a84be39ad' ||
            ['/assets/*', '/docs*'].includes(b.PathPattern),
        ) && c.CustomErrorResponses.every((r: Any) => r.ErrorCachingMinTTL === 0),
      spoil: (p) => (p.DistributionConfig.CustomErrorResponses[0].ErrorCachingMinTTL = 10),
    },
  ),
  every('the edge speaks HTTPS alone, to both sides', 'AWS::CloudFront::Distribution', {
    isRight: ({ DistributionConfig: c }) =>
      [c.DefaultCacheBehavior, ...c.CacheBehaviors].every((b: Any) => b.ViewerProtocolPolicy === 'https-only') &&
      c.Origins.every(
        (o: Any) => o.OriginAccessControlId || o.CustomOriginConfig.OriginProtocolPolicy === 'https-only',
      ),
    spoil: (p) => (p.DistributionConfig.DefaultCacheBehavior.ViewerProtocolPolicy = 'allow-all'),
  }),
  {
    says: 'the reconciler is called once a minute, and not again for a call that was not accepted',
    faults: (template) =>
      of(template, 'AWS::Scheduler::Schedule').some(
        ([, { Properties: p }]) =>
          p.ScheduleExpression === 'rate(1 minute)' &&
          p.State === 'ENABLED' &&
          p.Target.RetryPolicy.MaximumRetryAttempts === 0 &&
          refOf(p.Target.Arn).startsWith('ReconcileFunction'),
      )
        ? []
        : ['no such schedule'],
    spoil: (template) => (first(template, 'AWS::Scheduler::Schedule').State = 'DISABLED'),
  },
];
