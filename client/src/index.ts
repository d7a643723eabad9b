/** The exports of the package: two clients, the verification of webhooks, and their types. */
// biome-ignore-all lint/performance/noBarrelFile: the only entry point of the package
export { type Agents, type AgentsOptions, type AgentTaskFilter, agents } from './agents.ts';
export type * as AgentContract from './contracts/agents.ts';
export type * as FilesContract from './contracts/files-and-tasks.ts';
export { type ErrandCode, ErrandError } from './errors.ts';
export { type DownloadOptions, download } from './files/download.ts';
export type { Files, TextOptions, UploadOptions } from './files/files.ts';
export type { Progress } from './files/put-bytes.ts';
export type { Source } from './files/upload-source.ts';
export { type FilesAndTasks, type FilesAndTasksOptions, filesAndTasks } from './files-and-tasks.ts';
export type { CallOptions, ClientOptions } from './requests/caller.ts';
export type { Login } from './session.ts';
export type { CompletedResults, ResultsOf, SubmittedTask, TaskId, TaskType } from './task-id.ts';
export type { TaskFilter, Tasks, TaskToCreate } from './tasks.ts';
export type { TaskNews, WatchOptions, Way, WebSocketLike, WebSocketMaker } from './updates/watch.ts';
export { type ReceivedWebhook, type VerifyOptions, verifyWebhook } from './verify-webhook.ts';
export type { WaitOptions } from './wait.ts';
