/** All routes of tasks, of their webhooks and of what is left. */
import type { Route } from '../http/route.ts';
import { addTask } from './add-task.ts';
import type { TasksContext } from './api.ts';
import { listTasks } from './list-tasks.ts';
import { taskRoutes } from './tasks.ts';
import { usage } from './usage.ts';
import { webhookRoutes } from './webhooks.ts';

export const workRoutes: Route<TasksContext>[] = [addTask, listTasks, ...taskRoutes, ...webhookRoutes, usage];
