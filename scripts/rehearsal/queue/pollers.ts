/** The pollers of a template's queues, each signing as the function it serves. */
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Fleet } from '../lambda/fleet.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { QueueMapping } from '../stack/callers.ts';
import { connection, KEY } from '../stack/connection.ts';
import type { FunctionPlan } from '../stack/functions.ts';
import { ACCOUNT } from '../stack/template.ts';
import { type Poller, startPoller } from './poller.ts';

type Consumer = { plan: FunctionPlan; fleet: Fleet; recorder: Recorder };

/** Two of them, so that both instances of the function work. */
export function startPollers(mapping: QueueMapping, { plan, fleet, recorder }: Consumer): Poller[] {
  const { queueArn, batchSize, reportsFailures } = mapping;
  const queue = queueArn.split(':').at(-1) ?? '';
  const sessionToken = `rehearsal.${plan.name}.${queue}`;
  const route = `poll ${queue}`;
  recorder.callers.set(sessionToken, { function: plan.name, statements: plan.statements, now: () => ({ route }) });
  const client = new SQSClient({ ...connection(recorder.url), credentials: { ...KEY, sessionToken } });
  const queueUrl = `${recorder.url}/${ACCOUNT}/${queue}`;
  const invoke = (event: unknown) => fleet.invoke(event, { route: queue });
  const polling = { client, queueUrl, queueArn, batchSize, reportsFailures, invoke };
  return [startPoller(polling), startPoller(polling)];
}
