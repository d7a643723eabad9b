/** The use cases that the harness drives: the real ones, or a mutant's. */

import * as runBatch from '../../../shared/lanes/batches.ts';
import * as seats from '../../../shared/lanes/worker-seats.ts';
import * as reconcile from '../../../shared/reconcile/reconcile.ts';
import * as cancelTask from '../../../shared/tasks/cancel-task.ts';
import * as getTask from '../../../shared/tasks/get-task.ts';
import * as hints from '../../../shared/tasks/hints.ts';
import * as submitTask from '../../../shared/tasks/submit.ts';
import * as failure from '../../../shared/tasks/task-failure.ts';
import * as moveTask from '../../../shared/tasks/transition.ts';
import * as delivery from '../../../shared/webhooks/delivery-log.ts';
import * as send from '../../../shared/webhooks/send.ts';

export const PRODUCT = {
  ...cancelTask,
  ...delivery,
  ...failure,
  ...getTask,
  ...hints,
  ...moveTask,
  ...reconcile,
  ...runBatch,
  ...seats,
  ...send,
  ...submitTask,
};
export type Product = typeof PRODUCT;

export const PRODUCT_FILES = [
  'shared/tasks/cancel-task.ts',
  'shared/tasks/get-task.ts',
  'shared/webhooks/delivery-log.ts',
  'shared/tasks/task-failure.ts',
  'shared/tasks/hints.ts',
  'shared/tasks/transition.ts',
  'shared/reconcile/reconcile.ts',
  'shared/lanes/batches.ts',
  'shared/lanes/worker-seats.ts',
  'shared/webhooks/send.ts',
  'shared/tasks/submit.ts',
] as const;
