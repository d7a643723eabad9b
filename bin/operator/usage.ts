/** `errand usage`: what an organization used, by day. */
import { tasksByDay } from '../../shared/agents/list-agent-tasks.ts';
import { storageUsed } from '../../shared/files/list-files.ts';
import { countUnfinished, maxUnfinished } from '../../shared/lanes/admission.ts';
import { AGENTS_API } from '../../shared/tasks/task.ts';
import { tokensByDay } from '../../shared/usage/daily-usage.ts';
import type { CommandLine, Noun, Operator, ShownValue } from './command.ts';
import { findOrganization } from './org.ts';

async function showUsage({ table, clock }: Operator, { args: [org = ''], options }: CommandLine): Promise<ShownValue> {
  const organization = await findOrganization(table, org);
  const { id } = organization;
  const [tokens, chats, agents, storage, unfinished] = await Promise.all([
    tokensByDay(table, id, clock.now()),
    tasksByDay(table, id, 'files-and-tasks'),
    tasksByDay(table, id, AGENTS_API),
    storageUsed(table, id),
    countUnfinished(table, id, maxUnfinished(organization)),
  ]);
  const days = tokens.map(({ date, inputTokens, outputTokens }) => ({
    date,
    chatTasks: chats.get(date) ?? 0,
    agentTasks: agents.get(date) ?? 0,
    inputTokens,
    outputTokens,
  }));
  if (options.json) return { report: { organization: id, unfinishedTasks: unfinished, storage, days } };
  const used = days.filter(({ date: _date, ...counts }) => Object.values(counts).some((count) => count > 0));
  const files = `${storage.files} files, ${storage.bytes} bytes${storage.capped ? ' or more' : ''}`;
  return { report: used, note: `The last 30 days (UTC). Unfinished tasks: ${unfinished}. Stored: ${files}.` };
}

export const usage: Noun = {
  '': {
    usage: 'ORG',
    about: 'shows tasks and tokens by day, and what is stored',
    args: [1, 1],
    run: showUsage,
  },
};
