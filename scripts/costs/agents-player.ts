/** What callers of the rehearsed agent API do. */
import type { Clock, Ids, Table } from '../../shared/ports.ts';
import { checkpointDrafts } from '../../shared/tasks/checkpoint.ts';
import { moveTask } from '../../shared/tasks/move-task.ts';
import { submitTask } from '../../shared/tasks/submit-task.ts';
import { aroundExpiresAt, type TaskAddress } from '../../shared/tasks/task-rows.ts';
import type { Heard } from './player.ts';

type Given = {
  ask(path: string, json?: object): Promise<Heard>;
  organization: string;
  ports: { table: Table; clock: Clock; ids: Ids };
  endpoint: string;
};

/** As long as a query may be: more than stays beside a task's other words. */
const LONG_QUERY = 'Why? '.repeat(2_000);

export function agentsPlayer({ ask, organization, ports, endpoint }: Given) {
  async function submitted(o: { long?: boolean; hook?: boolean } = {}): Promise<Heard & { taskId: string }> {
    const query = o.long ? LONG_QUERY : 'When is the invoice due?';
    const hook = o.hook ? { webhook_url: endpoint } : {};
    const heard = await ask('/tasks', { task_type: 'research_agent', input: { query }, ...hook });
    return { ...heard, taskId: heard.body.task_id?.slice('task_'.length) ?? '' };
  }

  /** A task of which no worker is told, in its second stage if it is begun. */
  async function waiting({ begun = false } = {}): Promise<string> {
    const address: TaskAddress = { organization, taskId: ports.ids.uuid() };
    const about = { input: {}, by: 'user:costs' };
    const given = { face: 'agents', type: 'research_agent', priority: 5, about } as const;
    const quiet = { ...ports, hints: async () => undefined };
    const { value: task } = await submitTask(quiet, address, given);
    if (begun) {
      await moveTask(quiet, address, { type: 'claim' });
      const reached = { checkpoint: 1, attempt: 1 };
      const first = checkpointDrafts(address, { ...reached, carried: {}, expiresAt: aroundExpiresAt(task) });
      await moveTask(quiet, address, { type: 'beat', ...reached }, { first });
    }
    return `task_${address.taskId}`;
  }

  return { ask, submitted, waiting };
}
