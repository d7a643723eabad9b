/** Where messages end that nobody could take: kept for the longest time there is. */
import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export const guarded = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

export const deadLettersOf = (scope: Construct): Queue =>
  new Queue(scope, 'DeadLetters', { ...guarded, retentionPeriod: Duration.days(14) });
