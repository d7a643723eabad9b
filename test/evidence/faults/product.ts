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
import * as outcome from '../../../shared/webhooks/attempt-outcome.ts';
import * as deliveries from '../../../shared/webhooks/deliveries.ts';
import * as delivery from '../../../shared/webhooks/delivery-log.ts';
import * as immediateDelivery from '../../../shared/webhooks/immediate-delivery.ts';
import * as send from '../../../shared/webhooks/send.ts';
import * as senderCache from '../../../shared/webhooks/sender-cache.ts';
import * as senderSlots from '../../../shared/webhooks/sender-slots.ts';

export const PRODUCT = {
  ...cancelTask,
  ...deliveries,
  ...delivery,
  ...failure,
  ...immediateDelivery,
  ...getTask,
  ...hints,
  ...moveTask,
  ...reconcile,
  ...runBatch,
  ...seats,
  ...outcome,
  ...send,
  ...senderCache,
  ...senderSlots,
  ...submitTask,
};
export type Product = typeof PRODUCT;

export const PRODUCT_FILES = [
  'shared/tasks/cancel-task.ts',
  'shared/tasks/get-task.ts',
  'shared/webhooks/attempt-outcome.ts',
  'shared/webhooks/deliveries.ts',
  'shared/webhooks/delivery-log.ts',
  'shared/webhooks/immediate-delivery.ts',
  'shared/tasks/task-failure.ts',
  'shared/tasks/hints.ts',
  'shared/tasks/transition.ts',
  'shared/reconcile/reconcile.ts',
  'shared/lanes/batches.ts',
  'shared/lanes/worker-seats.ts',
  'shared/webhooks/send.ts',
  'shared/webhooks/sender-cache.ts',
  'shared/webhooks/sender-slots.ts',
  'shared/tasks/submit.ts',
] as const;
