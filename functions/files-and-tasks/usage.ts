/** `GET /usage`: an organization's tasks and tokens of the last thirty days, and what it stores. */
import { tasksByDay } from '../../shared/agents/list-agent-tasks.ts';
import { storageUsed } from '../../shared/files/file.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import { tokensByDay } from '../../shared/usage/usage.ts';
import { type Route, route } from '../http/route.ts';
import type { FilesContext } from './face.ts';

/** Looks at up to 10,000 tasks and 10,000 files, which costs more than any other read. */
const USAGE_READS: Limit = { name: 'usage', minute: 60 };

export const usageRoute: Route<FilesContext> = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/usage',
  about: "Shows the organization's tasks and tokens by day, and its storage.",
  caller: 'member',
  limit: USAGE_READS,
  replies: { 200: 'The usage.' },
  async run({ caller: { organization } }, { table, clock }) {
    const [tasks, tokens, storage] = await Promise.all([
      tasksByDay(table, organization, 'files-and-tasks'),
      tokensByDay(table, organization, clock.now()),
      storageUsed(table, organization),
    ]);
    const days = tokens.map(({ date, ...spent }) => ({ date, tasks: tasks.get(date) ?? 0, ...spent }));
    return { status: 200, body: { days, storage } };
  },
});
