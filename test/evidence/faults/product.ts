/** The use cases that the harness drives: the real ones, or a mutant's. */

import * as runBatch from '../../../shared/lanes/batches.ts';
import * as reconcile from '../../../shared/reconcile/reconcile.ts';
import * as failure from '../../../shared/tasks/agent.ts';
import * as hints from '../../../shared/tasks/hints.ts';
import * as cancelTask from '../../../shared/tasks/queries.ts';
import * as submitTask from '../../../shared/tasks/submit.ts';
import * as moveTask from '../../../shared/tasks/transition.ts';
import * as delivery from '../../../shared/webhooks/delivery-log.ts';
import * as send from '../../../shared/webhooks/send.ts';

export const PRODUCT = {
  ...cancelTask,
  ...delivery,
  ...failure,
  ...hints,
  ...moveTask,
  ...reconcile,
  ...runBatch,
  ...send,
  ...submitTask,
};
export type Product = typeof PRODUCT;

export const PRODUCT_FILES = [
  'shared/tasks/queries.ts',
  'shared/webhooks/delivery-log.ts',
  'shared/tasks/agent.ts',
  'shared/tasks/hints.ts',
  'shared/tasks/transition.ts',
  'shared/reconcile/reconcile.ts',
  'shared/lanes/batches.ts',
  'shared/webhooks/send.ts',
  'shared/tasks/submit.ts',
] as const;
