/** The status of a prompt task as users see it: the API has no word for a cancelled one but `failure`. */
import type { FilesContract } from '../../client/src/index.ts';

export const shownStatus = (task: FilesContract.TaskInList): string =>
  task.status === 'failure' && task.error.code === 'TASK_CANCELLED' ? 'cancelled' : task.status;
