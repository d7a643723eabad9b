/** Waits for the invocation of a function that wrote about a task, until its message is deleted too. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../../shared/ports.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import type { Call, Recording } from '../rehearsal/recorder/recording.ts';

type IsIts = (row: string, task: { pk: string; sk: string }) => boolean;
type Around = { recording: Recording; clock: Clock; organization: string };

const LOOK_EVERY_MS = 20;
const PATIENCE_MS = 30_000;

export const lastEvents =
  ({ recording, clock, organization }: Around, by: string, isIts: IsIts) =>
  async (taskId = ''): Promise<string> => {
    const task = taskKey({ organization, taskId });
    const isItsEnd = ({ function: name, operation, rows = [] }: Call) =>
      name === by && operation === 'PutItem' && rows.some((row) => isIts(row, task));
    const giveUpAt = clock.now() + PATIENCE_MS;
    while (clock.now() < giveUpAt) {
      const { request } = recording.calls.findLast(isItsEnd) ?? {};
      const isOver = ({ request: id, operation }: Call) => id === request && operation === 'DeleteMessageBatch';
      if (request !== undefined && recording.calls.some(isOver)) return request;
      await wait(LOOK_EVERY_MS);
    }
    throw new Error(`Nothing of ${by} has ended for the task ${taskId}.`);
  };
