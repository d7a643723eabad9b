/** `POST /tasks`: the body of a submission, and its acceptance, which the preview of a notification shares. */
import * as v from 'valibot';
import type { Caller } from '../../shared/accounts/caller.ts';
import { writesText } from '../../shared/accounts/models.ts';
import { modelInRole, type Organization } from '../../shared/accounts/organizations.ts';
import {
  type AgentInput,
  type AgentRequest,
  agentRequestSchema,
  calledModels,
  modelFaults,
  optionWarnings,
  STAGES,
  TASK_TYPES,
  type TaskType,
  validSources,
} from '../../shared/agents/agent-input.ts';
import { scheduledStart } from '../../shared/agents/agent-schedule.ts';
import { type AgentTask, readAgentTask } from '../../shared/agents/agent-task.ts';
import { address, inside, isObject, maybe, oneOf, sameWord, wholeFrom } from '../../shared/agents/field-schemas.ts';
import { type NotificationInput, notificationInput } from '../../shared/agents/notification-input.ts';
import type { ProcessingInput } from '../../shared/agents/processing-input.ts';
import type { ResearchInput } from '../../shared/agents/research-input.ts';
import { DEFAULT_PRIORITY } from '../../shared/core/lane.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import { limitWarnings, quotedName } from '../../shared/core/warnings.ts';
import { findFile } from '../../shared/files/get-file.ts';
import { BUDGET_LIMITS, faultOfDollars, faultOfMonthlyDollars, withBudget } from '../../shared/tasks/budget-fields.ts';
import { withWarnings } from '../../shared/tasks/details.ts';
import { roleModelsFor } from '../../shared/tasks/role-models.ts';
import { taskIdIn } from '../../shared/tasks/rows.ts';
import { submitTask } from '../../shared/tasks/submit.ts';
import { AGENTS_API, TASK_LIMITS } from '../../shared/tasks/task.ts';
import { titleIn } from '../../shared/tasks/title.ts';
import { isDiscardUrl, serviceHosts } from '../../shared/webhooks/discard.ts';
import { type RouteRequest, route, traceFields } from '../http/route.ts';
import { AGENT_LIMITS, type TasksContext } from './context.ts';
import { invalidFields } from './problems.ts';
import { acceptedView } from './task-view.ts';

const MAX_PRIORITY = 10;
const MAX_MINUTES = 240;
const { maxTokens: MAX_TOKENS, minUsd: MIN_USD, maxUsd: MAX_USD } = BUDGET_LIMITS;
const USD_RULE = `must be a number from ${MIN_USD} to ${MAX_USD}`;
const dollars = v.pipe(v.number(USD_RULE), v.minValue(MIN_USD, USD_RULE), v.maxValue(MAX_USD, USD_RULE));
export const METADATA = { keys: 16, keyCharacters: 64, valueCharacters: 512 };

export type Submission = {
  task_type: TaskType;
  priority: number;
  input: AgentRequest[TaskType];
  webhook_url?: string | null | undefined;
  metadata: Record<string, string>;
  timeout_minutes: number;
  budget?: { max_tokens?: number | null | undefined; max_usd?: number | null | undefined } | null | undefined;
};

/** Returns undefined if the URL is accepted. */
type FaultOf = (address: string) => string | undefined;

/** Documents are judged again when they are fetched, so a caller without a policy of URLs may leave their check out. */
export const submission = (
  faultOf: FaultOf,
  sources: readonly string[],
  faultOfDocument: FaultOf = () => undefined,
): v.GenericSchema<unknown, Submission> =>
  v.lazy((raw) => {
    const { task_type: type } = (raw ?? {}) as { task_type?: unknown };
    const knownType = typeof type === 'string' ? sameWord(TASK_TYPES, type) : undefined;
    return inside(
      submissionFields(faultOf, {
        task_type: oneOf(TASK_TYPES),
        input: agentRequestSchema(knownType, { sources, faultOfDocument }),
      }),
    );
  });

const PREVIEWED = ['notification_agent'] as const;

/** The submission of a notification; its type may be absent, as there is only this. */
export const previewSubmission = (faultOf: FaultOf, sources: readonly string[]): v.GenericSchema<unknown, Submission> =>
  inside(
    submissionFields(faultOf, {
      task_type: v.nullish(oneOf(PREVIEWED), PREVIEWED[0]),
      input: notificationInput(sources),
    }),
  );

type AgentFields = { task_type: v.GenericSchema; input: v.GenericSchema };

/** Validation finds all faults at once, and errors name the fields in this order. */
const submissionFields = <T extends AgentFields>(faultOf: FaultOf, { task_type, input }: T) => ({
  task_type: task_type as T['task_type'],
  priority: v.nullish(wholeFrom(1, MAX_PRIORITY), DEFAULT_PRIORITY),
  input: input as T['input'],
  webhook_url: maybe(webhookUrl(faultOf)),
  metadata: v.nullish(metadata, {}),
  timeout_minutes: v.nullish(wholeFrom(1, MAX_MINUTES), TASK_LIMITS.defaultTimeoutMs / MINUTE_MS),
  budget: maybe(inside({ max_tokens: maybe(wholeFrom(1, MAX_TOKENS)), max_usd: maybe(dollars) })),
});

/** Descriptions for the contract; a function, so that bundles leave it out. Those of `input` are next to the schema of each agent. */
export const submissionTexts = () => ({
  task_type: 'The agent that does the work; it decides the fields of `input`.',
  priority: `From 1 to ${MAX_PRIORITY}, which is the most urgent; default ${DEFAULT_PRIORITY}. It decides in which of three lanes the task waits.`,
  input: 'What the agent has to do; unknown fields are ignored with a warning.',
  webhook_url:
    'A public HTTPS URL that receives a signed event at the end; default none, like the `/webhooks/discard` of this API.',
  metadata: `Your own strings, returned wherever the task is shown: at most ${METADATA.keys}, default none.`,
  timeout_minutes: `How long the task may run in minutes, 1 to ${MAX_MINUTES}; then it fails with \`TASK_TIMEOUT\`.`,
  budget:
    'What the calls of language models may cost; above it the task fails with `BUDGET_EXCEEDED` and keeps its partial results.',
  'budget.max_tokens': `Tokens of input and answers together, 1 to ${MAX_TOKENS}; default: the limit of the organization, if it has one.`,
  'budget.max_usd': `US dollars, ${MIN_USD} to ${MAX_USD}; needs a model whose price is known; default: no limit of its own.`,
});

export const webhookUrl = (faultOf: FaultOf) =>
  v.pipe(
    address,
    v.check(
      (text) => faultOf(text) === undefined,
      ({ input }) => faultOf(input) ?? '',
    ),
  );

export const METADATA_RULE =
  `must be an object of at most ${METADATA.keys} keys of up to ${METADATA.keyCharacters} characters, ` +
  `with strings of up to ${METADATA.valueCharacters} characters`;

/** Accepts any keys and names each invalid entry by its key. */
const metadata = v.pipe(
  v.custom<Record<string, string>>(isShortObject, METADATA_RULE),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [key, value] of Object.entries<unknown>(dataset.value)) {
      const fault = faultOfEntry(key, value);
      if (!fault) continue;
      addIssue({
        message: fault,
        path: [{ type: 'object', origin: 'value', input: dataset.value, key: quotedName(key), value }],
      });
    }
  }),
);

function isShortObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value as object).length <= METADATA.keys;
}

function faultOfEntry(key: string, value: unknown): string | undefined {
  if (!hasAtMost(METADATA.keyCharacters, key))
    return `must have a name of at most ${METADATA.keyCharacters} characters`;
  if (typeof value !== 'string') return 'must be a string';
  return hasAtMost(METADATA.valueCharacters, value)
    ? undefined
    : `must have at most ${METADATA.valueCharacters} characters`;
}

/** Counts characters; one of them may be two UTF-16 code units. */
const hasAtMost = (max: number, text: string): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);

export const addTask = route<TasksContext, 'member', Submission>({
  method: 'POST',
  path: '/api/v1/tasks',
  about: 'Submits a task to a background agent. Poll its status, or receive a webhook at its end.',
  caller: 'member',
  limit: AGENT_LIMITS.submits,
  body: (context, { hosts, organization }) =>
    submission(webhookFault(context, hosts), validSources(organization), (text) =>
      context.faultOfDocument(text, hosts),
    ),
  replies: { 202: 'The task is accepted and will run.' },
  run: (request, context) => acceptSubmission(request, context),
});

/** The service's own discard URL takes the place of a receiver. */
export const webhookFault =
  ({ faultOfEndpoint, serviceUrls }: Pick<TasksContext, 'faultOfEndpoint' | 'serviceUrls'>, hosts: string[]): FaultOf =>
  (text) =>
    isDiscardUrl(text, { hosts, serviceUrls })
      ? undefined
      : faultOfEndpoint(text, serviceHosts({ hosts, serviceUrls }));

/** Checks what needs the organization, and stores the task. A preview begins at once and needs no sender of e-mails. */
export async function acceptSubmission(
  { caller: { organization, by }, body, warnings: unknown, id, hosts, incoming }: RouteRequest<Submission, Caller>,
  context: TasksContext,
  { isPreview = false } = {},
) {
  const { task_type: type, priority, metadata, timeout_minutes: minutes, webhook_url: endpoint, budget } = body;
  await context.admit({ organization, priority });
  if (!isPreview) checkMail(type, context);
  const fileNames = await storedFileNames(context, organization, fileIdsOf(body));
  await checkPrevious(context, organization, body);
  const storedOrganization = await context.organizationOf(organization);
  const chosen = modelsOf(storedOrganization, body.input.model ?? undefined);
  const called = calledModels(type, chosen, body.input);
  const hasLanguageModel = called.some(writesText);
  const missingModel = modelFaults(type, body.input, hasLanguageModel);
  if (missingModel) throw invalidFields(missingModel);
  const modelFault = faultOfMonthlyDollars(storedOrganization ?? { limits: {} }, called, context.hasPrice);
  if (modelFault !== undefined) throw invalidFields({ 'input.model': modelFault });
  const dollarsFault = faultOfDollars(budget?.max_usd, called, context.hasPrice);
  if (dollarsFault !== undefined) throw invalidFields({ 'budget.max_usd': dollarsFault });
  const input: AgentInput = {
    ...chosen,
    ...roleModelsFor(storedOrganization, { model: chosen.model, maxUsd: budget?.max_usd, hasPrice: context.hasPrice }),
    asked: body.input,
    ...(isPreview ? { preview: true as const } : {}),
    ownHosts: hosts,
    ...(await readSnapshotSetting(context, organization, type)),
  };
  const [stage] = STAGES[type];
  const warnings = limitWarnings([...unknown, ...optionWarnings(type, body.input, hasLanguageModel)]);
  const discards = endpoint ? isDiscardUrl(endpoint, { hosts, ...context }) : false;
  const webhookFields = { ...(endpoint ? { endpoint } : {}), ...(discards ? { discards } : {}) };
  const optionalFields = { ...withWarnings(warnings), ...webhookFields, ...traceFields(incoming) };
  const about = {
    by,
    metadata,
    input,
    ...optionalFields,
    // Only now are the names at hand; lists would have to read every file.
    ...(fileNames.size > 0 ? definedFields({ title: titleIn(input, fileNames) }) : {}),
    ...withBudget({ maxTokens: budget?.max_tokens, maxUsd: budget?.max_usd }),
  };
  const { value: task } = await submitTask(
    context,
    { organization, taskId: id },
    {
      face: AGENTS_API,
      type,
      priority,
      timeoutMs: minutes * MINUTE_MS,
      stage,
      about,
      ...(isPreview ? {} : scheduleFields(body, context)),
    },
  );
  const typicalMs = await context.typicalDuration(organization, type);
  return { status: 202, body: acceptedView({ taskId: id, task, about }, typicalMs) };
}

/** The ids of the files in the input, with the paths of their fields. */
function fileIdsOf({ task_type: type, input }: Submission): [path: string, fileId: string][] {
  if (type === 'processing_agent') {
    const { documents } = input as ProcessingInput;
    return documents.flatMap(({ file_id: id }, at) => (id == null ? [] : [[`input.documents.${at}.file_id`, id]]));
  }
  if (type !== 'research_agent') return [];
  return ((input as ResearchInput).file_ids ?? []).map((id, at) => [`input.file_ids.${at}`, id]);
}

/** The names by id. Another organization's file gets the same error as one that does not exist. */
async function storedFileNames(context: TasksContext, organization: string, files: [path: string, fileId: string][]) {
  const names = new Map<string, string>();
  await Promise.all(
    files.map(async ([, fileId]) => {
      const row = await findFile(context, { organization, fileId }).catch((error) => {
        if (error instanceof Problem) return undefined;
        throw error;
      });
      if (row?.value.state === 'stored') names.set(fileId, row.value.fileName);
    }),
  );
  const paths = files.flatMap(([path, fileId]) => (names.has(fileId) ? [] : [path]));
  if (paths.length === 0) return names;
  const reasons = Object.fromEntries(paths.map((path) => [path, 'is not a stored file']));
  const lists = paths.map((path) => path.replace(/\.\d+(\.file_id)?$/, ''));
  throw invalidFields(reasons, lists);
}

/** Another organization's task gets the same error as one that does not exist. */
async function checkPrevious(context: TasksContext, organization: string, { task_type: type, input }: Submission) {
  const { previous_task_id: previous } = input as ResearchInput;
  if (type !== 'research_agent' || previous == null) return;
  const address = { organization, taskId: taskIdIn(previous) };
  const previousTask = await readAgentTask(context, address).catch((error) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
  const fault = faultOfPrevious(previousTask);
  if (fault !== undefined) throw invalidFields({ 'input.previous_task_id': fault });
}

function faultOfPrevious(agentTask: AgentTask | undefined): string | undefined {
  if (agentTask?.task.type !== 'research_agent') return 'is not a research of your organization';
  if (agentTask.task.state !== 'succeeded') return 'names a research that has not completed; name one that has';
  const { snapshots } = agentTask.result?.report ?? {};
  if (snapshots === 'off')
    return 'names a research without kept texts; ask your operator for `errand org snapshots ORG on`';
  return snapshots?.texts.length ? undefined : 'names a research that cites no source; leave it out';
}

/** Whether to keep the texts of sources. Decided at submission, so that a change holds for later tasks only. */
async function readSnapshotSetting(
  { organizationOf }: TasksContext,
  id: string,
  type: TaskType,
): Promise<Pick<AgentInput, 'snapshots'>> {
  return type === 'research_agent' && (await organizationOf(id))?.snapshots === false ? { snapshots: false } : {};
}

/** Rejects at submission a task that could never run. */
function checkMail(type: TaskType, { sendsMail }: TasksContext): void {
  if (type !== 'notification_agent' || sendsMail) return;
  throw new Problem(
    'invalid',
    'This deployment has no sender for e-mails: ask its operator to verify an address and deploy with -c sender=ADDRESS.',
    { details: { invalid_fields: ['task_type'] } },
  );
}

/** Only notifications have a schedule. */
const scheduleFields = ({ task_type: type, input }: Submission, { clock }: TasksContext) =>
  type === 'notification_agent' ? scheduledStart((input as NotificationInput).schedule, clock.now()) : {};

/** The model that the submission names, or otherwise the organization's models by role. */
function modelsOf(organization: Organization | undefined, requested: string | undefined) {
  const [model] = organization?.models ?? [];
  if (!organization || model === undefined)
    throw new Problem('atCapacity', 'Your organization has no model; ask its operator for one.');
  if (requested === undefined) {
    const cheap = modelInRole(organization, 'cheap');
    return {
      model: modelInRole(organization, 'strong') ?? model,
      ...(cheap === undefined ? {} : { cheapModel: cheap }),
    };
  }
  if (organization.models.includes(requested)) return { model: requested };
  throw new Problem('invalid', 'input.model is not one of the models of your organization.', {
    details: { invalid_fields: ['input.model'] },
  });
}
