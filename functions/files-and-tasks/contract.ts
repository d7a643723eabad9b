/** The response schemas of this API and the additions to its OpenAPI document. Not part of any bundle. */
import * as v from 'valibot';
import type { StorageUsed } from '../../shared/files/list-files.ts';
import type { PostFault } from '../../shared/ports.ts';
import { REASONING_EFFORTS } from '../../shared/tasks/details.ts';
import { ACCEPTED_STATUSES, ON_MISSING } from '../../shared/tasks/output-schema.ts';
import type { StepOutput } from '../../shared/tasks/results.ts';
import type { FailureCode } from '../../shared/tasks/task.ts';
import type { Day } from '../../shared/usage/daily-usage.ts';
import type { DeliveryState } from '../../shared/webhooks/deliveries.ts';
import { recordEntries } from '../agents/record-contract.ts';
import {
  amount,
  count,
  document,
  type FieldTexts,
  field,
  health,
  type Operations,
  oneOfAll,
  type Parameter,
  SERVICE,
  time,
  timeOrNull,
} from '../http/contract.ts';
import {
  file,
  fileInList,
  filePage,
  fileReading,
  fileRef,
  fileText,
  id,
  nextCursor,
  textQuery,
  uploadOffer,
} from './file-contract.ts';
import { newFileTexts, uploadTexts } from './files.ts';
import { DEFAULT_PAGE, MAX_PAGE } from './schema.ts';
import type { attemptView, deliveryView } from './task-view.ts';
import { newTaskTexts } from './tasks.ts';
import { webhookTestTexts } from './webhooks.ts';

const taskId = field(id, 'The id of the task, as `POST /tasks` returned it.');
const createdAt = (what: string) => field(time, `When the ${what} was created, in UTC.`);

const entry = (what: string, effect: string) => ({
  name: field(v.string(), `How the operator named the ${what}; tasks refer to it by id.`),
  version: field(
    count,
    `Starts at 1 and rises with each change; a task keeps the version it was submitted with${effect}.`,
  ),
  createdAt: createdAt(what),
  updatedAt: field(time, `When the operator changed the ${what} last, in UTC.`),
});
const workflow = v.object({
  workflowId: field(id, 'The id that tasks name in `input.workflowIds`.'),
  ...entry('workflow', ''),
  steps: field(v.array(v.string()), 'The names of its steps, in the order in which they run.'),
});
const ruleset = v.object({
  rulesetId: field(id, 'The id that tasks name in `input.rulesetIds`.'),
  ...entry('ruleset', ''),
  characters: field(count, 'The length of its rules in characters, as the model gets them.'),
});
const workflowPage = v.object({
  workflows: field(v.array(workflow), 'The workflows of the organization, the oldest first.'),
  nextCursor,
});
const rulesetPage = v.object({
  rulesets: field(v.array(ruleset), 'The rulesets of the organization, the oldest first.'),
  nextCursor,
});
const taskRef = v.object({ taskId: field(id, 'The id of the accepted task; use it to poll for the result.') });
const head = { taskId, namespace: field(v.string(), 'The group that the task was submitted in.') };
const archive = field(
  v.object({
    presignedUrl: field(
      v.pipe(v.string(), v.url()),
      'A signed URL to download the ZIP from, without a key; signed again for each answer.',
    ),
    expiresAt: field(time, 'Until when `presignedUrl` works, in UTC; read the task again for another URL.'),
    sizeBytes: field(count, 'The length of the ZIP in bytes.'),
  }),
  'A ZIP of the files that the model wrote, the results of several steps, and the record of `input.outputSchema`; absent if there are none.',
);
const steps = v.exactOptional(
  field(
    v.array(
      v.object({
        number: field(count, 'The number of the step, from 1; steps count over all workflows of the task.'),
        name: field(v.string(), 'How the workflow calls the step.'),
        text: field(v.string(), 'What the step came to, as Markdown.'),
        truncated: v.exactOptional(
          field(v.literal(true), 'Set if the text was cut in this answer; its file in the archive has all of it.'),
        ),
      }) satisfies v.GenericSchema<unknown, StepOutput>,
    ),
    'With two steps or more: the result of each step that was done, in order; absent in lists of tasks.',
  ),
);
const anyObject = v.record(v.string(), v.unknown());
const oneOrMore = v.union([anyObject, v.array(anyObject)]);
/** The output of a task with a schema. */
const recordOutput = {
  data: v.exactOptional(
    field(oneOrMore, 'The record of all files, or an array with one of each, valid in `schema`; with a schema only.'),
  ),
  schema: v.exactOptional(field(anyObject, 'The schema of `data`: `input.outputSchema`, but every field may be null.')),
  complete: v.exactOptional(
    field(
      v.boolean(),
      'With a schema: whether every wanted field has a value. Without one: false if no language model was configured.',
    ),
  ),
  missing: v.exactOptional(recordEntries.missing),
  fields: v.exactOptional(recordEntries.fields),
  documents: v.exactOptional(
    field(
      v.array(
        v.object({
          document: field(count, 'Its number in `basis`: from 1, in the order of `input.fileIds`.'),
          fileId: field(v.nullable(id), 'The id of the file; null for the prompt of a task without files.'),
          name: field(v.string(), 'The name of the file, or `prompt`.'),
        }),
      ),
      'What the record was read from.',
    ),
  ),
  truncated: v.exactOptional(
    field(v.literal(true), 'Set if long lists were cut in this answer; `data.json` in the archive has all.'),
  ),
};
export const failureCode = oneOfAll<FailureCode>({
  PROCESSING_FAILED: true,
  FILE_UNAVAILABLE: true,
  TASK_TIMEOUT: true,
  TASK_CANCELLED: true,
  MODEL_UNAVAILABLE: true,
  BUDGET_EXCEEDED: true,
});
const tokenUsage = field(
  v.object({
    model: field(v.string(), 'The name of the model that the task used, as in `GET /models`.'),
    inputTokens: field(count, 'Tokens sent to the model, over all calls and attempts of the task.'),
    outputTokens: field(count, 'Tokens generated by the model, over all calls and attempts of the task.'),
    cachedInputTokens: field(
      count,
      'The part of `inputTokens` that the provider read from its cache; 0 if it does not report that.',
    ),
    reasoningTokens: field(
      count,
      'The part of `outputTokens` spent on reasoning; 0 if the provider does not report it.',
    ),
    estimated: field(
      v.boolean(),
      'True if a part of the tokens is our estimate (one token for four bytes), because the provider reported none.',
    ),
    costUsd: field(
      v.nullable(amount),
      'What the tokens cost at the list price of the model, in US dollars; null where no price is known.',
    ),
  }),
  'Tokens of all model calls of the task; absent if it called no model.',
);
const status = {
  open: '`waiting`: no worker has started it yet. `active`: it runs, or waits for its next attempt.',
  success: 'Always `success`: the task has finished and `output` holds its answer.',
  failure: 'Always `failure`: the task has finished without an answer; `error` says why.',
};
const completedAt = field(time, 'When the task reached its final state, in UTC.');
const warnings = v.exactOptional(
  field(
    v.array(v.string()),
    'Parts of the request that had no effect, a second model that answered, and scripts that a saved PDF cannot show, one text each; absent if there are none.',
  ),
);
const taskOpen = v.object({
  ...head,
  status: field(v.picklist(['waiting', 'active']), status.open),
  createdAt: field(time, 'When the task was accepted, in UTC.'),
  waitingFor: v.exactOptional(
    field(
      v.string(),
      'Only with `include=waiting`, while its model is busy or away: the model, its last answer and the time of the next try.',
    ),
  ),
});
const taskSucceeded = v.object({
  ...head,
  status: field(v.literal('success'), status.success),
  createdAt: taskOpen.entries.createdAt,
  completedAt,
  output: field(
    v.object({
      text: field(
        v.string(),
        'The answer of the model, that of the last step with workflows, or the record as a table, as Markdown.',
      ),
      steps,
      ...recordOutput,
      archive: v.exactOptional(archive),
    }),
    'What the task produced: a text, the record if it has a schema, and the files that were written.',
  ),
  promptVersion: v.exactOptional(
    field(v.string(), 'The version of the instructions that the language model got; absent if none was asked.'),
  ),
  warnings,
  usage: v.exactOptional(tokenUsage),
});
const taskFailed = v.object({
  ...head,
  status: field(v.literal('failure'), status.failure),
  createdAt: taskOpen.entries.createdAt,
  completedAt,
  error: field(
    v.object({
      message: field(v.string(), 'What went wrong and what to do, for a person to read.'),
      code: field(failureCode, 'The kind of failure, for a program; `TASK_CANCELLED` after a cancel.'),
    }),
    'Why the task has no output.',
  ),
  partial: v.exactOptional(
    field(
      v.object({
        text: v.exactOptional(
          field(v.string(), 'The last text that the model wrote, as Markdown; it is not an answer.'),
        ),
        steps,
        ...recordOutput,
        archive: v.exactOptional(archive),
      }),
      'What a chat had produced when it failed: at a limit or its budget, in a later step, or a record with gaps; absent if nothing.',
    ),
  ),
  warnings,
  usage: v.exactOptional(tokenUsage),
});
const task = v.union([taskOpen, taskSucceeded, taskFailed]);
const taskEnded = v.union([taskSucceeded, taskFailed]);
const title = v.exactOptional(
  field(v.nullable(v.string()), 'The beginning of the prompt; only with `include=title`, null if the prompt is gone.'),
);
const taskInList = v.union([
  v.object({ ...taskOpen.entries, title }),
  v.object({ ...taskSucceeded.entries, title }),
  v.object({ ...taskFailed.entries, title }),
]);
const taskPage = v.object({
  tasks: field(
    v.array(taskInList),
    'The newest first; with a filter a page may hold fewer than `limit` although more follow.',
  ),
  nextCursor,
});

export const postFault = oneOfAll<PostFault>({
  blocked_target: true,
  unresolved: true,
  unreachable: true,
  tls: true,
  timeout: true,
  broken: true,
});
export const deliveryState = oneOfAll<DeliveryState>({
  pending: true,
  sending: true,
  delivered: true,
  exhausted: true,
});
/** The same texts for both APIs, which spell the names differently. */
export const DELIVERY = {
  id: 'The id of the event, which every attempt sends as `webhook-id`; deduplicate by it.',
  url: 'The URL that the event is posted to.',
  state: '`pending`: an attempt is due. `sending`: one runs. `delivered`: a 2xx came. `exhausted`: given up.',
  nextAttemptAt: 'When the next attempt is due, in UTC; null if none is. An open circuit breaker may send earlier.',
  attempts: 'The attempts that were recorded, the oldest first; empty before the first one.',
  attempt: 'Counts from 1; a gap is an attempt that was not recorded.',
  at: 'When the attempt was sent, in UTC; null if that is not known.',
  durationMs: 'How long the attempt took, in milliseconds.',
  status: 'The HTTP status that the receiver returned; null without a response.',
  error: 'Why there was no response; null if the receiver responded with any status.',
  answer: 'The first KB of the response body, as text; empty without a response.',
  planned: 'The next attempt as planned when this one ended; the value of the delivery is the current one.',
  list: 'The events of the task, or of the newest 20 runs of a recurring one; empty before it has finished.',
} as const;
const attempt = v.object({
  at: field(timeOrNull, DELIVERY.at),
  durationMs: field(count, DELIVERY.durationMs),
  status: field(v.nullable(count), DELIVERY.status),
  error: field(v.nullable(postFault), DELIVERY.error),
  answer: field(v.string(), DELIVERY.answer),
  nextAttemptAt: field(timeOrNull, DELIVERY.planned),
}) satisfies v.GenericSchema<unknown, ReturnType<typeof attemptView>>;
const delivery = v.object({
  deliveryId: field(v.string(), DELIVERY.id),
  endpoint: field(v.string(), DELIVERY.url),
  state: field(deliveryState, DELIVERY.state),
  nextAttemptAt: field(timeOrNull, DELIVERY.nextAttemptAt),
  attempts: field(
    v.array(v.object({ attempt: field(count, DELIVERY.attempt), ...attempt.entries })),
    DELIVERY.attempts,
  ),
}) satisfies v.GenericSchema<unknown, ReturnType<typeof deliveryView>>;
const deliveries = v.object({ deliveries: field(v.array(delivery), DELIVERY.list) });
const taskInput = v.object({
  taskId: field(v.string(), 'The id of the task that this input belongs to.'),
  namespace: field(v.nullable(v.string()), 'The group that the task was submitted in.'),
  input: field(
    v.object({
      prompt: field(v.string(), 'The prompt as it was submitted.'),
      model: field(v.string(), 'The model that was named, or the default at that time.'),
      fileIds: field(v.array(v.string()), 'The ids of the attached files; a file may have been deleted since.'),
      workflowIds: field(v.array(v.string()), 'The ids of the workflows that the steps come from.'),
      steps: field(
        v.array(
          v.object({
            name: field(v.string(), 'How the workflow calls the step.'),
            instruction: field(v.string(), 'What the step asks the model to do.'),
          }),
        ),
        'The steps of the named workflows in order, as they were at the submit.',
      ),
      reasoningEffort: v.exactOptional(
        field(v.picklist(REASONING_EFFORTS), 'How much the model reasons before it answers; absent if not given.'),
      ),
      rulesetIds: field(v.array(v.string()), 'The ids of the rulesets that the model has to follow.'),
      outputSchema: v.exactOptional(field(anyObject, 'The schema as submitted; absent if not given.')),
      onMissing: v.exactOptional(field(v.picklist(ON_MISSING), 'What a gap does; absent if not given.')),
      accept: v.exactOptional(
        field(v.array(v.picklist(ACCEPTED_STATUSES)), 'Good enough statuses; absent if not given.'),
      ),
    }),
    'What the task works on, with the defaults filled in.',
  ),
  endpoint: field(v.nullable(v.string()), 'The webhook URL that the result is posted to.'),
  budget: v.exactOptional(
    field(
      v.object({
        maxTokens: v.exactOptional(field(count, 'Tokens of input and answers together; absent if not given.')),
        maxMinutes: v.exactOptional(field(count, 'How many minutes the task may be worked on; absent if not given.')),
        maxUsd: v.exactOptional(field(v.number(), 'US dollars that its model calls may cost; absent if not given.')),
      }),
      'The limits as submitted; absent if none was given.',
    ),
  ),
});
const models = v.object({
  models: field(v.array(v.string()), 'The names that a task may give as `input.model`.'),
  default: field(v.string(), 'The model of a task that names none: the first of `models`.'),
});
/** The same texts for both APIs. */
export const USAGE_DAY = {
  days: 'One entry for each of the last 30 days in UTC, days without work included.',
  date: 'The day in UTC, as YYYY-MM-DD.',
  tasks: 'Tasks of this API that were submitted on that day, among the newest 10,000.',
  input: 'Tokens sent to models on that day, over both APIs and all attempts.',
  output: 'Tokens generated by models on that day, over both APIs and all attempts.',
  cached: 'The part of the input that providers read from their caches, where they report it.',
  reasoning: 'The part of the output spent on reasoning, where providers report it.',
  estimatedInput:
    'The part of the input that is our estimate, as the provider reported nothing: one token for four bytes.',
  estimatedOutput: 'The part of the output that is our estimate, as the provider reported nothing; a lower bound.',
  cost: 'What the tokens cost at the list prices of the models, in US dollars; null where a price is not known.',
} as const;
const usage = v.object({
  days: field(
    v.array(
      v.object({
        date: field(v.pipe(v.string(), v.isoDate()), USAGE_DAY.date),
        tasks: field(count, USAGE_DAY.tasks),
        inputTokens: field(count, USAGE_DAY.input),
        outputTokens: field(count, USAGE_DAY.output),
        cachedInputTokens: field(count, USAGE_DAY.cached),
        reasoningTokens: field(count, USAGE_DAY.reasoning),
        estimatedInputTokens: field(count, USAGE_DAY.estimatedInput),
        estimatedOutputTokens: field(count, USAGE_DAY.estimatedOutput),
        costUsd: field(v.nullable(amount), USAGE_DAY.cost),
      }) satisfies v.GenericSchema<unknown, Day & { tasks: number }>,
    ),
    USAGE_DAY.days,
  ),
  storage: field(
    v.object({
      files: field(count, 'How many files are stored now; counted up to 10,000.'),
      bytes: field(count, 'The sum of their sizes, without results and archives of tasks.'),
      capped: field(v.boolean(), 'True if there are more files than are counted.'),
    }) satisfies v.GenericSchema<unknown, StorageUsed>,
    'What the organization stores at the moment.',
  ),
});
const error = v.object({ error: field(v.string(), 'What is wrong and what to do; the HTTP status is its type.') });

/** The schemas by their names in the documents. */
export const schemas = {
  Health: health,
  Document: document,
  FileReference: fileRef,
  UploadOffer: uploadOffer,
  FileInList: fileInList,
  File: file,
  FilePage: filePage,
  FileText: fileText,
  FileReading: fileReading,
  TaskReference: taskRef,
  Archive: archive,
  OpenTask: taskOpen,
  SucceededTask: taskSucceeded,
  FailedTask: taskFailed,
  Task: task,
  EndedTask: taskEnded,
  TaskInList: taskInList,
  TaskPage: taskPage,
  Workflow: workflow,
  WorkflowPage: workflowPage,
  Ruleset: ruleset,
  RulesetPage: rulesetPage,
  TaskInput: taskInput,
  WebhookAttempt: attempt,
  Delivery: delivery,
  Deliveries: deliveries,
  Models: models,
  TokenUsage: tokenUsage,
  Usage: usage,
  Error: error,
};

const page: Record<'limit' | 'cursor', Parameter> = {
  limit: {
    description: 'How many entries a page holds at most.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE },
  },
  cursor: {
    description: 'The `nextCursor` of the previous page; omit it to start from the first page.',
    schema: { type: 'string', minLength: 1 },
  },
};

const included: Record<'include', Parameter> = {
  include: {
    description: '`waiting` adds `waitingFor` to a task whose model is busy or away.',
    schema: { type: 'string', enum: ['waiting'] },
  },
};

const narrowed: Record<'namespace' | 'status' | 'include', Parameter> = {
  include: {
    description: '`title` adds to each task the beginning of its prompt.',
    schema: { type: 'string', enum: ['title'] },
  },
  namespace: {
    description: 'Lists only the tasks that were submitted with this namespace.',
    schema: { type: 'string', minLength: 1 },
  },
  status: {
    description: 'Lists only the tasks that are in this state now.',
    schema: { type: 'string', enum: ['waiting', 'active', 'success', 'failure'] },
  },
};

/** Descriptions of the fields of request bodies; they are not part of any bundle. */
export const bodyTexts: Record<string, FieldTexts> = {
  NewFile: newFileTexts(),
  Upload: uploadTexts(),
  NewTask: newTaskTexts(),
  WebhookTest: webhookTestTexts(),
};

export const operations: Operations = {
  ...SERVICE,
  'POST /api/v1/files': {
    id: 'addFile',
    tag: 'Files',
    body: 'NewFile',
    bodyNote:
      'Either `url`, a public HTTPS URL to fetch the file from (201), or `fileName`, for a signed upload (200).',
    answers: { 200: uploadOffer, 201: fileRef },
    problems: ['noStorage'],
  },
  'POST /api/v1/files/:fileId/complete': {
    id: 'completeFile',
    tag: 'Files',
    body: 'Upload',
    answers: { 201: fileRef },
  },
  'GET /api/v1/files/:fileId': { id: 'getFile', tag: 'Files', answers: { 200: file } },
  'GET /api/v1/files/:fileId/text': {
    id: 'getFileText',
    tag: 'Files',
    query: textQuery,
    answers: { 200: fileText, 202: fileReading, 422: error },
    problems: ['tooLarge'],
    isMarkdown: true,
  },
  'GET /api/v1/files': { id: 'listFiles', tag: 'Files', query: page, answers: { 200: filePage } },
  'DELETE /api/v1/files/:fileId': { id: 'deleteFile', tag: 'Files', answers: { 204: null } },
  'POST /api/v1/tasks': {
    id: 'createTask',
    tag: 'Tasks',
    body: 'NewTask',
    answers: { 201: taskRef },
    problems: ['atCapacity'],
  },
  'GET /api/v1/tasks/:taskId': {
    id: 'getTask',
    tag: 'Tasks',
    query: included,
    answers: { 200: task },
    isPolled: true,
  },
  'GET /api/v1/tasks/:taskId/input': { id: 'getTaskInput', tag: 'Tasks', answers: { 200: taskInput } },
  'GET /api/v1/tasks': { id: 'listTasks', tag: 'Tasks', query: { ...narrowed, ...page }, answers: { 200: taskPage } },
  'POST /api/v1/tasks/:taskId/cancel': { id: 'cancelTask', tag: 'Tasks', answers: { 200: task } },
  'GET /api/v1/tasks/:taskId/deliveries': { id: 'listDeliveries', tag: 'Webhooks', answers: { 200: deliveries } },
  'POST /api/v1/tasks/:taskId/deliveries/:deliveryId/redeliver': {
    id: 'redeliver',
    tag: 'Webhooks',
    answers: { 202: delivery },
  },
  'POST /api/v1/webhooks/test': {
    id: 'testWebhook',
    tag: 'Webhooks',
    body: 'WebhookTest',
    answers: { 200: attempt },
  },
  'GET /api/v1/workflows': { id: 'listWorkflows', tag: 'Tasks', query: page, answers: { 200: workflowPage } },
  'GET /api/v1/rulesets': { id: 'listRulesets', tag: 'Tasks', query: page, answers: { 200: rulesetPage } },
  'GET /api/v1/models': { id: 'listModels', tag: 'Models', answers: { 200: models } },
  'GET /api/v1/usage': { id: 'getUsage', tag: 'Usage', answers: { 200: usage } },
};
