/** The routes of webhooks: list deliveries, redeliver, and test an endpoint. */

import * as v from 'valibot';
import { Problem } from '../../shared/core/problem.ts';
import { newTask, type Task } from '../../shared/tasks/task.ts';
import { deliveriesOf, redeliver } from '../../shared/webhooks/deliveries.ts';
import { isDiscardUrl, NO_RECEIVER, serviceHosts } from '../../shared/webhooks/discard.ts';
import { TESTS, testWebhook } from '../../shared/webhooks/test-webhook.ts';
import { type Route, route } from '../http/route.ts';
import { type FilesContext, READS, required, WRITES } from './schema.ts';
import { attemptView, deliveryView, taskView } from './task-view.ts';

const API = 'files-and-tasks';

const list = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/deliveries',
  about: 'Lists the webhook deliveries of a task, attempt by attempt.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The deliveries; empty before the task has finished.' },
  async run({ caller: { organization }, params: { taskId = '' } }, context) {
    const deliveries = await deliveriesOf(context, { organization, taskId }, API);
    return { status: 200, body: { deliveries: deliveries.map(deliveryView) } };
  },
});

const redelivery = route<FilesContext, 'member'>({
  method: 'POST',
  path: '/api/v1/tasks/:taskId/deliveries/:deliveryId/redeliver',
  about: 'Sends a delivery again at once, whatever its state, with a new schedule of retries.',
  caller: 'member',
  limit: WRITES,
  replies: { 202: 'The delivery in its current state.' },
  async run({ caller: { organization }, params: { taskId = '', deliveryId = '' } }, context) {
    const delivery = await redeliver(context, { organization, taskId }, { api: API, id: deliveryId });
    return { status: 202, body: deliveryView(delivery) };
  },
});

const testBody = v.object({ endpoint: required('endpoint', 'endpoint is required') });

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const webhookTestTexts = () => ({
  endpoint: 'A public HTTPS URL that receives a made-up task, signed with the secret of your organization.',
});

const test = route<FilesContext, 'member', v.InferOutput<typeof testBody>>({
  method: 'POST',
  path: '/api/v1/webhooks/test',
  about: 'Sends a test event to an endpoint, signed like a real one, and returns the attempt.',
  caller: 'member',
  limit: TESTS,
  body: testBody,
  replies: { 200: 'The attempt and what the receiver returned.' },
  async run({ caller: { organization }, body: { endpoint }, id, hosts }, context) {
    const isDiscard = isDiscardUrl(endpoint, { hosts, ...context });
    const fault = isDiscard ? NO_RECEIVER : context.faultOfEndpoint(endpoint, serviceHosts({ hosts, ...context }));
    if (fault !== undefined) throw new Problem('invalid', `endpoint ${fault}`);
    const body = await sampleEvent(id, context);
    const attempt = await testWebhook(context, { organization, endpoint, testId: id, body });
    return { status: 200, body: attemptView(attempt) };
  },
});

/** Has the shape of a real event, so that a receiver needs no special case. */
const sampleEvent = (taskId: string, context: FilesContext) => {
  const now = context.clock.now();
  const task: Task = {
    ...newTask({ face: API, type: '', priority: 0, now, hasWebhook: true }),
    state: 'succeeded',
    endedAt: now,
  };
  const result = { text: 'This is a test of your webhook. The task does not exist.' };
  return taskView({ taskId, task, about: { namespace: 'webhook-test' }, result }, context);
};

export const webhookRoutes: Route<FilesContext>[] = [list, redelivery, test];
