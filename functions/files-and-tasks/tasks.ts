/** The routes of tasks: read, input, list, cancel. */

import * as v from 'valibot';
import { isObject } from '../../shared/agents/field-schemas.ts';
import { DEFAULT_PRIORITY } from '../../shared/core/lane.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import type { ListEntry } from '../../shared/ports.ts';
import { BUDGET_LIMITS, faultOfDollars, faultOfMonthlyDollars, withBudget } from '../../shared/tasks/budget-fields.ts';
import { cancelTask } from '../../shared/tasks/cancel-task.ts';
import {
  type ChatInput,
  REASONING_EFFORTS,
  readInput,
  type TaskDetails,
  withWarnings,
} from '../../shared/tasks/details.ts';
import { getTask } from '../../shared/tasks/get-task.ts';
import { listTasks } from '../../shared/tasks/list-tasks.ts';
import { ACCEPTED_STATUSES, ON_MISSING, parseOutputSchema } from '../../shared/tasks/output-schema.ts';
import { resolveReferences } from '../../shared/tasks/references.ts';
import { roleModelsFor } from '../../shared/tasks/role-models.ts';
import { namespaceMark } from '../../shared/tasks/rows.ts';
import { submitTask } from '../../shared/tasks/submit.ts';
import { TASK_LIMITS, type Task, type VisibleState } from '../../shared/tasks/task.ts';
import { titleOf } from '../../shared/tasks/title.ts';
import { isDiscardUrl, serviceHosts } from '../../shared/webhooks/discard.ts';
import { type Query, type Route, route, traceFields } from '../http/route.ts';
import { FIRST_FAULTS, type FilesContext, pageIn, READS, required, WRITES } from './schema.ts';
import type { TaskInputView } from './task-contract.ts';
import { type PublicTaskStatus, taskView, waitView } from './task-view.ts';

/** The body of `POST /tasks`. The specification defines the order of its first errors. */
const MAX_PROMPT = 100_000;
const MAX_NAMESPACE = 128;
const MAX_FILES = 20;
const MAX_KNOWLEDGE = 20;
const [TYPE, ENDPOINT, INPUT_TYPE, PROMPT, NAMESPACE, MODEL] = FIRST_FAULTS;

/** A missing value, null or a non-object counts as an object without fields, so the error names its first field. */
const inside = <T extends v.ObjectEntries>(entries: T) =>
  v.pipe(
    v.nullish(v.unknown(), null),
    v.transform((value) => (typeof value === 'object' && value !== null ? value : {})),
    v.object(entries),
  );

const ids = (field: string, max: number) =>
  v.nullish(
    v.pipe(
      v.array(v.string(`${field} must be an array of strings`), `${field} must be an array of strings`),
      v.maxLength(max, `${field} has at most ${max} entries`),
      v.transform((fileIds) => [...new Set(fileIds)]),
    ),
    [],
  );

const atMost = (field: string, max: number) =>
  v.maxCodePoints<string, number, string>(max, `${field} has at most ${max} characters`);

const { maxTokens: MAX_TOKENS, minUsd: MIN_USD, maxUsd: MAX_USD } = BUDGET_LIMITS;
const MAX_MINUTES = TASK_LIMITS.defaultTimeoutMs / MINUTE_MS;

function upTo(field: string, { max, isWhole }: { max: number; isWhole: boolean }) {
  const min = isWhole ? 1 : MIN_USD;
  const rule = `${field} must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`;
  const fits = (value: number) => value >= min && value <= max && (!isWhole || Number.isInteger(value));
  return v.nullish(v.pipe(v.number(rule), v.check(fits, rule)));
}

const EFFORT = `input.reasoningEffort must be one of ${REASONING_EFFORTS.join(', ')}`;

const SCHEMA = 'input.outputSchema';
const ON_MISSING_RULE = `input.onMissing must be one of ${ON_MISSING.join(', ')}`;
const ACCEPT_RULE = `input.accept must name one or more of ${ACCEPTED_STATUSES.join(', ')}`;

/** The message names the first fault by its path and keyword. */
const outputSchema = v.pipe(
  v.record(v.string(), v.unknown(), `${SCHEMA} must be a JSON Schema: an object with "type": "object"`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const parsed = parseOutputSchema(dataset.value, { listOf: 'file' });
    if ('fault' in parsed) addIssue({ message: `${[SCHEMA, ...parsed.fault.path].join('.')} ${parsed.fault.message}` });
  }),
);

const taskBody = v.object({
  delivery: inside({
    type: v.pipe(v.nullish(v.unknown(), null), v.literal('webhook', TYPE)),
    config: inside({
      endpoint: required('delivery.config.endpoint', ENDPOINT),
      frequency: v.nullish(v.literal('on_finish', 'delivery.config.frequency must be "on_finish"')),
    }),
  }),
  input: inside({
    type: v.pipe(v.nullish(v.unknown(), null), v.literal('chat', INPUT_TYPE)),
    prompt: v.pipe(required('input.prompt', PROMPT), v.regex(/\S/, PROMPT), atMost('input.prompt', MAX_PROMPT)),
    model: v.optional(v.pipe(v.string(MODEL), v.minLength(1, MODEL))),
    reasoningEffort: v.optional(v.picklist(REASONING_EFFORTS, EFFORT)),
    fileIds: ids('input.fileIds', MAX_FILES),
    workflowIds: ids('input.workflowIds', MAX_KNOWLEDGE),
    rulesetIds: ids('input.rulesetIds', MAX_KNOWLEDGE),
    outputSchema: v.nullish(outputSchema),
    onMissing: v.nullish(v.picklist(ON_MISSING, ON_MISSING_RULE)),
    accept: v.nullish(
      v.pipe(v.array(v.picklist(ACCEPTED_STATUSES, ACCEPT_RULE), ACCEPT_RULE), v.minLength(1, ACCEPT_RULE)),
    ),
  }),
  namespace: v.pipe(required('namespace', NAMESPACE), atMost('namespace', MAX_NAMESPACE)),
  budget: v.nullish(
    v.pipe(
      v.unknown(),
      v.check(isObject, 'budget must be an object'),
      v.object({
        maxTokens: upTo('budget.maxTokens', { max: MAX_TOKENS, isWhole: true }),
        maxMinutes: upTo('budget.maxMinutes', { max: MAX_MINUTES, isWhole: true }),
        maxUsd: upTo('budget.maxUsd', { max: MAX_USD, isWhole: false }),
      }),
    ),
  ),
});

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const newTaskTexts = () => ({
  delivery: 'How the result is delivered; it can be polled for as well.',
  'delivery.type': 'Always `webhook`; there is only this way.',
  'delivery.config': 'Where and when the webhook is called.',
  'delivery.config.endpoint':
    'A public HTTPS URL that receives the finished task as a signed `POST`; `{base_url}/webhooks/discard` if you only poll.',
  'delivery.config.frequency': 'Always `on_finish`, which is the default: one event when the task has finished.',
  input: 'What the model works on and with.',
  'input.type': 'Always `chat`; this API has only chat tasks.',
  'input.prompt': `What the model has to do; at most ${MAX_PROMPT} characters, not only white space.`,
  'input.model': 'One of the names of `GET /models`; default: the first of them. Null is rejected.',
  'input.reasoningEffort': 'How much the model reasons before it answers; default: as the provider decides.',
  'input.fileIds': `Ids of stored files that the model may read; at most ${MAX_FILES}, default none.`,
  'input.workflowIds': `Ids of workflows whose steps run one after the other; at most ${MAX_KNOWLEDGE}, default none.`,
  'input.rulesetIds': `Ids of rulesets that every answer has to follow; at most ${MAX_KNOWLEDGE}, default none.`,
  'input.outputSchema':
    'JSON Schema (a documented subset) of the record to fill from all files, or of an array with a record of each; without files, from the prompt.',
  'input.onMissing':
    '`fail` ends the task as a failure, with its partial record, if a wanted field has no value; default: `null`.',
  'input.accept':
    'The statuses of fields that are good enough; a field with another one becomes null. Default: all but `unverified`.',
  namespace: `A name of your choice that groups tasks, so that lists can be filtered by it; 1 to ${MAX_NAMESPACE} characters.`,
  budget:
    'What the task may cost; above it the task fails with `BUDGET_EXCEEDED`, or with `TASK_TIMEOUT` after its minutes.',
  'budget.maxTokens': `Tokens of input and answers together, 1 to ${MAX_TOKENS}; default: the limit of the organization, if it has one.`,
  'budget.maxMinutes': `How long the task may be worked on, 1 to ${MAX_MINUTES} minutes, which is the default.`,
  'budget.maxUsd': `US dollars, ${MIN_USD} to ${MAX_USD}; needs a model whose price is known; default: no limit of its own.`,
});

type TaskBody = v.InferOutput<typeof taskBody>;

/** `POST /tasks` accepts a task; the work follows after the response. */
const SUBMITS: Limit = { name: 'tasks', minute: 60 };

const addTask = route<FilesContext, 'member', TaskBody>({
  method: 'POST',
  path: '/api/v1/tasks',
  about: 'Submits a chat task. Poll for its result, or receive it by webhook.',
  caller: 'member',
  limit: SUBMITS,
  body: taskBody,
  replies: { 201: 'The task is accepted and will run.' },
  async run({ caller: { organization }, body, warnings, id, hosts, incoming }, context) {
    const { delivery, input, namespace, budget } = body;
    const { endpoint } = delivery.config;
    const { prompt, fileIds, workflowIds, rulesetIds } = input;
    const discards = isDiscardUrl(endpoint, { hosts, ...context });
    const fault = discards ? undefined : context.faultOfEndpoint(endpoint, serviceHosts({ hosts, ...context }));
    if (fault !== undefined) throw new Problem('invalid', `delivery.config.endpoint ${fault}`);
    const { model, storedOrganization } = await modelFor(context, organization, input.model);
    const dollarsFault = faultOfDollars(budget?.maxUsd, [model], context.hasPrice);
    if (dollarsFault !== undefined) throw new Problem('invalid', `budget.maxUsd ${dollarsFault}`);
    const references = await resolveReferences(context, organization, { fileIds, workflowIds, rulesetIds });
    await context.admit({ organization, priority: DEFAULT_PRIORITY });
    const { reasoningEffort } = input;
    const chat: ChatInput = {
      prompt,
      fileIds,
      ...(workflowIds.length > 0 ? { workflowIds } : {}),
      ...references,
      model,
      ...definedFields({ reasoningEffort }),
      ...roleModelsFor(storedOrganization, { model, maxUsd: budget?.maxUsd, hasPrice: context.hasPrice }),
      ...recordIn(input),
    };
    await submitTask(
      context,
      { organization, taskId: id },
      {
        face: 'files-and-tasks',
        type: namespaceMark(namespace),
        priority: DEFAULT_PRIORITY,
        ...(budget?.maxMinutes ? { timeoutMs: budget.maxMinutes * MINUTE_MS } : {}),
        about: {
          namespace,
          endpoint,
          ...(discards ? { discards } : {}),
          input: chat,
          ...withWarnings([...warnings, ...optionWarnings(input)]),
          ...traceFields(incoming),
          ...withBudget(budget ?? {}),
        },
      },
    );
    return { status: 201, body: { taskId: id } };
  },
});

type RecordFields = Pick<TaskBody['input'], 'outputSchema' | 'onMissing' | 'accept'>;

const recordIn = ({ outputSchema, onMissing, accept }: RecordFields) =>
  outputSchema
    ? { outputSchema, ...definedFields({ onMissing: onMissing ?? undefined, accept: accept ?? undefined }) }
    : {};

const optionWarnings = ({ outputSchema, onMissing, accept }: RecordFields): string[] =>
  Object.entries({ onMissing, accept }).flatMap(([name, value]) =>
    value == null || outputSchema ? [] : [`input.${name} has no effect without ${SCHEMA}.`],
  );

async function modelFor(
  { organizationOf, hasPrice }: FilesContext,
  organization: string,
  requested: string | undefined,
) {
  const storedOrganization = await organizationOf(organization);
  const model = requested ?? storedOrganization?.models[0];
  if (!storedOrganization || model === undefined || !storedOrganization.models.includes(model))
    throw new Problem('invalid', 'input.model is not available');
  const fault = faultOfMonthlyDollars(storedOrganization, [model], hasPrice);
  if (fault !== undefined) throw new Problem('invalid', `input.model ${fault}`);
  return { model, storedOrganization };
}

const API = 'files-and-tasks';
const POLL_AGAIN_SECONDS = 2;

const get = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId',
  about: 'Returns a task: its status, and its output or error once it has finished.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The task in its current state.' },
  async run({ caller: { organization }, params: { taskId = '' }, query }, context) {
    const withWait = includes(query, 'waiting');
    const task = await getTask(context, { organization, taskId }, API);
    const body = await taskView(task, context);
    if ('completedAt' in body) return { status: 200, body };
    const headers = { 'retry-after': String(POLL_AGAIN_SECONDS) };
    return { status: 200, body: { ...body, ...(withWait ? waitView(task) : {}) }, headers };
  },
});

const input = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/input',
  about: 'Returns what a task was submitted with.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The prompt, the files, the steps of its workflows, the rulesets, the model and the endpoint.' },
  async run({ caller: { organization }, params: { taskId = '' } }, context) {
    const { task, about, input } = await readInput<ChatInput>(context, { organization, taskId }, API);
    const {
      prompt,
      model,
      reasoningEffort,
      fileIds,
      workflowIds = [],
      steps,
      rulesets,
      outputSchema,
      onMissing,
      accept,
    } = input;
    const body: TaskInputView = {
      taskId,
      namespace: about.namespace ?? null,
      input: {
        prompt,
        model,
        ...definedFields({ reasoningEffort }),
        fileIds,
        workflowIds,
        steps: steps.map(({ name, instruction }) => ({ name, instruction })),
        rulesetIds: rulesets.map(({ id }) => id),
        ...definedFields({ outputSchema, onMissing, accept }),
      },
      endpoint: about.endpoint ?? null,
      ...budgetView(task, about),
    };
    return { status: 200, body };
  },
});

/** The time limit is a part of the budget here, and one of every task in the state. */
function budgetView({ timeoutMs }: Task, { budget }: TaskDetails) {
  const maxMinutes = timeoutMs === TASK_LIMITS.defaultTimeoutMs ? undefined : timeoutMs / MINUTE_MS;
  const budgetFields = { ...budget, ...definedFields({ maxMinutes }) };
  return Object.keys(budgetFields).length > 0 ? { budget: budgetFields } : {};
}

const list = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/tasks',
  about: 'Lists the tasks, the newest first. Filter by namespace and status.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'One page of the tasks that match.' },
  async run({ caller: { organization }, query }, context) {
    const filter = { organization, api: API, ...filterIn(query), ...pageIn(query) } as const;
    const withTitle = includes(query, 'title');
    const { rows, next = null } = await listTasks(context, filter);
    const views = rows.map(async (row) => ({
      ...(await taskView(row, context, 'brief')),
      ...(withTitle ? { title: titleOf(row.about ?? {}) } : {}),
    }));
    return { status: 200, body: { tasks: await Promise.all(views), nextCursor: next } };
  },
});

const STATES: Record<PublicTaskStatus, readonly VisibleState[]> = {
  waiting: ['queued'],
  active: ['running', 'cancelling'],
  success: ['succeeded'],
  failure: ['failed', 'cancelled'],
};

function filterIn(query: Query) {
  const [status, namespace] = [query.get('status')?.toLowerCase() ?? null, query.get('namespace')];
  if (status !== null && !Object.hasOwn(STATES, status)) {
    throw new Problem('invalid', `status must be one of ${Object.keys(STATES).join(', ')}`);
  }
  if (namespace === '') throw new Problem('invalid', 'namespace must not be empty');
  const states = status === null ? undefined : new Set<string>(STATES[status as PublicTaskStatus]);
  const type = namespace === null ? undefined : namespaceMark(namespace);
  return { states, fits: (listed: ListEntry) => type === undefined || listed.type === type };
}

/** What the specification does not have is added only where it is asked for. */
function includes(query: Query, name: 'title' | 'waiting'): boolean {
  const include = query.get('include');
  if (include !== null && include !== name) throw new Problem('invalid', `include must be ${name}`);
  return include === name;
}

const cancel = route<FilesContext, 'member'>({
  method: 'POST',
  path: '/api/v1/tasks/:taskId/cancel',
  about: 'Cancels an unfinished task. It ends as a failure with the code TASK_CANCELLED.',
  caller: 'member',
  limit: WRITES,
  replies: { 200: 'The task in its current state; a finished one stays unchanged.' },
  async run({ caller: { organization }, params: { taskId = '' } }, context) {
    const address = { organization, taskId };
    await cancelTask(context, address, { api: API, force: true });
    return { status: 200, body: await taskView(await getTask(context, address, API), context) };
  },
  // A cancelled task does not change any more; only the URL of its archive is signed again.
  replay: {
    toStored: (body) => ({ taskId: (body as { taskId: string }).taskId }),
    renew: async (stored, { organization }, context) => {
      const { taskId } = stored as { taskId: string };
      return taskView(await getTask(context, { organization, taskId }, API), context);
    },
  },
});

export const taskRoutes: Route<FilesContext>[] = [addTask, get, input, list, cancel];
