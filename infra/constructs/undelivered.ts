/** The dead letters of what comes by no queue of ours: calls that nobody waits for, events, letters of alarms. */

import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { BundledFunction } from './function.ts';
import { deadLettersOf, type WatchedQueue } from './queues.ts';

export class Undelivered extends Construct {
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.deadLetters = deadLettersOf(this);
  }

  get watched(): WatchedQueue {
    return { name: 'undelivered', deadLetters: this.deadLetters };
  }

  /** Lambda tries such a call three times, then stores its event here. */
  keepCalls(of: BundledFunction): void {
    const { queueArn } = this.deadLetters;
    const called = of.lambda.node.defaultChild as CfnFunction;
    called.deadLetterConfig = { targetArn: queueArn };
    of.allow(['sqs:SendMessage'], [queueArn]);
  }
}
