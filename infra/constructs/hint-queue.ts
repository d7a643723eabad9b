/** A queue of hints and the dead letters of what was received too often. */
import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Lambda's own advice for a queue that feeds a function. */
const VISIBILITY_FACTOR = 6;
const MOST_RECEIVES = 5;

const guarded = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

export class HintQueue extends Construct {
  constructor(scope: Construct, id: string, { consumerSeconds }: { consumerSeconds: number }) {
    super(scope, id);
    const deadLetters = new Queue(this, 'DeadLetters', { ...guarded, retentionPeriod: Duration.days(14) });
    new Queue(this, 'Queue', {
      ...guarded,
      visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * consumerSeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MOST_RECEIVES },
    });
  }
}
