/** Calls a function once a minute, for what no request brings about. */
import { Duration } from 'aws-cdk-lib';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import type { BundledFunction } from './bundled-function.ts';

export class EveryMinute extends Construct {
  constructor(scope: Construct, id: string, called: BundledFunction) {
    super(scope, id);
    new Schedule(this, 'Schedule', {
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      // The next minute calls again, so a call that failed is not worth repeating.
      target: new LambdaInvoke(called.lambda, { retryAttempts: 0 }),
    });
  }
}
