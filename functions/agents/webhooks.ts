/** The routes of webhooks: list deliveries, redeliver, and test a URL. */
import { inside } from '../../shared/agents/field-schemas.ts';
import { taskIdIn } from '../../shared/tasks/rows.ts';
import { AGENTS_API, newTask, type Task } from '../../shared/tasks/task.ts';
import { type Delivery, deliveriesOf, redeliver } from '../../shared/webhooks/deliveries.ts';
import type { DeliveryAttempt } from '../../shared/webhooks/delivery-log.ts';
import { isDiscardUrl, NO_RECEIVER, serviceHosts } from '../../shared/webhooks/discard.ts';
import { TESTS, testWebhook } from '../../shared/webhooks/test-webhook.ts';
import { type Route, route } from '../http/route.ts';
import { webhookUrl } from './add-task.ts';
import { AGENT_LIMITS, type TasksContext } from './context.ts';
import type { AgentAttemptView, AgentDeliveryView } from './delivery-contract.ts';
import { isoTimeOrNull, webhookBody } from './task-view.ts';

const list = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/deliveries',
  about: 'Lists the webhook deliveries of a task, attempt by attempt.',
  caller: 'viewer',
  limit: AGENT_LIMITS.deliveryReads,
  replies: { 200: 'The deliveries; empty before the task has finished.' },
  async run({ caller: { organization }, params: { taskId } }, context) {
    const deliveries = await deliveriesOf(context, { organization, taskId: taskIdIn(taskId) }, AGENTS_API);
    return { status: 200, body: { deliveries: deliveries.map(deliveryView) } };
  },
});

const redelivery = route<TasksContext, 'member'>({
  method: 'POST',
  path: '/api/v1/tasks/:taskId/deliveries/:deliveryId/redeliver',
  about: 'Sends a delivery again at once, whatever its state, with a new schedule of retries.',
  caller: 'member',
  limit: AGENT_LIMITS.redeliveries,
  replies: { 202: 'The delivery in its current state.' },
  async run({ caller: { organization }, params: { taskId, deliveryId = '' } }, context) {
    const address = { organization, taskId: taskIdIn(taskId) };
    const delivery = await redeliver(context, address, { api: AGENTS_API, id: deliveryId });
    return { status: 202, body: deliveryView(delivery) };
  },
});

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const webhookTestTexts = () => ({
  webhook_url: 'A public HTTPS URL that receives the event of a made-up task, signed with your secret.',
});

const test = route<TasksContext, 'member', { webhook_url: string }>({
  method: 'POST',
  path: '/api/v1/webhooks/test',
  about: 'Sends a test event to a URL, signed like a real one, and returns the attempt.',
  caller: 'member',
  limit: TESTS,
  body: ({ faultOfEndpoint, serviceUrls }, { hosts }) => {
    const faultOf = (text: string) =>
      isDiscardUrl(text, { hosts, serviceUrls })
        ? NO_RECEIVER
        : faultOfEndpoint(text, serviceHosts({ hosts, serviceUrls }));
    return inside({ webhook_url: webhookUrl(faultOf) });
  },
  replies: { 200: 'The attempt and what the receiver returned.' },
  async run({ caller: { organization }, body: { webhook_url: endpoint }, id }, context) {
    const body = sampleEvent(id, context.clock.now());
    const attempt = await testWebhook(context, { organization, endpoint, testId: id, body });
    return { status: 200, body: attemptView(attempt) };
  },
});

/** Has the shape of a real event, so that a receiver needs no special case. */
function sampleEvent(taskId: string, now: number): object {
  const queuedTask = newTask({ face: AGENTS_API, type: 'research_agent', priority: 0, now, hasWebhook: true });
  const task: Task = { ...queuedTask, state: 'succeeded', startedAt: now, endedAt: now };
  return webhookBody({ taskId, task, about: { metadata: { webhook: 'test' } }, result: {} });
}

const attemptView = ({ at, ms, status, fault, answer, nextAt }: DeliveryAttempt): AgentAttemptView => ({
  at: isoTimeOrNull(at),
  duration_ms: ms,
  status: status ?? null,
  error: fault ?? null,
  answer: answer ?? '',
  next_attempt_at: isoTimeOrNull(nextAt),
});

const deliveryView = ({ id, endpoint, state, nextAt, attempts }: Delivery): AgentDeliveryView => ({
  delivery_id: id,
  webhook_url: endpoint,
  state,
  next_attempt_at: isoTimeOrNull(nextAt),
  attempts: attempts.map(({ number, ...attempt }) => ({ attempt: number, ...attemptView(attempt) })),
});

export const webhookRoutes: Route<TasksContext>[] = [list, redelivery, test];
