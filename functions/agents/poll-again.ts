/** When asking for an unfinished task again makes sense. */
import { limitOf } from '../../shared/accounts/organizations.ts';
import { HOUR, type Limit, MINUTE } from '../../shared/limits/rate-limit.ts';
import { isBetweenRuns, type Task } from '../../shared/tasks/task.ts';
import type { TasksContext } from './context.ts';

const MIN_SECONDS = 3;

type PolledTask = { organization: string; task: Task; limit: Limit };

/** Whoever asks that often keeps within the limit. What waits for its time need not be asked for before, an hour at most. */
export async function pollAgainSeconds(
  { organizationOf, clock }: Pick<TasksContext, 'organizationOf' | 'clock'>,
  { organization: id, task, limit }: PolledTask,
): Promise<number> {
  const organization = await organizationOf(id);
  const { minute, hour } = organization ? limitOf(organization, limit) : limit;
  const waitsMs = isBetweenRuns(task) ? task.queuedAt - clock.now() : 0;
  const wanted = Math.max(MIN_SECONDS, waitsMs / 1_000, MINUTE / minute, hour === undefined ? 0 : HOUR / hour);
  return Math.min(HOUR, Math.ceil(wanted));
}
