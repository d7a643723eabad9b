/** `POST /tasks`: takes a task in, to be worked on behind the answer. */
import { Problem } from '../../shared/core/problem.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import { type ChatInput, withWarnings } from '../../shared/tasks/details.ts';
import { USUAL_PRIORITY } from '../../shared/tasks/lane.ts';
import { namespaceMark } from '../../shared/tasks/rows.ts';
import { resolveReferences, submitTask } from '../../shared/tasks/submit.ts';
import { route } from '../http/route.ts';
import { tracedBy } from '../http/traced-by.ts';
import type { FilesContext } from './face.ts';
import { type TaskBody, taskBody } from './task-schema.ts';

const SUBMITS: Limit = { name: 'tasks', minute: 60 };

export const addTask = route<FilesContext, 'member', TaskBody>({
  method: 'POST',
  path: '/api/v1/tasks',
  about: 'Takes a task in. Its result is polled for, and sent to the webhook.',
  caller: 'member',
  limit: SUBMITS,
  body: taskBody,
  replies: { 201: 'The task is accepted.' },
  async run({ caller: { organization }, body, warnings, id, hosts, incoming }, context) {
    const { delivery, input, namespace } = body;
    const { endpoint } = delivery.config;
    const { prompt, fileIds, workflowIds, rulesetIds } = input;
    const fault = context.faultOfEndpoint(endpoint, hosts);
    if (fault !== undefined) throw new Problem('invalid', `delivery.config.endpoint ${fault}`);
    const model = await modelFor(context, organization, input.model);
    const named = await resolveReferences(context, organization, { fileIds, workflowIds, rulesetIds });
    await context.admit({ organization, priority: USUAL_PRIORITY });
    const chat: ChatInput = { prompt, fileIds, ...named, model };
    await submitTask(
      context,
      { organization, taskId: id },
      {
        face: 'files-and-tasks',
        type: namespaceMark(namespace),
        priority: USUAL_PRIORITY,
        about: { namespace, endpoint, input: chat, ...withWarnings(warnings), ...tracedBy(incoming) },
      },
    );
    return { status: 201, body: { taskId: id } };
  },
});

async function modelFor({ organizationOf }: FilesContext, organization: string, asked: string | undefined) {
  const models = (await organizationOf(organization))?.models ?? [];
  const model = asked ?? models[0];
  if (model === undefined || !models.includes(model)) throw new Problem('invalid', 'input.model is not available');
  return model;
}
