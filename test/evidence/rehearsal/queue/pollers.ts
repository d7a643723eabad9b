/** Starts the pollers of a template's queues. Each signs with the credentials of the function that it serves. */
import { randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Fleet } from '../lambda/fleet.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { Request } from '../recorder/recording.ts';
import type { QueueMapping } from '../stack/callers.ts';
import { connection, KEY } from '../stack/connection.ts';
import type { FunctionPlan } from '../stack/functions.ts';
import { ACCOUNT } from '../stack/template.ts';
import { type Poller, startPoller } from './poller.ts';

type Consumer = { plan: FunctionPlan; fleet: Fleet; recorder: Recorder; answered(request: Request): void };

/** As many as the function has instances, so that every instance gets messages. */
const POLLERS = 2;

export const startPollers = (mapping: QueueMapping, consumer: Consumer): Poller[] =>
  Array.from({ length: POLLERS }, (_, at) => pollerOf(mapping, consumer, at));

function pollerOf(mapping: QueueMapping, { plan, fleet, recorder, answered }: Consumer, at: number): Poller {
  const { queueArn, batchSize, reportsFailures } = mapping;
  const queue = queueArn.split(':').at(-1) ?? '';
  const sessionToken = `rehearsal.${plan.name}.${queue}.${at}`;
  const route = `poll ${queue}`;
  /** Id of the current turn: it groups the receive, the function's calls and the delete in the recording. */
  let id = '';
  recorder.callers.set(sessionToken, {
    function: plan.name,
    statements: plan.statements,
    now: () => ({ route, request: id }),
  });
  const client = new SQSClient({ ...connection(recorder.url), credentials: { ...KEY, sessionToken } });

  return startPoller({
    client,
    queueUrl: `${recorder.url}/${ACCOUNT}/${queue}`,
    queueArn,
    batchSize,
    reportsFailures,
    begin() {
      id = randomUUID();
    },
    async invoke(event) {
      const request = id;
      const outcome = await fleet.invoke(event, { route: queue, request });
      answered({ function: fleet.name, route: queue, id: request, status: 'error' in outcome ? 500 : 200 });
      return outcome;
    },
  });
}
