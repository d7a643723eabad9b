/** What the harness drives: the real use cases, or those of a mutant. */

import * as runBatch from '../../shared/lanes/batches.ts';
import * as runHint from '../../shared/lanes/batches.ts';
import * as workerSeats from '../../shared/lanes/worker-seats.ts';
import * as reconcile from '../../shared/reconcile/reconcile.ts';
import * as failure from '../../shared/tasks/agent.ts';
import * as hints from '../../shared/tasks/hints.ts';
import * as cancelTask from '../../shared/tasks/queries.ts';
import * as submitTask from '../../shared/tasks/submit.ts';
import * as moveTask from '../../shared/tasks/transition.ts';
import * as delivery from '../../shared/webhooks/delivery-log.ts';
import * as redeliver from '../../shared/webhooks/delivery-log.ts';
import * as sendFirst from '../../shared/webhooks/send.ts';
import * as sendHint from '../../shared/webhooks/send.ts';
import * as senderSlots from '../../shared/webhooks/send.ts';

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
  'shared/tasks/queries.ts',
  'shared/webhooks/delivery-log.ts',
  'shared/tasks/agent.ts',
  'shared/tasks/hints.ts',
  'shared/tasks/transition.ts',
  'shared/reconcile/reconcile.ts',
  'shared/webhooks/delivery-log.ts',
  'shared/lanes/batches.ts',
  'shared/lanes/batches.ts',
  'shared/webhooks/send.ts',
  'shared/webhooks/send.ts',
  'shared/tasks/submit.ts',
  'shared/webhooks/send.ts',
  'shared/lanes/worker-seats.ts',
] as const;
