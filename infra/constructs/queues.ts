/** The queues of hints and webhooks, and the dead letters of calls that failed. */
import { Duration } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import { instancesOf, LANES, type Lane } from '../../shared/core/lane.ts';
import type { Settings } from '../settings.ts';
import { type CustomerKey, TO_WRITE } from './customer-key.ts';
import type { BundledFunction, Lifecycle } from './function.ts';
import { deadLettersOf, HintQueue } from './hint-queue.ts';

const LANE_NAMES = {
  high: ['HighLane', environment.highLane],
  normal: ['NormalLane', environment.normalLane],
  low: ['LowLane', environment.lowLane],
} as const;
/** Lambda's minimum. */
const MIN_AT_ONCE = 2;

type HintQueuesOptions = Pick<Settings, 'sizes' | 'workers' | 'senders'> & Pick<Lifecycle, 'customerKey'>;

/** The queues of the product: a lane for each priority of tasks, and the webhooks. */
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
