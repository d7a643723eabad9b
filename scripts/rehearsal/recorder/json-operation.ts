/** Which operation of a service that speaks JSON a request asks for, and what a role must allow for it. */
import { ACCOUNT, REGION } from '../stack/template.ts';
import type { Need } from './allows.ts';
import type { Operation } from './s3-operation.ts';
import type { Wire } from './wire.ts';

export type Body = Record<string, unknown>;

const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** What a service's calls are about. */
const RESOURCES: Record<string, (body: Body) => string[]> = {
  dynamodb: ({ TableName, IndexName, RequestItems }) => {
    const tables = RequestItems ? Object.keys(RequestItems) : [TableName];
    return tables.map((table) => arn('dynamodb', `table/${table}${IndexName ? `/index/${IndexName}` : ''}`));
  },
  secretsmanager: ({ SecretId }) => [String(SecretId)],
  sqs: ({ QueueUrl }) => [arn('sqs', String(QueueUrl).split('/').at(-1) ?? '')],
};

/** IAM knows no batches in SQS. */
const actionOf = (service: string, name: string): string =>
  `${service}:${service === 'sqs' ? name.replace(/Batch$/, '') : name}`;

export function jsonOperation({ service, headers }: Wire, body: Body): Operation | undefined {
  const name = headers['x-amz-target']?.split('.')[1];
  const resources = RESOURCES[service]?.(body);
  if (!name || !resources) return undefined;
  const needs: Need[] = resources.map((resource) => ({ action: actionOf(service, name), resource }));
  return { name, needs };
}
