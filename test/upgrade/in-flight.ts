/**
 * Tasks that are stopped at a checkpoint of their agent. With a language model, the model does not answer the question
 * that follows the checkpoint. Without one, many tasks run at once, until some of each kind are where they are wanted.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Api } from './fill-product.ts';

type Apis = { files: Api; agents: Api };
type Submission = { name: string; api: keyof Apis; body: object; isThere: (task: StoppedTask) => boolean };

/** A task as its row said when the product was killed. */
export type StoppedTask = { id: string; state: string; stage: string; checkpoint: number };
export type InFlight = Omit<StoppedTask, 'state'> & { name: string; api: keyof Apis };

export const LEASE = [
  'Lease of a berth',
  'Tenant: Ann Lee',
  'Monthly rent: EUR 1,200',
  'The landlord is the harbour trust, and the notice period is three months.',
].join('\n\n');

/** The landlord is only in a sentence, so that a model is asked for it. */
const SCHEMA = {
  type: 'object',
  properties: {
    tenant: { type: 'string' },
    monthly_rent: { type: 'number' },
    landlord: { type: 'string', description: 'Who lets the berth' },
  },
};

const QUERY = 'How did port fees change in 2026?';
export const MODELS_THAT_STOP = ['findings', 'sections', 'verdicts', 'fields', 'subject'].map(
  (field) => `openai/stops-at-${field}`,
);

type Belongings = {
  fileId: string;
  workflowId: string;
  longWorkflowIds: string[];
  endpoint: string;
  hangingUrl: string;
};

/** Another lane than that of the tasks that fill the usual one. */
const PRIORITY = { priority: 9 };

const researchOf = (input: object) => ({
  ...PRIORITY,
  task_type: 'research_agent',
  input: { query: QUERY, sources: ['harbours'], ...input },
});
const processingOf = (input: object) => ({
  ...PRIORITY,
  task_type: 'processing_agent',
  input: { output_schema: SCHEMA, ...input },
});
const notificationOf = (input: object, recipients: number) => ({
  ...PRIORITY,
  task_type: 'notification_agent',
  input: {
    content: {
      recipients: Array.from({ length: recipients }, (_, at) => `reader-${at + 1}@errand-tests.org`),
      data_sources: ['harbours'],
    },
    ...input,
  },
});
const chatOf = ({ endpoint }: Belongings, input: object) => ({
  namespace: 'homes',
  delivery: { type: 'webhook', config: { endpoint } },
  input: { type: 'chat', prompt: 'Who lets the berth, and what is the rent?', ...input },
});

const at =
  (stage: string, least = 1) =>
  (task: StoppedTask) =>
    task.stage === stage && task.checkpoint >= least;

const ofModels = (own: Belongings): Submission[] => [
  {
    ...{ name: 'a research that has gathered', api: 'agents', isThere: at('reading') },
    body: researchOf({ model: 'openai/stops-at-findings' }),
  },
  {
    ...{ name: 'a research that has notes', api: 'agents', isThere: at('writing') },
    body: researchOf({ model: 'openai/stops-at-sections' }),
  },
  {
    ...{ name: 'a research that has a draft', api: 'agents', isThere: at('writing', 5) },
    body: researchOf({ model: 'openai/stops-at-verdicts' }),
  },
  {
    ...{ name: 'a research whose record is open', api: 'agents', isThere: at('reading', 5) },
    body: researchOf({ model: 'openai/stops-at-fields', output_schema: SCHEMA }),
  },
  {
    ...{ name: 'an extraction that has read', api: 'agents', isThere: at('asking') },
    body: processingOf({ model: 'openai/stops-at-fields', documents: [{ file_id: own.fileId }] }),
  },
  {
    ...{ name: 'a notification that has gathered', api: 'agents', isThere: at('composing') },
    body: notificationOf({ model: 'openai/stops-at-subject' }, 2),
  },
  {
    ...{ name: 'a chat at its second step', api: 'files', isThere: at('Second') },
    body: chatOf(own, { model: 'openai/steady', workflowIds: [own.workflowId] }),
  },
  {
    ...{ name: 'a chat whose record is open', api: 'files', isThere: at('asking') },
    body: chatOf(own, { model: 'openai/stops-at-fields', fileIds: [own.fileId], outputSchema: SCHEMA }),
  },
];

const offline = { model: 'offline/extractive' };

/** Several of each kind, as only some are stopped where they are wanted. Two wait for what does not come. */
const ofBurst = (own: Belongings): Submission[] => [
  ...Array.from({ length: 2 }, (): Submission => {
    const body = notificationOf(offline, 60);
    return {
      name: 'an offline notification that has gathered',
      api: 'agents',
      body,
      isThere: ({ checkpoint }) => checkpoint > 0,
    };
  }),
  {
    ...{ name: 'an offline extraction that has read one document', api: 'agents', isThere: at('reading') },
    body: processingOf({ ...offline, documents: [{ file_id: own.fileId }, { url: own.hangingUrl }] }),
  },
  {
    ...{ name: 'an offline research that has gathered', api: 'agents', isThere: at('gathering', 2) },
    body: researchOf({ ...offline, sources: ['harbours', 'hanging'] }),
  },
  ...Array.from({ length: 4 }, (): Submission => {
    const body = chatOf(own, { ...offline, fileIds: [own.fileId], workflowIds: own.longWorkflowIds });
    return {
      name: 'an offline chat in the middle of its steps',
      api: 'files',
      body,
      isThere: ({ checkpoint }) => checkpoint > 1,
    };
  }),
  ...Array.from({ length: 6 }, (): Submission => {
    const body = researchOf({ ...offline, output_format: 'pdf' });
    return {
      name: 'an offline research that has notes',
      api: 'agents',
      body,
      isThere: ({ checkpoint }) => checkpoint > 3,
    };
  }),
];

type Submitted = Submission & { id: string };

export async function submitAll(apis: Apis, submissions: Submission[]): Promise<Submitted[]> {
  return Promise.all(
    submissions.map(async (submission) => {
      const { taskId, task_id: id = taskId } = await apis[submission.api]('/tasks', submission.body);
      return { ...submission, id };
    }),
  );
}

export const stoppingTasks = { ofModels, ofBurst };

/** Reads where the tasks of a state folder are, also while a product runs on it. */
export function taskReader(state: string) {
  const db = new DatabaseSync(join(state, 'state.db'), { readOnly: true });
  const select = db.prepare("SELECT pk, value FROM rows WHERE sk = 'TASK'");
  return {
    tasks: (): Map<string, StoppedTask> =>
      new Map(
        select.all().map(({ pk, value }) => {
          const id = String(pk).split('#T#')[1] ?? '';
          const { state, stage = '', checkpoint } = JSON.parse(String(value));
          return [id, { id, state, stage, checkpoint }];
        }),
      ),
    close: () => db.close(),
  };
}

/** The submitted tasks that are where they are wanted; undefined while there is a kind without one. */
export function inFlightAmong(
  submitted: readonly Submitted[],
  tasks: Map<string, StoppedTask>,
): InFlight[] | undefined {
  const there = submitted.flatMap(({ name, api, id, isThere }): InFlight[] => {
    const task = tasks.get(id.replace(/^task_/, ''));
    if (task?.state !== 'running' || !isThere(task)) return [];
    return [{ name, api, id, stage: task.stage, checkpoint: task.checkpoint }];
  });
  const names = new Set(there.map(({ name }) => name));
  return submitted.every(({ name }) => names.has(name)) ? there : undefined;
}
