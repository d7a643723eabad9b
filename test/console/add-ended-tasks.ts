/** Writes ended tasks into the state of a product that is not running. */
import { openLocal } from '../../adapters/local/context.ts';
import { detailsDrafts } from '../../shared/tasks/details.ts';
import { taskDraft } from '../../shared/tasks/rows.ts';
import { newTask, type Task } from '../../shared/tasks/task.ts';

const MINUTE_MS = 60_000;
const TYPES = ['research_agent', 'processing_agent', 'notification_agent'];

export async function addEnded(state: string, organization: string, amount: number): Promise<void> {
  const { table, ids, close } = openLocal({ ERRAND_STATE: state });
  const begin = Date.now() - amount * MINUTE_MS;
  const inserts = Array.from({ length: amount }, (_, at) => {
    const address = { organization, taskId: ids.uuid() };
    const now = begin + at * MINUTE_MS;
    const fresh = newTask({
      face: 'agents',
      type: TYPES[at % 3] ?? '',
      priority: (at % 10) + 1,
      hasWebhook: false,
      now,
    });
    const { dueAt: _due, ...ended } = {
      ...fresh,
      state: 'succeeded',
      progress: 100,
      endedAt: now + 5_000,
      startedAt: now,
    } as Task & {
      dueAt?: number;
    };
    return table.insert(
      taskDraft(address, ended, now),
      detailsDrafts(address, { metadata: { number: `${at}` }, input: {} }, undefined),
    );
  });
  await Promise.all(inserts);
  close();
}
