/** The operation of a request to a JSON service, and what a role must allow for it. */
import { ACCOUNT, REGION } from '../stack/template.ts';
import type { Need } from './allows.ts';
import type { Operation } from './s3-operation.ts';
import type { Wire } from './wire.ts';

export type Body = Record<string, unknown>;

const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** The ARNs that a service's calls need access to. */
const RESOURCES: Record<string, (body: Body) => string[]> = {
  dynamodb: ({ TableName, IndexName, RequestItems }) => {
    const tables = RequestItems ? Object.keys(RequestItems) : [TableName];
    return tables.map((table) => arn('dynamodb', `table/${table}${IndexName ? `/index/${IndexName}` : ''}`));
  },
  secretsmanager: ({ SecretId }) => [String(SecretId)],
  sqs: ({ QueueUrl }) => [arn('sqs', String(QueueUrl).split('/').at(-1) ?? '')],
};

/** IAM has no actions for the batch operations of SQS. */
const actionOf = (service: string, name: string): string =>
  `${service}:${service === 'sqs' ? name.replace(/Batch$/, '') : name}`;

export function jsonOperation(wire: Wire, body: Body): Operation | undefined {
  const { service, headers } = wire;
  if (service === 'ses') return mailOperation(wire, body);
  const name = headers['x-amz-target']?.split('.')[1];
  const resources = RESOURCES[service]?.(body);
  if (!name || !resources) return undefined;
  const needs: Need[] = resources.map((resource) => ({ action: actionOf(service, name), resource }));
  return { name, needs };
}

/** SES has a path for each operation. A raw mail needs both actions, on the sender identity and on the configuration set. */
function mailOperation(
  { method, path }: Wire,
  { FromEmailAddress, ConfigurationSetName }: Body,
): Operation | undefined {
  if (`${method} ${path}` !== 'POST /v2/email/outbound-emails') return undefined;
  const from = String(FromEmailAddress);
  const resources = [arn('ses', `identity/${from}`), arn('ses', `configuration-set/${ConfigurationSetName}`)];
  const actions = ['ses:SendEmail', 'ses:SendRawEmail'];
  return {
    name: 'SendEmail',
    needs: resources.flatMap((resource) => actions.map((action) => ({ action, resource, from }))),
  };
}
