/** The queues of hints and webhooks with their dead letters, and the schedule group of recurring tasks. */
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { type CfnFunction, EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import { instancesOf, LANES, type Lane } from '../../shared/core/lane.ts';
import type { Settings } from '../settings.ts';
import { type CustomerKey, TO_READ, TO_WRITE } from './customer-key.ts';
import { type BundledFunction, type EnvironmentName, type Lifecycle, schedulerOf } from './function.ts';

/** SQS asks KMS once in this time for each caller and queue, and stops using a disabled key after it. */
const DATA_KEY_REUSE = Duration.hours(1);

const queueDefaults = (customerKey: CustomerKey | undefined) => ({
  ...(customerKey
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey: customerKey.key, dataKeyReuse: DATA_KEY_REUSE }
    : { encryption: QueueEncryption.SQS_MANAGED }),
  enforceSSL: true,
});

const deadLettersOf = (scope: Construct, customerKey: CustomerKey | undefined): Queue =>
  new Queue(scope, 'DeadLetters', { ...queueDefaults(customerKey), retentionPeriod: Duration.days(14) });

// A queue of hints with its dead-letter queue.

/** The visibility timeout as a multiple of the function's timeout, as the documentation of Lambda recommends. */
const VISIBILITY_FACTOR = 6;
const MAX_RECEIVES = 5;

type HintQueueOptions = {
  consumerSeconds: number;
  address: EnvironmentName;
  customerKey: CustomerKey | undefined;
};

class HintQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  private readonly address: EnvironmentName;
  private readonly customerKey: CustomerKey | undefined;

  constructor(scope: Construct, id: string, { consumerSeconds, address, customerKey }: HintQueueOptions) {
    super(scope, id);
    this.address = address;
    this.customerKey = customerKey;
    this.deadLetters = deadLettersOf(this, customerKey);
    this.queue = new Queue(this, 'Queue', {
      ...queueDefaults(customerKey),
      visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * consumerSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
  }

  get arn(): string {
    return this.queue.queueArn;
  }

  setQueueUrl(to: BundledFunction): void {
    to.setEnvironment(this.address, this.queue.queueUrl);
  }

  grantSend(to: BundledFunction): void {
    to.allow(['sqs:SendMessage'], [this.queue.queueArn]);
    to.allowKey(this.customerKey, 'sqs', TO_WRITE);
  }

  /** Must not be combined with reserved concurrency: throttled messages would reach the dead-letter queue. */
  consumeWith(consumer: BundledFunction, { batchSize, atOnce }: { batchSize: number; atOnce: number }): void {
    const { queueArn } = this.queue;
    new EventSourceMapping(this, 'Feed', {
      target: consumer.lambda,
      eventSourceArn: queueArn,
      batchSize,
      maxConcurrency: atOnce,
      reportBatchItemFailures: true,
    });
    // Lambda polls with the function's own role and needs these three permissions. The CDK's own event source grants more.
    consumer.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [queueArn]);
    consumer.allowKey(this.customerKey, 'sqs', TO_READ);
  }
}

/** The queues of the product: a lane for each priority of tasks, and the webhooks. */
const LANE_NAMES = {
  high: ['HighLane', environment.highLane],
  normal: ['NormalLane', environment.normalLane],
  low: ['LowLane', environment.lowLane],
} as const;
/** Lambda's minimum. */
const MIN_AT_ONCE = 2;

type HintQueuesOptions = Pick<Settings, 'sizes' | 'workers' | 'senders'> & Pick<Lifecycle, 'customerKey'>;

export class HintQueues extends Construct {
  private readonly lanes: Record<Lane, HintQueue>;
  private readonly webhooks: HintQueue;
  private readonly unauthenticated: HintQueue;
  private readonly workers: Settings['workers'];
  private readonly senders: Settings['senders'];

  constructor(scope: Construct, id: string, { sizes, workers, senders, customerKey }: HintQueuesOptions) {
    super(scope, id);
    this.workers = workers;
    this.senders = senders;
    const lane = (of: Lane) => {
      const [name, address] = LANE_NAMES[of];
      return new HintQueue(this, name, { consumerSeconds: sizes.runTask.timeoutSeconds, address, customerKey });
    };
    this.lanes = { high: lane('high'), normal: lane('normal'), low: lane('low') };
    const consumerSeconds = sizes.sendWebhook.timeoutSeconds;
    this.webhooks = new HintQueue(this, 'Webhooks', { consumerSeconds, address: environment.webhooks, customerKey });
    const socketSeconds = sizes.socket.timeoutSeconds;
    this.unauthenticated = new HintQueue(this, 'Strangers', {
      consumerSeconds: socketSeconds,
      address: environment.strangers,
      customerKey,
    });
  }

  /** The queues that the monitoring watches. */
  watched(): WatchedQueue[] {
    const lanes = LANES.map((lane) => [`${lane}-lane`, this.lanes[lane]] as const);
    const named = [...lanes, ['webhooks', this.webhooks] as const, ['strangers', this.unauthenticated] as const];
    return named.map(([name, { queue, deadLetters }]) => ({ name, queue, deadLetters }));
  }

  /** Sets the URLs of all queues; grants sending to the webhook queue and to these lanes. */
  grantSendingHints(to: BundledFunction, lanes: readonly Lane[] = LANES): void {
    for (const lane of LANES) this.lanes[lane].setQueueUrl(to);
    this.webhooks.setQueueUrl(to);
    for (const queue of [...lanes.map((lane) => this.lanes[lane]), this.webhooks]) queue.grantSend(to);
  }

  get laneArns(): string[] {
    return LANES.map((lane) => this.lanes[lane].arn);
  }

  consumeLanes(worker: BundledFunction): void {
    const { atOnce, batchSize } = this.workers;
    for (const lane of LANES) {
      this.lanes[lane].consumeWith(worker, { batchSize, atOnce: instancesOf(lane, atOnce) });
    }
    worker.setEnvironment(environment.workers, `${atOnce}`);
    // It postpones hints while an organization has no seat, and continues long tasks in another call.
    worker.allowRecursion();
  }

  /** Feeds checks of connections that have not authenticated to the function that accepted them. */
  consumeUnauthenticated(socket: BundledFunction): void {
    this.unauthenticated.setQueueUrl(socket);
    this.unauthenticated.grantSend(socket);
    this.unauthenticated.consumeWith(socket, { batchSize: 10, atOnce: MIN_AT_ONCE });
  }

  /** The sender also writes to its own queue, to retry webhooks and to probe receivers that fail. */
  consumeWebhooks(sender: BundledFunction): void {
    this.webhooks.setQueueUrl(sender);
    this.webhooks.grantSend(sender);
    this.webhooks.consumeWith(sender, this.senders);
    sender.allowRecursion();
  }
}

/** Some dead-letter queues belong to no queue of ours. */
export type WatchedQueue = { name: string; queue?: Queue; deadLetters: Queue };

export class UndeliveredEvents extends Construct {
  readonly deadLetters: Queue;
  private readonly customerKey: CustomerKey | undefined;

  constructor(scope: Construct, id: string, { customerKey }: Pick<Lifecycle, 'customerKey'>) {
    super(scope, id);
    this.customerKey = customerKey;
    this.deadLetters = deadLettersOf(this, customerKey);
  }

  get watched(): WatchedQueue {
    return { name: 'undelivered', deadLetters: this.deadLetters };
  }

  /**
   * Lambda tries an asynchronous call twice, then stores its event here. No retry would be enough for the rounds of the
   * reconciler, because the next minute's round does the same work, but the events of bounced mails come to the same function
   * and nobody sends them again. After an hour without a free instance an old round is of no use, and a mail's event is kept.
   */
  keepFailedCalls(of: BundledFunction): void {
    const { queueArn } = this.deadLetters;
    of.lambda.configureAsyncInvoke({ retryAttempts: 1, maxEventAge: Duration.hours(1) });
    const called = of.lambda.node.defaultChild as CfnFunction;
    called.deadLetterConfig = { targetArn: queueArn };
    of.allow(['sqs:SendMessage'], [queueArn]);
    of.allowKey(this.customerKey, 'sqs', TO_WRITE);
  }
}

const ACTIONS = ['CreateSchedule', 'UpdateSchedule', 'DeleteSchedule'];

export class Schedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly role: Role;
  private readonly lanes: string[];

  /** `lanes` are the ARNs of the queues: high, normal, low. */
  constructor(
    scope: Construct,
    id: string,
    { lanes, customerKey }: { lanes: string[] } & Pick<Lifecycle, 'customerKey'>,
  ) {
    super(scope, id);
    this.lanes = lanes;
    const { stackName: scheduleGroupName } = Stack.of(this);
    // Its schedules are useless without the stack, and are recreated from the tasks.
    this.group = new ScheduleGroup(this, 'Group', { scheduleGroupName, removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'Role', { assumedBy: schedulerOf(this, this.group.scheduleGroupArn) });
    this.role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: lanes }));
    if (customerKey) this.role.addToPolicy(customerKey.statement('sqs', TO_WRITE));
  }

  grantScheduling(to: BundledFunction): void {
    to.allow(
      ACTIONS.map((action) => `scheduler:${action}`),
      [this.scheduleArns],
    );
    // ListSchedules does not support a group as its resource.
    to.allow(['scheduler:ListSchedules'], ['*']);
    to.allow(['iam:PassRole'], [this.role.roleArn]);
    to.setEnvironment(environment.schedules, this.group.scheduleGroupName);
    to.setEnvironment(environment.schedulesRole, this.role.roleArn);
    to.setEnvironment(environment.scheduledLanes, this.lanes.join(','));
  }

  private get scheduleArns(): string {
    return Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${this.group.scheduleGroupName}/*`,
    });
  }
}
