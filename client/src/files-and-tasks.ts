/** The client of the Files & Tasks API. */
import { type CallOptions, type ClientOptions, caller } from './caller.ts';
import type { Health, Models } from './contracts/files-and-tasks.ts';
import { ErrandError } from './errors.ts';
import { filesOver } from './files.ts';
import { tasksOver } from './tasks.ts';

export type FilesAndTasksOptions = ClientOptions & {
  /** With its version, such as https://errand.acme.org/api/v1. */
  baseUrl: string;
  apiKey: string;
};

export type FilesAndTasks = ReturnType<typeof filesAndTasks>;

export function filesAndTasks({ baseUrl, apiKey, ...o }: FilesAndTasksOptions) {
  if (!apiKey) throw new ErrandError('BAD_OPTION', 'Give an apiKey.');
  const call = caller(baseUrl, { token: async () => apiKey }, o);
  return {
    files: filesOver(call, o),
    tasks: tasksOver(call),
    models: async (o?: CallOptions): Promise<Models> => (await call<Models>('/models', o)).body,
    health: async (o?: CallOptions): Promise<Health> => (await call<Health>('/health', o)).body,
  };
}
