/** What a worker needs to run tasks. */

import type { Log } from '../core/log.ts';
import type { WorkerProcess } from '../core/worker-process.ts';
import type { NotifyActivity } from './activity.ts';
import type { Agents } from './agent.ts';
import type { BudgetNotify } from './budget.ts';
import type { FreshTasks } from './fresh-tasks.ts';
import type { ImmediateDelivery } from './immediate-delivery.ts';
import type { LeasePorts } from './lease.ts';

export type WorkerPorts = LeasePorts & {
  log: Log;
  agents: Agents;
  /** Without it the senders receive a hint for every event. */
  immediateDelivery?: ImmediateDelivery;
  /** Warns an organization about its budget. */
  notify?: BudgetNotify;
  notifyActivity?: NotifyActivity;
  /** For a process that also accepts submits. */
  fresh?: Pick<FreshTasks, 'take'>;
  /** Without it, the process also runs other tasks. */
  process?: WorkerProcess | undefined;
};
