/** The response schemas of this API and the additions to its OpenAPI document. In no bundle. */
import * as v from 'valibot';
import type { StorageUsed } from '../../shared/files/file.ts';
import type { PostFault } from '../../shared/ports.ts';
import type { FailureCode } from '../../shared/tasks/task.ts';
import type { Day } from '../../shared/usage/usage.ts';
import type { DeliveryState } from '../../shared/webhooks/delivery-log.ts';
import {
  count,
  document,
  health,
  type Operations,
  oneOfAll,
  type Parameter,
  SERVICE,
  time,
  timeOrNull,
} from '../http/contract.ts';
import { DEFAULT_PAGE, MAX_PAGE } from './schema.ts';
import type { attemptView, deliveryView } from './task-view.ts';

const id = v.pipe(v.string(), v.uuid());

const fileRef = v.object({ fileId: id });
const uploadOffer = v.object({ uploadUrl: v.pipe(v.string(), v.url()), fileId: id, storagePath: v.string() });
const fileInList = v.object({ fileId: id, fileName: v.string(), mimeType: v.string(), size: count, createdAt: time });
const file = v.object({ ...fileInList.entries, url: v.pipe(v.string(), v.url()), urlExpiresAt: time });
const nextCursor = v.nullable(v.string());
const entry = { name: v.string(), version: count, createdAt: time, updatedAt: time };
const workflow = v.object({ workflowId: id, ...entry, steps: v.array(v.string()) });
const ruleset = v.object({ rulesetId: id, ...entry, characters: count });
const workflowPage = v.object({ workflows: v.array(workflow), nextCursor });
const rulesetPage = v.object({ rulesets: v.array(ruleset), nextCursor });
const filePage = v.object({ files: v.array(fileInList), nextCursor });

const box = v.object({ x: v.number(), y: v.number(), width: v.number(), height: v.number() });
const textTable = v.object({
  place: v.string(),
  box: v.exactOptional(box),
  headerRows: count,
  header: v.array(v.string()),
  rows: v.array(v.array(v.string())),
  rowCount: count,
});
const textPage = v.object({
  number: count,
  place: v.string(),
  text: v.string(),
  blocks: v.array(
    v.object({
      kind: v.string(),
      text: v.string(),
      box: v.exactOptional(box),
      hidden: v.exactOptional(v.literal(true)),
      order: count,
    }),
  ),
  ocr: v.exactOptional(v.object({ confidence: v.number() })),
});
const sheetCell = v.object({
  text: v.string(),
  value: v.nullable(v.union([v.string(), v.number(), v.boolean()])),
  type: v.picklist(['text', 'number', 'date', 'percent', 'currency', 'boolean', 'empty']),
  currency: v.exactOptional(v.string()),
});
const sheetTable = v.object({
  place: v.string(),
  headerRows: count,
  header: v.array(v.string()),
  units: v.exactOptional(v.array(v.string())),
  rows: v.array(v.array(sheetCell)),
  rowCount: count,
  hiddenRows: v.array(count),
  hiddenColumns: v.array(count),
});
const sheetNotes = v.array(v.object({ place: v.string(), text: v.string() }));
const textSheet = v.object({
  name: v.string(),
  hidden: v.boolean(),
  tables: v.array(sheetTable),
  texts: sheetNotes,
  comments: sheetNotes,
  hiddenTexts: sheetNotes,
});
const fileText = v.object({
  fileId: id,
  kind: v.string(),
  language: v.nullable(v.string()),
  readerVersion: v.string(),
  title: v.exactOptional(v.string()),
  author: v.exactOptional(v.string()),
  date: v.exactOptional(time),
  canonicalUrl: v.exactOptional(v.string()),
  pages: v.array(textPage),
  tables: v.array(textTable),
  sheets: v.array(textSheet),
  notRead: v.array(v.object({ place: v.string(), reason: v.string() })),
});
const fileReading = v.object({ fileId: id, status: v.literal('reading') });

const taskRef = v.object({ taskId: id });
const head = { taskId: id, namespace: v.string() };
const archive = v.object({ presignedUrl: v.pipe(v.string(), v.url()), expiresAt: time, sizeBytes: count });
export const failureCode = oneOfAll<FailureCode>({
  PROCESSING_FAILED: true,
  FILE_UNAVAILABLE: true,
  TASK_TIMEOUT: true,
  TASK_CANCELLED: true,
  MODEL_UNAVAILABLE: true,
});
const tokenUsage = v.object({
  model: v.string(),
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
  reasoningTokens: count,
  estimated: v.boolean(),
});
const taskOpen = v.object({ ...head, status: v.picklist(['waiting', 'active']), createdAt: time });
const taskSucceeded = v.object({
  ...head,
  status: v.literal('success'),
  createdAt: time,
  completedAt: time,
  output: v.object({ text: v.string(), archive: v.exactOptional(archive) }),
  warnings: v.exactOptional(v.array(v.string())),
  usage: v.exactOptional(tokenUsage),
});
const taskFailed = v.object({
  ...head,
  status: v.literal('failure'),
  createdAt: time,
  completedAt: time,
  error: v.object({ message: v.string(), code: failureCode }),
  warnings: v.exactOptional(v.array(v.string())),
  usage: v.exactOptional(tokenUsage),
});
const task = v.union([taskOpen, taskSucceeded, taskFailed]);
const taskEnded = v.union([taskSucceeded, taskFailed]);
const title = v.exactOptional(v.nullable(v.string()));
const taskInList = v.union([
  v.object({ ...taskOpen.entries, title }),
  v.object({ ...taskSucceeded.entries, title }),
  v.object({ ...taskFailed.entries, title }),
]);
const taskPage = v.object({ tasks: v.array(taskInList), nextCursor });

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
const attempt = v.object({
  at: timeOrNull,
  durationMs: count,
  status: v.nullable(count),
  error: v.nullable(postFault),
  answer: v.string(),
  nextAttemptAt: timeOrNull,
}) satisfies v.GenericSchema<unknown, ReturnType<typeof attemptView>>;
const delivery = v.object({
  deliveryId: v.string(),
  endpoint: v.string(),
  state: deliveryState,
  nextAttemptAt: timeOrNull,
  attempts: v.array(v.object({ attempt: count, ...attempt.entries })),
}) satisfies v.GenericSchema<unknown, ReturnType<typeof deliveryView>>;
const deliveries = v.object({ deliveries: v.array(delivery) });
const taskInput = v.object({
  taskId: v.string(),
  namespace: v.nullable(v.string()),
  input: v.object({
    prompt: v.string(),
    model: v.string(),
    fileIds: v.array(v.string()),
    steps: v.array(v.object({ name: v.string(), instruction: v.string() })),
    rulesetIds: v.array(v.string()),
  }),
  endpoint: v.nullable(v.string()),
});
const models = v.object({ models: v.array(v.string()), default: v.string() });
const usage = v.object({
  days: v.array(
    v.object({
      date: v.pipe(v.string(), v.isoDate()),
      tasks: count,
      inputTokens: count,
      outputTokens: count,
      cachedInputTokens: count,
      reasoningTokens: count,
      estimatedInputTokens: count,
      estimatedOutputTokens: count,
    }) satisfies v.GenericSchema<unknown, Day & { tasks: number }>,
  ),
  storage: v.object({ files: count, bytes: count, capped: v.boolean() }) satisfies v.GenericSchema<
    unknown,
    StorageUsed
  >,
});
const error = v.object({ error: v.string() });

/** By the name they have in the documents. */
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
    description: 'How many a page holds at most.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE },
  },
  cursor: { description: 'The `nextCursor` of the page before.', schema: { type: 'string', minLength: 1 } },
};

const narrowed: Record<'namespace' | 'status' | 'include', Parameter> = {
  include: {
    description: 'Adds to each task the beginning of its prompt.',
    schema: { type: 'string', enum: ['title'] },
  },
  namespace: { description: 'Only tasks of this namespace.', schema: { type: 'string', minLength: 1 } },
  status: {
    description: 'Only tasks of this status.',
    schema: { type: 'string', enum: ['waiting', 'active', 'success', 'failure'] },
  },
};

const range = (of: string): Parameter => ({
  description: `Only these ${of}: a number or a range, such as 3 or 2-5.`,
  schema: { type: 'string', pattern: '^\\d{1,6}(-\\d{1,6})?$' },
});
const textQuery: Record<'format' | 'pages' | 'sheets' | 'view', Parameter> = {
  format: {
    description: 'Markdown with places, or JSON with blocks, tables and sheets.',
    schema: { type: 'string', enum: ['markdown', 'json'], default: 'markdown' },
  },
  pages: range('pages'),
  sheets: range('sheets'),
  view: {
    description: 'Of a web page its main content, or all of its text. Other files have one view.',
    schema: { type: 'string', enum: ['main', 'all'], default: 'main' },
  },
};

export const operations: Operations = {
  ...SERVICE,
  'POST /api/v1/files': {
    id: 'addFile',
    tag: 'Files',
    body: 'NewFile',
    bodyNote:
      'Either `url`, a public HTTPS address to fetch the file from (201), or `fileName`, for a signed upload (200).',
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
  'GET /api/v1/tasks/:taskId': { id: 'getTask', tag: 'Tasks', answers: { 200: task }, isPolled: true },
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
