/** The client of the Files & Tasks API. */
import { bodiesOf, type CallOptions, type ClientOptions, caller } from './caller.ts';
import { headerIn } from './checked.ts';
import type { Health, Models, Usage } from './contracts/files-and-tasks.ts';
import { filesOver } from './files.ts';
import { tasksOver } from './tasks.ts';

export type FilesAndTasksOptions = ClientOptions & {
  /** With its version, such as https://errand.acme.org/api/v1. */
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
    tasks: tasksOver(call),
    models: (o?: CallOptions): Promise<Models> => ask<Models>('/models', o),
    usage: (o?: CallOptions): Promise<Usage> => ask<Usage>('/usage', o),
    health: (o?: CallOptions): Promise<Health> => ask<Health>('/health', o),
  };
}
