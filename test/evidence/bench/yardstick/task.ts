/** A task of the reference systems: the product's fields, checked by a JSON schema, and the response for a job. */

export type Task = { organization: string; namespace: string; endpoint: string; prompt: string };

export type NewTask = {
  namespace: string;
  delivery: { type: 'webhook'; config: { endpoint: string } };
  input: { type: 'chat'; prompt: string };
};

const object = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

export const NEW_TASK = object({
  namespace: { type: 'string', minLength: 1, maxLength: 128 },
  delivery: object({
    type: { const: 'webhook' },
    config: object({ endpoint: { type: 'string', maxLength: 2_048, pattern: '^https?://' } }),
  }),
  input: object({ type: { const: 'chat' }, prompt: { type: 'string', minLength: 1, maxLength: 100_000 } }),
});

const text = { type: 'string' };
/** The response schema, with which Fastify serializes faster. */
export const TASK = {
  type: 'object',
  properties: {
    taskId: text,
    namespace: text,
    status: text,
    createdAt: text,
    completedAt: text,
    output: { type: 'object', properties: { text } },
    error: { type: 'object', properties: { message: text, code: text } },
  },
};

const timeOf = (at: number): string => new Date(at).toISOString();

/** A job of either store; times are epoch milliseconds. */
export type Found = {
  id: string;
  task: Task;
  createdAt: number;
  startedAt?: number | undefined;
  endedAt?: number | undefined;
  text?: string | undefined;
  failure?: string | undefined;
};

export function viewOf({ id, task, createdAt, startedAt, endedAt, text, failure }: Found) {
  const shown = { taskId: id, namespace: task.namespace, createdAt: timeOf(createdAt) };
  if (endedAt === undefined) return { ...shown, status: startedAt === undefined ? 'waiting' : 'active' };
  const completedAt = timeOf(endedAt);
  if (failure === undefined) return { ...shown, status: 'success', completedAt, output: { text } };
  return { ...shown, status: 'failure', completedAt, error: { message: failure, code: 'PROCESSING_FAILED' } };
}
