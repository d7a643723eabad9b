/** A function from its bundle, with a role and a log group of its own, and the permissions for the stage's models. */
import { join } from 'node:path';
import { ArnFormat, Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import type { Settings, Size } from '../settings.ts';
import { type CustomerKey, encryptedWith, type KeyService, TO_READ } from './customer-key.ts';

export type EnvironmentName = (typeof environment)[keyof typeof environment];

/** How data and logs are kept: for how long, and encrypted with which key if not those of the services. */
export type Lifecycle = {
  removalPolicy: RemovalPolicy;
  logRetention: RetentionDays;
  customerKey?: CustomerKey | undefined;
};

type Options = { bundles: string; name: string; size: Size; lifecycle: Lifecycle };

/** A function from its bundle, with its own role and log group. It has no permissions until they are granted. */
export class BundledFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, o: Options) {
    super(scope, id);
    const { customerKey } = o.lifecycle;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: o.lifecycle.logRetention,
      removalPolicy: o.lifecycle.removalPolicy,
      ...encryptedWith(customerKey),
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
      // Lambda's own three log lines for each event cost more than ours; it still logs failures.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      // Our log lines are filtered by the stage's own level before they are written.
      applicationLogLevelV2: ApplicationLogLevel.TRACE,
      role,
      ...(customerKey ? { environmentEncryption: customerKey.key } : {}),
    });
    // Lambda has a grant for the role, which ends when the role is made anew.
    this.allowKey(customerKey, 'lambda', TO_READ);
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
  }

  allow(actions: string[], resources: string[]): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions, resources }));
  }

  /** Lets the function use the customer's key, if there is one, for data of a service. */
  allowKey(customerKey: CustomerKey | undefined, service: KeyService, actions: typeof TO_READ): void {
    if (customerKey) this.lambda.addToRolePolicy(customerKey.statement(service, actions));
  }

  /**
   * Lets the function send messages to a queue that calls it. By default Lambda stops such a chain after 16 calls; the rows
   * of the table bound ours, which are longer.
   */
  allowRecursion(): void {
    (this.lambda.node.defaultChild as CfnFunction).recursiveLoop = RecursiveLoop.ALLOW;
  }

  /** Not for functions that a queue calls: throttled messages would reach its dead letters. */
  reserveConcurrency(instances: number): void {
    (this.lambda.node.defaultChild as CfnFunction).reservedConcurrentExecutions = instances;
  }

  setEnvironment(name: EnvironmentName, value: string): void {
    this.lambda.addEnvironment(name, value);
  }
}

/** EventBridge Scheduler, only for this account's schedules in one group (confused deputy). */
export const schedulerOf = (scope: Construct, groupArn: string): ServicePrincipal =>
  new ServicePrincipal('scheduler.amazonaws.com', {
    conditions: {
      StringEquals: { 'aws:SourceAccount': Stack.of(scope).account, 'aws:SourceArn': groupArn },
    },
  });

/** Calls a function once a minute, for work that no request starts. */
export class MinuteSchedule extends Construct {
  constructor(scope: Construct, id: string, { lambda: { functionArn } }: BundledFunction) {
    super(scope, id);
    const groupArn = Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule-group',
      resourceName: 'default',
    });
    // The CDK's own target would also permit every version of the function.
    const role = new Role(this, 'Role', { assumedBy: schedulerOf(this, groupArn) });
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn] }));
    new CfnSchedule(this, 'Schedule', {
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: functionArn,
        roleArn: role.roleArn,
        // The next call comes in a minute, so a call that Lambda did not accept is dropped.
        retryPolicy: { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 0 },
      },
    });
  }
}

const BEDROCK = 'bedrock/';
/** An inference profile is a model's name with the prefix of its geography. */
const PROFILE = /^(global|us|us-gov|eu|apac|jp|au|ca)\./;

export function grantModels(
  to: BundledFunction,
  { models, openai, seeing, modelTable }: Pick<Settings, 'models' | 'openai' | 'seeing' | 'modelTable'>,
): void {
  const names = models.filter((model) => model.startsWith(BEDROCK)).map((model) => model.slice(BEDROCK.length));
  if (names.length > 0)
    to.allow(
      ['bedrock:InvokeModelWithResponseStream'],
      names.flatMap((name) => arnsOf(Stack.of(to), name)),
    );
  // An empty value counts as not set.
  to.setEnvironment(environment.modelAddress, openai?.address ?? '');
  to.setEnvironment(environment.modelKeySecret, openai?.keySecret ?? '');
  to.setEnvironment(environment.seeingModels, seeing.join(','));
  to.setEnvironment(environment.modelTable, modelTable);
  if (openai?.keySecret === undefined) return;
  // Secrets Manager appends six random characters to a secret's ARN.
  to.allow(['secretsmanager:GetSecretValue'], [secretArn(Stack.of(to), openai.keySecret)]);
}

function arnsOf(stack: Stack, name: string): string[] {
  const arn = (resource: string, account: string, region: string) =>
    stack.formatArn({ service: 'bedrock', resource, resourceName: name.replace(PROFILE, ''), account, region });
  // A profile routes a request to the model in any region that has capacity.
  const model = arn('foundation-model', '', '*');
  if (!PROFILE.test(name)) return [model];
  return [stack.formatArn({ service: 'bedrock', resource: 'inference-profile', resourceName: name }), model];
}

const secretArn = (stack: Stack, name: string): string =>
  stack.formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${name}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
