/** The client of the Files & Tasks API. */
import type {
  Health,
  Models,
  Ruleset,
  RulesetPage,
  Usage,
  Workflow,
  WorkflowPage,
} from './contracts/files-and-tasks.ts';
import { filesOver } from './files/files.ts';
import { itemsOf } from './pages.ts';
import { bodiesOf, type CallOptions, type ClientOptions, caller } from './requests/caller.ts';
import { addressIn, headerIn } from './requests/checked.ts';
import { tasksOver } from './tasks.ts';

export type FilesAndTasksOptions = ClientOptions & {
  /** The base URL with the version, such as https://errand.acme.org/api/v1. */
  baseUrl: string;
  apiKey: string;
};

export type FilesAndTasks = ReturnType<typeof filesAndTasks>;

export function filesAndTasks({ baseUrl, apiKey, ...o }: FilesAndTasksOptions) {
  const key = headerIn('The apiKey', apiKey);
  const call = caller(baseUrl, { token: async () => key }, o);
  const ask = bodiesOf(call);
  return {
    files: filesOver(call, o),
    tasks: tasksOver(call, `${addressIn('The baseUrl', baseUrl, 'http').base}/webhooks/discard`),
    models: (o?: CallOptions): Promise<Models> => ask<Models>('/models', o),
    /** All workflows that tasks may name, oldest first. */
    workflows: (o?: ListOptions): AsyncGenerator<Workflow, void> =>
      itemsOf(async (cursor) => {
        const page = await ask<WorkflowPage>('/workflows', pageOptions(o, cursor));
        return { items: page.workflows, next: page.nextCursor };
      }),
    /** All rulesets that tasks may name, oldest first. */
    rulesets: (o?: ListOptions): AsyncGenerator<Ruleset, void> =>
      itemsOf(async (cursor) => {
        const page = await ask<RulesetPage>('/rulesets', pageOptions(o, cursor));
        return { items: page.rulesets, next: page.nextCursor };
      }),
    usage: (o?: CallOptions): Promise<Usage> => ask<Usage>('/usage', o),
    health: (o?: CallOptions): Promise<Health> => ask<Health>('/health', o),
  };
}

type ListOptions = { pageSize?: number; signal?: AbortSignal };

const pageOptions = ({ pageSize, signal }: ListOptions = {}, cursor?: string) => ({
  signal,
  query: { limit: pageSize, cursor },
});
