/** The routes of the Files & Tasks API. */
import { contractRoutes } from '../contract-routes.ts';
import { healthRoutes } from '../health.ts';
import type { Route } from '../http/route.ts';
import type { FilesContext } from './face.ts';
import { fileRoutes } from './files.ts';
import { modelRoute } from './models.ts';
import { taskRoutes } from './tasks.ts';
import { usageRoute } from './usage.ts';
import { webhookRoutes } from './webhooks.ts';

export const routes: Route<FilesContext>[] = [
  ...healthRoutes<FilesContext>(),
  ...contractRoutes<FilesContext>('files-and-tasks'),
  ...fileRoutes,
  ...taskRoutes,
  ...webhookRoutes,
  modelRoute,
  usageRoute,
];
