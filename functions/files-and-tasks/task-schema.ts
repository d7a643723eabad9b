/** The body of `POST /tasks`. Its first faults are told in the order of the specification, see `problems.ts`. */
import * as v from 'valibot';
import { required } from './schema.ts';

const MOST_PROMPT = 100_000;
const MOST_NAMESPACE = 128;
const MOST_FILES = 20;
const MOST_KNOWLEDGE = 20;

/** In this order, one at a time; every other fault comes after them. */
export const FIRST_FAULTS = [
  'delivery.type must be "webhook"',
  'delivery.config.endpoint is required',
  'input.type must be "chat"',
  'input.prompt is required',
  'namespace is required',
  'input.model must be a non-empty string if provided',
] as const;
const [TYPE, ENDPOINT, INPUT_TYPE, PROMPT, NAMESPACE, MODEL] = FIRST_FAULTS;

/** What is absent, null or no object counts as an object without fields: the fault of its first field is told. */
const inside = <T extends v.ObjectEntries>(entries: T) =>
  v.pipe(
    v.nullish(v.unknown(), null),
    v.transform((value) => (typeof value === 'object' && value !== null ? value : {})),
    v.object(entries),
  );

const ids = (field: string, most: number) =>
  v.nullish(
    v.pipe(
      v.array(v.string(`${field} must be an array of strings`), `${field} must be an array of strings`),
      v.maxLength(most, `${field} has at most ${most} entries`),
      v.transform((given) => [...new Set(given)]),
    ),
    [],
  );

const atMost = (field: string, most: number) =>
  v.maxCodePoints<string, number, string>(most, `${field} has at most ${most} characters`);

export const taskBody = v.object({
  delivery: inside({
    type: v.pipe(v.nullish(v.unknown(), null), v.literal('webhook', TYPE)),
    config: inside({
      endpoint: required('delivery.config.endpoint', ENDPOINT),
      frequency: v.nullish(v.literal('on_finish', 'delivery.config.frequency must be "on_finish"')),
    }),
  }),
  input: inside({
    type: v.pipe(v.nullish(v.unknown(), null), v.literal('chat', INPUT_TYPE)),
    prompt: v.pipe(required('input.prompt', PROMPT), v.regex(/\S/, PROMPT), atMost('input.prompt', MOST_PROMPT)),
    model: v.optional(v.pipe(v.string(MODEL), v.minLength(1, MODEL))),
    fileIds: ids('input.fileIds', MOST_FILES),
    workflowIds: ids('input.workflowIds', MOST_KNOWLEDGE),
    rulesetIds: ids('input.rulesetIds', MOST_KNOWLEDGE),
  }),
  namespace: v.pipe(required('namespace', NAMESPACE), atMost('namespace', MOST_NAMESPACE)),
});

export type TaskBody = v.InferOutput<typeof taskBody>;
