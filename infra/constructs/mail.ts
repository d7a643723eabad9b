/** Sending mail through SES: the permissions to send, and the events of bounces and complaints. Without a sender nothing is created. */
import { Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnConfigurationSet, CfnConfigurationSetEventDestination } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import { addOutputs } from '../settings.ts';
import type { BundledFunction } from './function.ts';
import type { UndeliveredEvents } from './queues.ts';

type Options = {
  sender: string | undefined;
  /** The base URL of links in mails. */
  rootUrl: string;
  /** Accepts tasks, and rejects those that need a sender if there is none. */
  acceptor: BundledFunction;
  worker: BundledFunction;
  /** Receives the events of mails. */
  reconciler: BundledFunction;
  /** The dead-letter queue of these events. */
  undelivered: UndeliveredEvents;
};

/** The events of mails that the recipient does not get or want. */
const BOUNCE_EVENTS = ['bounce', 'complaint'];

export class Mail extends Construct {
  constructor(scope: Construct, id: string, { sender, rootUrl, acceptor, worker, ...events }: Options) {
    super(scope, id);
    // An empty value counts as not set.
    for (const sendingFunction of [acceptor, worker]) sendingFunction.setEnvironment(environment.sender, sender ?? '');
    worker.setEnvironment(environment.agentsUrl, rootUrl);
    const configurationSet = sender === undefined ? undefined : this.addSet(events);
    worker.setEnvironment(environment.mailSet, configurationSet ?? '');
    if (sender === undefined || configurationSet === undefined) return;
    this.grantSending(worker, { sender, set: configurationSet });
    // For `errand doctor`.
    addOutputs(Stack.of(this), { Sender: sender, MailSet: configurationSet });
  }

  /** The operator verifies the identity once; it is not part of the stack and survives it. */
  private addSet({ reconciler, undelivered: { deadLetters } }: Pick<Options, 'reconciler' | 'undelivered'>): string {
    const { ref: name } = new CfnConfigurationSet(this, 'Set', {
      reputationOptions: { reputationMetricsEnabled: true },
      // An address that bounced for another sender of the account may still work for ours.
      suppressionOptions: { suppressedReasons: [] },
    });
    const eventBusArn = Stack.of(this).formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' });
    new CfnConfigurationSetEventDestination(this, 'Heard', {
      configurationSetName: name,
      eventDestination: { enabled: true, matchingEventTypes: BOUNCE_EVENTS, eventBridgeDestination: { eventBusArn } },
    });
    new Rule(this, 'OnBounce', {
      description: 'Bounces and complaints about our e-mails',
      eventPattern: { source: ['aws.ses'], detail: { mail: { tags: { 'ses:configuration-set': [name] } } } },
      targets: [new LambdaFunction(reconciler.lambda, { deadLetterQueue: deadLetters })],
    });
    return name;
  }

  /** Permits this sender only, whether its address or its domain is verified. */
  private grantSending(
    { lambda }: BundledFunction,
    { sender, set: configurationSet }: { sender: string; set: string },
  ): void {
    const arn = (resource: string, resourceName: string) =>
      Stack.of(this).formatArn({ service: 'ses', resource, resourceName });
    const domain = sender.slice(sender.lastIndexOf('@') + 1);
    lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ['ses:SendEmail', 'ses:SendRawEmail'],
        resources: [arn('identity', sender), arn('identity', domain), arn('configuration-set', configurationSet)],
        conditions: { StringEquals: { 'ses:FromAddress': sender } },
      }),
    );
  }
}
