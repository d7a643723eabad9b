/** A queue of hints with its dead-letter queue. */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type CustomerKey, TO_READ, TO_WRITE } from './customer-key.ts';
import type { BundledFunction, EnvironmentName } from './function.ts';

/** SQS asks KMS once in this time for each caller and queue, and stops using a disabled key after it. */
const DATA_KEY_REUSE = Duration.hours(1);

const queueDefaults = (customerKey: CustomerKey | undefined) => ({
  ...(customerKey
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey: customerKey.key, dataKeyReuse: DATA_KEY_REUSE }
    : { encryption: QueueEncryption.SQS_MANAGED }),
  enforceSSL: true,
});

export const deadLettersOf = (scope: Construct, customerKey: CustomerKey | undefined): Queue =>
  new Queue(scope, 'DeadLetters', { ...queueDefaults(customerKey), retentionPeriod: Duration.days(14) });

/** The visibility timeout as a multiple of the function's timeout, as the documentation of Lambda recommends. */
const VISIBILITY_FACTOR = 6;
const MAX_RECEIVES = 5;

type HintQueueOptions = {
  consumerSeconds: number;
  address: EnvironmentName;
  customerKey: CustomerKey | undefined;
};

export class HintQueue extends Construct {
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
