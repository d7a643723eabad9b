/** `POST /tasks`: takes a task of a background agent in. */
import { type AgentInput, optionWarnings, STAGES, type TaskType } from '../../shared/agents/agent-input.ts';
import { AGENTS_FACE } from '../../shared/agents/agent-task.ts';
import { submitAgentTask } from '../../shared/agents/cancel-agent-task.ts';
import type { NotificationInput } from '../../shared/agents/notification-input.ts';
import { bounded, Problem } from '../../shared/core/problem.ts';
import { validSources } from '../../shared/sources/source.ts';
import { withWarnings } from '../../shared/tasks/details.ts';
import { submitTask } from '../../shared/tasks/submit.ts';
import { route } from '../http/route.ts';
import { tracedBy } from '../http/traced-by.ts';
import type { TasksContext } from './context.ts';
import { SUBMITS } from './limits.ts';
import { type Submission, submission } from './task-schema.ts';
import { acceptedView } from './task-view.ts';

const MINUTE_MS = 60_000;

export const addTask = route<TasksContext, 'member', Submission>({
  method: 'POST',
  path: '/api/v1/tasks',
  about: 'Takes a task of a background agent in. It is watched by its status, or by a webhook.',
  caller: 'member',
  limit: SUBMITS,
  body: ({ faultOfEndpoint }, { hosts, organization }) =>
    submission((address) => faultOfEndpoint(address, hosts), validSources(organization)),
  replies: { 202: 'The task is accepted.' },
  async run({ caller: { organization, by }, body, warnings: unknown, id, hosts, incoming }, context) {
    const { task_type: type, priority, metadata, timeout_minutes: minutes, webhook_url: endpoint } = body;
    await context.admit({ organization, priority });
    checkMail(type, context);
    const input: AgentInput = { model: await modelOf(context, organization), asked: body.input, ownHosts: hosts };
    const [stage] = STAGES[type];
    const warnings = bounded([...unknown, ...optionWarnings(type, body.input)]);
    const around = { ...withWarnings(warnings), ...(endpoint ? { endpoint } : {}), ...tracedBy(incoming) };
    const about = { by, metadata, input, ...around };
    const { value: task } = await submitTask(
      context,
      { organization, taskId: id },
      { face: AGENTS_FACE, type, priority, timeoutMs: minutes * MINUTE_MS, stage, about, ...beginOf(body, context) },
    );
    const usualMs = await context.usualDuration(organization, type);
    return { status: 202, body: acceptedView({ taskId: id, task, about }, usualMs) };
  },
});

/** Said before a task waits for what nobody can do. */
function checkMail(type: TaskType, { sendsMail }: TasksContext): void {
  if (type !== 'notification_agent' || sendsMail) return;
  throw new Problem(
    'invalid',
    'This deployment sends no mail yet: its operator verifies a sender address and deploys with -c sender=ADDRESS.',
    { details: { invalid_fields: ['task_type'] } },
  );
}

/** Notifications alone have a schedule. */
const beginOf = ({ task_type: type, input }: Submission, { clock }: TasksContext) =>
  type === 'notification_agent' ? submitAgentTask((input as NotificationInput).schedule, clock.now()) : {};

/** The organization's default: this API names no models. */
async function modelOf({ organizationOf }: TasksContext, organization: string): Promise<string> {
  const model = (await organizationOf(organization))?.models[0];
  if (model === undefined) throw new Problem('atCapacity', 'Your organization has no model; ask its operator for one.');
  return model;
}
