/** A task of the yardstick: the fields of ours, checked by a JSON schema, and how a job shows as a task. */
import type { Job } from 'bullmq';

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
/** Told to Fastify, which then writes the answer faster. */
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

export function shownTask({
  id,
  data,
  timestamp,
  processedOn,
  finishedOn,
  failedReason,
  returnvalue,
}: Job<Task, string>) {
  const task = { taskId: id, namespace: data.namespace, createdAt: timeOf(timestamp) };
  if (finishedOn === undefined) return { ...task, status: processedOn === undefined ? 'waiting' : 'active' };
  const completedAt = timeOf(finishedOn);
  if (!failedReason) return { ...task, status: 'success', completedAt, output: { text: returnvalue } };
  return { ...task, status: 'failure', completedAt, error: { message: failedReason, code: 'PROCESSING_FAILED' } };
}
