/** A template with its references replaced by ARNs and names as AWS would give them, so that policies can be compared as text. */
import type { Any } from '../../support/any.ts';

export const ACCOUNT = '111122223333';
export const REGION = 'eu-central-1';

export type ResolvedResource = { Type: string; Properties: Any };
export type ResolvedTemplate = Record<string, ResolvedResource>;

const arn = (service: string, resource: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** What `Ref` returns, where that is not the logical id. */
const REFERENCES: Record<string, (id: string) => string> = {
  'AWS::SNS::Topic': (id) => arn('sns', id),
  'AWS::SQS::Queue': (id) => `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${id}`,
};

const ARNS: Record<string, (id: string) => string> = {
  'AWS::CloudWatch::Alarm': (id) => arn('cloudwatch', `alarm:${id}`),
  'AWS::Events::Rule': (id) => arn('events', `rule/${id}`),
  'AWS::IAM::Role': (id) => `arn:aws:iam::${ACCOUNT}:role/${id}`,
  'AWS::Lambda::Function': (id) => arn('lambda', `function:${id}`),
  'AWS::S3::Bucket': (id) => `arn:aws:s3:::${id}`,
  'AWS::SNS::Topic': (id) => arn('sns', id),
  'AWS::SQS::Queue': (id) => arn('sqs', id),
  'AWS::Scheduler::ScheduleGroup': (id) => arn('scheduler', `schedule-group/${id}`),
};

export const arnOf = (template: ResolvedTemplate, id: string): string => {
  const toArn = ARNS[template[id]?.Type ?? ''];
  if (!toArn) throw new Error(`The ARN of ${id} (${template[id]?.Type}) is not known here.`);
  return toArn(id);
};

const PSEUDO: Record<string, string> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::StackName': 'errand-test',
  'AWS::URLSuffix': 'amazonaws.com',
};

export function resolvedTemplate(resources: ResolvedTemplate): ResolvedTemplate {
  const reference = (id: string): string => PSEUDO[id] ?? REFERENCES[resources[id]?.Type ?? '']?.(id) ?? id;
  const attribute = ([id = '', name]: string[]): string =>
    (name === 'Arn' ? ARNS[resources[id]?.Type ?? '']?.(id) : undefined) ?? `<${id}.${name}>`;
  const resolve = (value: Any): Any => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    if (typeof value.Ref === 'string') return reference(value.Ref);
    if (value['Fn::GetAtt']) return attribute([value['Fn::GetAtt']].flat());
    if (value['Fn::Join']) {
      const [glue, parts] = value['Fn::Join'];
      return resolve(parts).join(glue);
    }
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part)]));
  };
  return resolve(resources);
}
