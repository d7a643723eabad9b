/** Calls a function once a minute, for what no request brings about. */
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { BundledFunction } from './bundled-function.ts';

export class EveryMinute extends Construct {
  constructor(scope: Construct, id: string, { lambda: { functionArn } }: BundledFunction) {
    super(scope, id);
    // The CDK's own target would also allow every version of the function.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('scheduler.amazonaws.com') });
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn] }));
    new CfnSchedule(this, 'Schedule', {
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: functionArn,
        roleArn: role.roleArn,
        // The next minute calls again, so a call that failed is not worth repeating.
        retryPolicy: { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 0 },
      },
    });
  }
}
