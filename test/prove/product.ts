/** What the harness drives: the real use cases, or those of a mutant. */

import * as reconcile from '../../shared/reconcile/reconcile.ts';
import * as cancelTask from '../../shared/tasks/cancel-task.ts';
import * as failure from '../../shared/tasks/failure.ts';
import * as hints from '../../shared/tasks/hints.ts';
import * as moveTask from '../../shared/tasks/move-task.ts';
import * as runBatch from '../../shared/tasks/run-batch.ts';
import * as runHint from '../../shared/tasks/run-hint.ts';
import * as submitTask from '../../shared/tasks/submit-task.ts';
import * as workerSeats from '../../shared/tasks/worker-seats.ts';
import * as delivery from '../../shared/webhooks/delivery.ts';
import * as redeliver from '../../shared/webhooks/redeliver.ts';
import * as sendFirst from '../../shared/webhooks/send-first.ts';
import * as sendHint from '../../shared/webhooks/send-hint.ts';
import * as senderSlots from '../../shared/webhooks/sender-slots.ts';

export const PRODUCT = {
  ...cancelTask,
  ...delivery,
  ...failure,
  ...hints,
  ...moveTask,
  ...reconcile,
  ...redeliver,
  ...runBatch,
  ...runHint,
  ...sendFirst,
  ...sendHint,
  ...submitTask,
  ...senderSlots,
  ...workerSeats,
};
export type Product = typeof PRODUCT;

export const PRODUCT_FILES = [
  'shared/tasks/cancel-task.ts',
  'shared/webhooks/delivery.ts',
  'shared/tasks/failure.ts',
  'shared/tasks/hints.ts',
  'shared/tasks/move-task.ts',
  'shared/reconcile/reconcile.ts',
  'shared/webhooks/redeliver.ts',
  'shared/tasks/run-batch.ts',
  'shared/tasks/run-hint.ts',
  'shared/webhooks/send-first.ts',
  'shared/webhooks/send-hint.ts',
  'shared/tasks/submit-task.ts',
  'shared/webhooks/sender-slots.ts',
  'shared/tasks/worker-seats.ts',
] as const;
