/** Ids of this API's tasks: a UUID behind a word. */

const PREFIX = 'task_';

export const shownId = (taskId: string): string => PREFIX + taskId;

/** Empty for what none of our tasks is called. */
export const taskIdIn = (shown = ''): string => (shown.startsWith(PREFIX) ? shown.slice(PREFIX.length) : '');
