/** A task in a state folder, accepted and not started. */
import { openLocal } from '../../../adapters/local/context.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import type { StartedTask } from '../../../shared/tasks/task.ts';

type Asked = StartedTask & { endpoint?: string };

export async function submitOne(
  state: string,
  organization: string,
  { endpoint, ...begun }: Asked = {},
): Promise<TaskAddress> {
  const { table, clock, ids, close } = openLocal({ ERRAND_STATE: state });
  const address = { organization, taskId: ids.uuid() };
  const input = { prompt: 'What is due?' };
  const about = { namespace: 'finance', input, ...(endpoint === undefined ? {} : { endpoint }) };
  const ports = { table, clock, hints: async () => undefined };
  await submitTask(ports, address, { face: 'files-and-tasks', type: 'chat#x', priority: 5, about, ...begun });
  close();
  return address;
}
