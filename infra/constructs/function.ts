/** A function from its bundle, with a role and a log group of its own. It may do nothing until it is granted. */
import { join } from 'node:path';
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { environment } from '../../shared/core/environment.ts';
import type { Size } from '../settings.ts';

/** A function from its bundle, with a role and a log group of its own. It may do nothing until it is granted. */
export type EnvironmentName = (typeof environment)[keyof typeof environment];

/** What becomes of things in time. */
export type Keeping = { removalPolicy: RemovalPolicy; logRetention: RetentionDays };

type Options = { bundles: string; name: string; size: Size; keeping: Keeping };

export class BundledFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, o: Options) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: o.keeping.logRetention,
      removalPolicy: o.keeping.removalPolicy,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.lambda = new LambdaFunction(this, 'Function', {
      code: Code.fromAsset(join(o.bundles, o.name)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: o.size.memoryMegabytes,
      timeout: Duration.seconds(o.size.timeoutSeconds),
      logGroup,
      // Lambda's own three lines about each event cost more than ours; what goes wrong it still says.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      // Ours are filtered by the stage's own level before they are written.
      applicationLogLevelV2: ApplicationLogLevel.TRACE,
      role,
    });
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
  }

  allow(actions: string[], resources: string[]): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions, resources }));
  }

  tell(name: EnvironmentName, value: string): void {
    this.lambda.addEnvironment(name, value);
  }
}

/** Calls a function once a minute, for what no request brings about. */
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
