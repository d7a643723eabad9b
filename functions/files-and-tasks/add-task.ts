/** `POST /tasks`: the body of a submission, and its acceptance. */

import * as v from 'valibot';
import { Problem } from '../../shared/core/problem.ts';
import { DEFAULT_PRIORITY } from '../../shared/lanes/lane.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import { type ChatInput, withWarnings } from '../../shared/tasks/details.ts';
import { namespaceMark } from '../../shared/tasks/rows.ts';
import { resolveReferences, submitTask } from '../../shared/tasks/submit.ts';
import { tracedBy } from '../http/request.ts';
import { route } from '../http/route.ts';
import { FIRST_FAULTS, type FilesContext, required } from './schema.ts';

/** The body of `POST /tasks`. Its first errors come in the order of the specification. */
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
    fileIds: ids('input.fileIds', MAX_FILES),
    workflowIds: ids('input.workflowIds', MAX_KNOWLEDGE),
    rulesetIds: ids('input.rulesetIds', MAX_KNOWLEDGE),
  }),
  namespace: v.pipe(required('namespace', NAMESPACE), atMost('namespace', MAX_NAMESPACE)),
});

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const newTaskTexts = () => ({
  delivery: 'How the result is delivered; it can be polled for as well.',
  'delivery.type': 'Always `webhook`; there is only this way.',
  'delivery.config': 'Where and when the webhook is called.',
  'delivery.config.endpoint': 'A public HTTPS URL that receives the finished task as a signed `POST`.',
  'delivery.config.frequency': 'Always `on_finish`, which is the default: one event when the task has finished.',
  input: 'What the model works on and with.',
  'input.type': 'Always `chat`; this API has only chat tasks.',
  'input.prompt': `What the model has to do; at most ${MAX_PROMPT} characters, not only white space.`,
  'input.model': 'One of the names of `GET /models`; default: the first of them. Null is rejected.',
  'input.fileIds': `Ids of stored files that the model may read; at most ${MAX_FILES}, default none.`,
  'input.workflowIds': `Ids of workflows whose steps run one after the other; at most ${MAX_KNOWLEDGE}, default none.`,
  'input.rulesetIds': `Ids of rulesets that every answer has to follow; at most ${MAX_KNOWLEDGE}, default none.`,
  namespace: `A name of your choice that groups tasks, so that lists can be filtered by it; 1 to ${MAX_NAMESPACE} characters.`,
});

type TaskBody = v.InferOutput<typeof taskBody>;

/** `POST /tasks`: takes a task in, to be worked on behind the answer. */
const SUBMITS: Limit = { name: 'tasks', minute: 60 };

export const addTask = route<FilesContext, 'member', TaskBody>({
  method: 'POST',
  path: '/api/v1/tasks',
  about: 'Submits a chat task. Poll for its result, or receive it by webhook.',
  caller: 'member',
  limit: SUBMITS,
  body: taskBody,
  replies: { 201: 'The task is accepted and will run.' },
  async run({ caller: { organization }, body, warnings, id, hosts, incoming }, context) {
    const { delivery, input, namespace } = body;
    const { endpoint } = delivery.config;
    const { prompt, fileIds, workflowIds, rulesetIds } = input;
    const fault = context.faultOfEndpoint(endpoint, hosts);
    if (fault !== undefined) throw new Problem('invalid', `delivery.config.endpoint ${fault}`);
    const model = await modelFor(context, organization, input.model);
    const named = await resolveReferences(context, organization, { fileIds, workflowIds, rulesetIds });
    await context.admit({ organization, priority: DEFAULT_PRIORITY });
    const chat: ChatInput = { prompt, fileIds, ...named, model };
    await submitTask(
      context,
      { organization, taskId: id },
      {
        face: 'files-and-tasks',
        type: namespaceMark(namespace),
        priority: DEFAULT_PRIORITY,
        about: { namespace, endpoint, input: chat, ...withWarnings(warnings), ...tracedBy(incoming) },
      },
    );
    return { status: 201, body: { taskId: id } };
  },
});

async function modelFor({ organizationOf }: FilesContext, organization: string, requested: string | undefined) {
  const models = (await organizationOf(organization))?.models ?? [];
  const model = requested ?? models[0];
  if (model === undefined || !models.includes(model)) throw new Problem('invalid', 'input.model is not available');
  return model;
}
