/** The resources of a template that lose data or an address when CloudFormation replaces or removes them. */
import type { Any } from '../support/any.ts';

/** By logical id: the type, and the properties whose change replaces the resource or what is in it. */
export type Stateful = Record<string, { type: string; [property: string]: unknown }>;

/** CloudFormation's reference names them under "Update requires: Replacement"; a secret's text is made again when its recipe changes. */
const KEPT: Record<string, string[]> = {
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  'AWS::ApiGatewayV2::DomainName': ['DomainName'],
  'AWS::ApiGatewayV2::Stage': ['ApiId', 'StageName'],
  'AWS::CertificateManager::Certificate': ['DomainName', 'SubjectAlternativeNames', 'ValidationMethod'],
  'AWS::CloudFront::Distribution': [],
  'AWS::Cognito::UserPool': ['AliasAttributes', 'UsernameAttributes'],
  'AWS::Cognito::UserPoolClient': ['GenerateSecret', 'UserPoolId'],
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::KMS::Alias': ['AliasName'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled'],
  'AWS::SES::ConfigurationSet': ['Name'],
  'AWS::SNS::Subscription': ['Endpoint', 'Protocol', 'TopicArn'],
  'AWS::SNS::Topic': ['FifoTopic', 'TopicName'],
  'AWS::SQS::Queue': ['FifoQueue', 'QueueName'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
  'AWS::SecretsManager::Secret': ['GenerateSecretString', 'Name'],
};

export function statefulResources(template: Any): Stateful {
  const kept = Object.entries<Any>(template.Resources).flatMap(([id, { Type: type, Properties: properties = {} }]) => {
    const names = type in KEPT ? KEPT[type] : isNamedBySchedules(type, properties) ? ['Path', 'RoleName'] : undefined;
    const identity = names?.filter((name) => name in properties).map((name) => [name, properties[name]]);
    return identity ? [[id, { type, ...Object.fromEntries(identity), ...indexesOf(properties) }] as const] : [];
  });
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const INDEX = 'index ';

/** A new index comes beside the others; one that changes is deleted and built again. */
const indexesOf = ({ GlobalSecondaryIndexes = [] }: Any): Record<string, Any> =>
  Object.fromEntries(GlobalSecondaryIndexes.map((index: Any) => [`${INDEX}${index.IndexName}`, index]));

/** The schedules of recurring tasks hold its ARN, and no deployment changes them. */
const isNamedBySchedules = (type: string, { AssumeRolePolicyDocument }: Any): boolean =>
  type === 'AWS::IAM::Role' && JSON.stringify(AssumeRolePolicyDocument).includes('scheduler.amazonaws.com');

/** One line for each resource of `before` that is missing, or would be replaced. New ones are no fault. */
export const replacedResources = (before: Stateful, after: Stateful): string[] =>
  Object.entries(before).flatMap(([id, resource]) => {
    const now = after[id];
    if (!now) return [`${id}: the ${resource.type} is missing`];
    const added = Object.keys(now).filter((name) => !name.startsWith(INDEX));
    return [...new Set([...Object.keys(resource), ...added])]
      .filter((name) => JSON.stringify(resource[name]) !== JSON.stringify(now[name]))
      .map((name) => `${id}: ${name} was ${textOf(resource[name])} and is ${textOf(now[name])}`);
  });

const textOf = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value));
