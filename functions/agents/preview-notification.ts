/** `POST /notifications/preview`: the e-mail of a notification as the result of a task, before anybody gets it. */
import { validSources } from '../../shared/agents/agent-input.ts';
import { route } from '../http/route.ts';
import { acceptSubmission, previewSubmission, type Submission, webhookFault } from './add-task.ts';
import { AGENT_LIMITS, type TasksContext } from './context.ts';

/** A task, as only workers load the model library, and a model may write for longer than the gateway waits. */
export const previewNotification = route<TasksContext, 'member', Submission>({
  method: 'POST',
  path: '/api/v1/notifications/preview',
  about: 'Composes the e-mail of a notification and sends it to nobody: the results of the task show it.',
  caller: 'member',
  limit: AGENT_LIMITS.submits,
  body: (context, { hosts, organization }) =>
    previewSubmission(webhookFault(context, hosts), validSources(organization)),
  replies: { 202: 'The task is accepted, and runs once and at once.' },
  run: (request, context) => acceptSubmission(request, context, { isPreview: true }),
});
