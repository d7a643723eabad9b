/** Every use that the template itself makes of its resources: who calls what, with the context that AWS sends along. */
import type { Any } from '../../support/any.ts';
import type { AccessRequest } from './evaluate.ts';
import { ACCOUNT, arnOf, REGION, type ResolvedResource, type ResolvedTemplate } from './resolved-template.ts';

export type OwnUse = AccessRequest & { use: string };

const typed = (template: ResolvedTemplate, type: string): [string, ResolvedResource][] =>
  Object.entries(template).filter(([, { Type }]) => Type === type);

/** AWS's own calls go over TLS. */
const byService = (
  use: string,
  service: string,
  request: Pick<AccessRequest, 'action' | 'resource'> & { source: string },
): OwnUse => ({
  use,
  principal: `${service}.amazonaws.com`,
  action: request.action,
  resource: request.resource,
  context: { 'aws:sourcearn': request.source, 'aws:sourceaccount': ACCOUNT, 'aws:securetransport': 'true' },
});

const byRole = (use: string, principal: string, action: string, resource: string): OwnUse => ({
  use,
  principal,
  action,
  resource,
  context: { 'aws:securetransport': 'true' },
});

const alarmsToTopics = (template: ResolvedTemplate): OwnUse[] =>
  typed(template, 'AWS::CloudWatch::Alarm').flatMap(([id, { Properties }]) =>
    [...(Properties.AlarmActions ?? []), ...(Properties.OKActions ?? [])].map((resource: string) =>
      byService('alarm -> topic', 'cloudwatch', { action: 'sns:Publish', resource, source: arnOf(template, id) }),
    ),
  );

const topicsToDeadLetters = (template: ResolvedTemplate): OwnUse[] =>
  typed(template, 'AWS::SNS::Subscription').flatMap(([, { Properties }]) => {
    const resource = Properties.RedrivePolicy?.deadLetterTargetArn;
    if (!resource) return [];
    return [
      byService('topic -> dead letters', 'sns', { action: 'sqs:SendMessage', resource, source: Properties.TopicArn }),
    ];
  });

const rulesToTargets = (template: ResolvedTemplate): OwnUse[] =>
  typed(template, 'AWS::Events::Rule').flatMap(([id, { Properties }]) =>
    Properties.Targets.flatMap(({ Arn, DeadLetterConfig }: Any) => {
      const source = arnOf(template, id);
      const call = byService('rule -> function', 'events', { action: 'lambda:InvokeFunction', resource: Arn, source });
      if (!DeadLetterConfig) return [call];
      const failed = { action: 'sqs:SendMessage', resource: DeadLetterConfig.Arn, source };
      return [call, byService('rule -> dead letters', 'events', failed)];
    }),
  );

const routesToFunctions = (template: ResolvedTemplate): OwnUse[] =>
  typed(template, 'AWS::ApiGatewayV2::Route').map(([, { Properties }]) => {
    const integration = template[Properties.Target.replace(/^integrations\//, '')]?.Properties;
    const [resource] = /arn:aws:lambda:[^/]+/.exec(integration.IntegrationUri) ?? [''];
    const { ProtocolType } = template[Properties.ApiId]?.Properties ?? {};
    const stage = ProtocolType === 'WEBSOCKET' ? 'live' : '$default';
    const [method = '', path] = Properties.RouteKey.split(' ');
    const place = path === undefined ? `${stage}/${method}` : `${stage}/${method === 'ANY' ? '*' : method}${path}`;
    const source = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${Properties.ApiId}/${place}`;
    return byService('API -> function', 'apigateway', { action: 'lambda:InvokeFunction', resource, source });
  });

function distributionsToBuckets(template: ResolvedTemplate): OwnUse[] {
  return typed(template, 'AWS::CloudFront::Distribution').flatMap(([id, { Properties }]) =>
    Properties.DistributionConfig.Origins.filter(({ S3OriginConfig }: Any) => S3OriginConfig).map(
      ({ DomainName }: Any) => {
        const bucket = /<(\w+)\.RegionalDomainName>/.exec(DomainName)?.[1] ?? '';
        const source = `arn:aws:cloudfront::${ACCOUNT}:distribution/${id}`;
        const resource = `${arnOf(template, bucket)}/assets/main.js`;
        return byService('CloudFront -> bucket', 'cloudfront', { action: 's3:GetObject', resource, source });
      },
    ),
  );
}

/** Functions read their queues, and store failed asynchronous calls, with their own roles. */
const functionsToQueues = (template: ResolvedTemplate): OwnUse[] => [
  ...typed(template, 'AWS::Lambda::EventSourceMapping').flatMap(([, { Properties }]) => {
    const role = template[Properties.FunctionName]?.Properties.Role;
    return ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'].map((action) =>
      byRole('queue -> function', role, action, Properties.EventSourceArn),
    );
  }),
  ...typed(template, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
    const resource = Properties.DeadLetterConfig?.TargetArn;
    return resource ? [byRole('failed call -> dead letters', Properties.Role, 'sqs:SendMessage', resource)] : [];
  }),
];

/** Schedules of the template, and those that the product creates in the stack's own group. */
function schedulesToTargets(template: ResolvedTemplate): OwnUse[] {
  const own = typed(template, 'AWS::Scheduler::Schedule').flatMap(([, { Properties }]) => {
    const { Arn, RoleArn } = Properties.Target;
    const source = `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule-group/${Properties.GroupName ?? 'default'}`;
    return [
      byService('Scheduler -> role', 'scheduler', { action: 'sts:AssumeRole', resource: RoleArn, source }),
      byRole('Scheduler -> function', RoleArn, 'lambda:InvokeFunction', Arn),
    ];
  });
  const created = typed(template, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
    const { ERRAND_SCHEDULES_ROLE: role, ERRAND_SCHEDULED_LANES: lanes } = Properties.Environment?.Variables ?? {};
    if (!role) return [];
    const [group = ''] = typed(template, 'AWS::Scheduler::ScheduleGroup').map(([id]) => id);
    const source = arnOf(template, group);
    return [
      byService('Scheduler -> role', 'scheduler', { action: 'sts:AssumeRole', resource: role, source }),
      ...lanes.split(',').map((lane: string) => byRole('Scheduler -> queue', role, 'sqs:SendMessage', lane)),
    ];
  });
  return [...own, ...created];
}

/** The function that the CDK adds to empty buckets lists and deletes all versions, and forbids new objects first. */
function emptiedBuckets(template: ResolvedTemplate): OwnUse[] {
  return typed(template, 'Custom::S3AutoDeleteObjects').flatMap(([, { Properties }]) => {
    const [emptier] = typed(template, 'AWS::Lambda::Function').filter(([id]) => id.startsWith('CustomS3AutoDelete'));
    const role = emptier?.[1].Properties.Role;
    const bucket = arnOf(template, Properties.BucketName);
    return [
      ...['s3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:ListBucketVersions'].map((action) => [action, bucket]),
      ...['s3:DeleteObject', 's3:DeleteObjectVersion'].map((action) => [action, `${bucket}/files/a`]),
    ].map(([action = '', resource = '']) => byRole('CDK -> bucket that is emptied', role, action, resource));
  });
}

const logsOfGateways = (template: ResolvedTemplate): OwnUse[] =>
  typed(template, 'AWS::ApiGateway::Account').map(([, { Properties }]) =>
    byService('API Gateway -> role of its logs', 'apigateway', {
      action: 'sts:AssumeRole',
      resource: Properties.CloudWatchRoleArn,
      source: `arn:aws:apigateway:${REGION}::/account`,
    }),
  );

const rolesOfFunctions = (template: ResolvedTemplate): OwnUse[] =>
  typed(template, 'AWS::Lambda::Function').map(([id, { Properties }]) =>
    byService('Lambda -> role', 'lambda', {
      action: 'sts:AssumeRole',
      resource: Properties.Role,
      source: arnOf(template, id),
    }),
  );

export const ownUses = (template: ResolvedTemplate): OwnUse[] => [
  ...alarmsToTopics(template),
  ...topicsToDeadLetters(template),
  ...rulesToTargets(template),
  ...routesToFunctions(template),
  ...distributionsToBuckets(template),
  ...functionsToQueues(template),
  ...schedulesToTargets(template),
  ...emptiedBuckets(template),
  ...logsOfGateways(template),
  ...rolesOfFunctions(template),
];
