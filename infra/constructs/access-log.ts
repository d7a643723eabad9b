/** The access logs of the gateways. */
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { encryptedWith } from './customer-key.ts';
import type { Lifecycle } from './function.ts';

/** The access log line of a gateway. CloudWatch adds the time; query and headers are omitted because they may contain credentials. */
export const ACCESS_LINE = {
  id: '$context.requestId',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  ms: '$context.responseLatency',
  functionFault: '$context.integrationErrorMessage',
} as const;

/** Example values of an ordinary call. */
export const DEFAULT_ACCESS_LINE: Record<keyof typeof ACCESS_LINE, string> = {
  id: 'JKJaXmPLvHcESHA=',
  ip: '203.0.113.117',
  route: 'GET /api/v1/tasks/{taskId}',
  status: '200',
  ms: '12',
  functionFault: '-',
};

/** A log group outside /aws/vendedlogs/ would lengthen a resource policy of the account that has a size limit. */
export const accessLog = (
  scope: Construct,
  apiId: string,
  { logRetention, removalPolicy, customerKey }: Lifecycle,
): LogGroup =>
  new LogGroup(scope, 'AccessLog', {
    logGroupName: `/aws/vendedlogs/errand/${apiId}`,
    retention: logRetention,
    removalPolicy,
    ...encryptedWith(customerKey),
  });
