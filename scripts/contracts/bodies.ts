/** The schemas of request bodies by name, made from the schemas that validate requests. */
import * as v from 'valibot';
import { submission } from '../../functions/agents/add-task.ts';
import type { Operations } from '../../functions/http/contract.ts';
import type { Route } from '../../functions/http/route.ts';
import { TASK_TYPES, type TaskType } from '../../shared/agents/agent-input.ts';
import { type NamedSchemas, SOURCES } from './json-schema.ts';

/** The error message by which `json-schema.ts` recognizes a URL. */
const faultOfEndpoint = () => 'must be a public HTTPS URL';
const REFUSES = { faultOfEndpoint, serviceUrls: [] } as never;

export function bodiesOf(routes: readonly Route<never>[], operations: Operations): NamedSchemas {
  const bodies = routes.flatMap((route) => {
    const name = operations[`${route.method} ${route.path}`]?.body;
    const schema = typeof route.body === 'function' ? route.body(REFUSES, { hosts: [] }) : route.body;
    if ((name === undefined) !== (schema === undefined)) throw new Error(`${route.path}: a body has a name.`);
    return name && schema ? [[name, schema] as const] : [];
  });
  return Object.fromEntries(bodies);
}

const NAMES: Record<TaskType, string> = {
  research_agent: 'ResearchSubmission',
  processing_agent: 'ProcessingSubmission',
  notification_agent: 'NotificationSubmission',
};

type Fields = v.ObjectSchema<v.ObjectEntries, undefined>;

/** The schema of a submission depends on its type, so each type has a schema of its own. */
export function submissions(): NamedSchemas {
  const lazy = submission(faultOfEndpoint, SOURCES) as v.LazySchema<v.GenericSchema>;
  const variants = TASK_TYPES.map((type) => {
    const variant = lazy.getter({ task_type: type }) as v.GenericSchema & { pipe: readonly unknown[] };
    const { entries } = variant.pipe.at(-1) as Fields;
    return [NAMES[type], v.object({ ...entries, task_type: v.literal(type) })] as const;
  });
  const options = variants.map(([, schema]) => schema);
  return { ...Object.fromEntries(variants), Submission: v.variant('task_type', options as never) as v.GenericSchema };
}
