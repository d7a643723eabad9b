/** `errand usage` and `errand audit`: an organization's usage by day, and the operators' actions on it. */
import { listAudit } from '../../shared/accounts/audit.ts';
import { tasksByDay } from '../../shared/agents/list-agent-tasks.ts';
import { Problem } from '../../shared/core/problem.ts';
import { storageUsed } from '../../shared/files/list-files.ts';
import { countUnfinished, maxUnfinished } from '../../shared/lanes/admission.ts';
import { AGENTS_API } from '../../shared/tasks/task.ts';
import { tokensByDay } from '../../shared/usage/daily-usage.ts';
import { type CommandLine, type Noun, type Operator, type ShownValue, timeOf, wholeNumber } from './command.ts';
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

const usage: Noun = {
  '': {
    usage: 'ORG',
    about: 'shows tasks and tokens by day, and what is stored',
    args: [1, 1],
    run: showUsage,
  },
};

const MOST_ENTRIES = 1_000;

async function showAudit(
  { table }: Operator,
  { args: [org], options: { limit = '20' } }: CommandLine,
): Promise<ShownValue> {
  const max = wholeNumber('limit', limit);
  if (max < 1 || max > MOST_ENTRIES) throw new Problem('invalid', `--limit is from 1 to ${MOST_ENTRIES}.`);
  const only = org === undefined ? {} : { organization: (await findOrganization(table, org)).id };
  const entries = await listAudit(table, { ...only, max });
  return {
    report: entries.map(({ at, by, act, subject, detail, organization, outcome }) => ({
      at: timeOf(at),
      by,
      act,
      subject,
      detail: detail ?? null,
      outcome,
      organization: organization ?? null,
    })),
  };
}

const audit: Noun = {
  '': {
    usage: '[ORG] [--limit N]',
    about: 'shows what operators did, to one organization or to all, the newest first',
    args: [0, 1],
    options: ['limit'],
    run: showAudit,
  },
};

export const historyNouns = { usage, audit };
