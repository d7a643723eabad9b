/** Whether the worker that ends a task also sends its webhook. */

import type { Row } from '../ports.ts';
import type { TaskDetails } from './details.ts';
import type { Result } from './results.ts';
import type { TaskAddress } from './rows.ts';
import type { Task } from './task.ts';

/** A slot to send: acquired before the end is written, then used or released. */
type DeliverySlot = {
  /** Neither waits nor throws: a failed delivery is sent again once its lease has lapsed. */
  send(row: Row<Task>, result: Result | undefined): void;
  release(): void;
};

export type ImmediateDelivery = {
  /** `undefined`: a sender must deliver, because the receiver is failing, slow or busy, or there is none. */
  tryAcquire(address: TaskAddress, about: TaskDetails | undefined): Promise<DeliverySlot | undefined>;
};
