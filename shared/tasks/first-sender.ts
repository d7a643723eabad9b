/** Who may send a task's event from the worker that ends it. */
import type { Row } from '../ports.ts';
import type { TaskDetails } from './about.ts';
import type { Result } from './result.ts';
import type { Task } from './task.ts';
import type { TaskAddress } from './task-rows.ts';

/** Taken before the end is written; used, or given back, after it. */
export type FirstSendSlot = {
  /** Neither waits nor throws: what fails is sent again once its lease has lapsed. */
  send(row: Row<Task>, result: Result | undefined): void;
  leave(): void;
};

export type FirstSender = {
  /** Undefined = by a sender: nobody listens, or who does is failing, slow, or busy with others. */
  place(address: TaskAddress, about: TaskDetails | undefined): Promise<FirstSendSlot | undefined>;
};
