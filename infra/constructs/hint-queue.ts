/** A queue of hints and the dead letters of what was received too often. */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { BundledFunction, EnvironmentName } from './bundled-function.ts';
import { deadLettersOf, guarded } from './dead-letters.ts';

/** Lambda's own advice for a queue that feeds a function. */
const VISIBILITY_FACTOR = 6;
const MOST_RECEIVES = 5;

type HintQueueOptions = { consumerSeconds: number; address: EnvironmentName };

export class HintQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  private readonly address: EnvironmentName;

  constructor(scope: Construct, id: string, { consumerSeconds, address }: HintQueueOptions) {
    super(scope, id);
    this.address = address;
    this.deadLetters = deadLettersOf(this);
    this.queue = new Queue(this, 'Queue', {
      ...guarded,
      visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * consumerSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MOST_RECEIVES },
    });
  }

  get arn(): string {
    return this.queue.queueArn;
  }

  tellAddress(to: BundledFunction): void {
    to.tell(this.address, this.queue.queueUrl);
  }

  grantSend(to: BundledFunction): void {
    to.allow(['sqs:SendMessage'], [this.queue.queueArn]);
  }

  /** Not with reserved concurrency, which would bury what it throttles. */
  feed(consumer: BundledFunction, { batchSize, atOnce }: { batchSize: number; atOnce: number }): void {
    const { queueArn } = this.queue;
    new EventSourceMapping(this, 'Feed', {
      target: consumer.lambda,
      eventSourceArn: queueArn,
      batchSize,
      maxConcurrency: atOnce,
      reportBatchItemFailures: true,
    });
    // Lambda polls with the function's own role, and asks for these three. The CDK's own event source allows more.
    consumer.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [queueArn]);
  }
}
